/// A text to search for: a word anywhere, or a pattern that matches the whole. Case does not matter.
struct TextPattern: Sendable {
    private let letters: [Character]
    private let isPattern: Bool

    /// - Parameters:
    ///   - text: A pattern if it has `*`, which matches any text, or `?`, which matches one character.
    ///   - isWord: Whether those are characters like any other.
    init(_ text: String, isWord: Bool = false) {
        letters = Array(text.lowercased())
        isPattern = !isWord && letters.contains { $0 == "*" || $0 == "?" }
    }

    func matches(_ text: String) -> Bool {
        guard isPattern else { return text.lowercased().contains(String(letters)) }
        let text = Array(text.lowercased())
        var (position, letter) = (0, 0)
        // Where to resume if the rest does not match: the last `*` takes one character more each time.
        var star: (letter: Int, position: Int)?
        while position < text.count {
            if letter < letters.count, letters[letter] == "*" {
                star = (letter, position)
                letter += 1
            } else if letter < letters.count, letters[letter] == "?" || letters[letter] == text[position] {
                (position, letter) = (position + 1, letter + 1)
            } else if let last = star {
                star = (last.letter, last.position + 1)
                (position, letter) = (last.position + 1, last.letter + 1)
            } else {
                return false
            }
        }
        return letters[letter...].allSatisfy { $0 == "*" }
    }
}
