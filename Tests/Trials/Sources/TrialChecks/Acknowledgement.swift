/// A line in which a child tells its parent what happened: a word, numbers, and optional text after a bar.
public struct Acknowledgement: Sendable, Hashable {
    public var word: String
    public var numbers: [Int]
    public var text: String?

    public init(_ word: String, _ numbers: [Int] = [], text: String? = nil) {
        self.word = word
        self.numbers = numbers
        self.text = text
    }

    /// The line without its line break. A break in the text becomes a space: an acknowledgement is one line.
    public var line: String {
        let head = ([word] + numbers.map(String.init)).joined(separator: " ")
        guard let text else { return head }
        return head + "|" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Reads a line; `nil` if it is not an acknowledgement.
    public init?(line: some StringProtocol) {
        let parts = line.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts[0].split(separator: " ")
        guard let word = words.first else { return nil }
        var numbers: [Int] = []
        for word in words.dropFirst() {
            guard let number = Int(word) else { return nil }
            numbers.append(number)
        }
        self.init(String(word), numbers, text: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// All lines of a file. A last line without a line break does not count: its writer was killed within it.
    public static func all(in text: String) -> [Acknowledgement] {
        guard let end = text.lastIndex(of: "\n") else { return [] }
        return text[..<end].split(separator: "\n").compactMap { Acknowledgement(line: $0) }
    }
}
