/// One transaction, as the history of a file or a follower of it reports it.
///
/// Each transaction of the trial sets its writer's own key to the number of a step, and each commit adds one to a
/// counter of all writers. Its author is named after both: `w2-17`.
public struct ReportedTransaction: Sendable, Hashable {
    /// The token in the history, as a text.
    public var token: String
    public var position: Int
    /// How many transactions it stands for.
    public var count: Int
    /// The author's name; `-` if it has none.
    public var author: String
    /// The author's program and process; `nil` where only the name is reported.
    public var program: String?
    public var process: Int?
    /// The writer whose key has changed, and the steps before and after; `nil` if no such key has changed.
    public var writer: Int?
    public var (stepBefore, step): (Int?, Int?)
    /// The counter after the transaction; `nil` if it has not changed.
    public var total: Int?

    public init(
        token: String, position: Int, count: Int = 1, author: String?, program: String? = nil, process: Int? = nil
    ) {
        self.token = token
        self.position = position
        self.count = count
        self.author = author ?? "-"
        self.program = program
        self.process = process
    }

    /// The name that the author should have.
    public var expectedAuthor: String? {
        guard let writer, let step else { return nil }
        return Self.author(ofStep: step, by: writer)
    }

    public static func author(ofStep step: Int, by writer: Int) -> String { "w\(writer)-\(step)" }
}

extension ReportedTransaction {
    private static let word = "transaction"

    /// The acknowledgement that describes it.
    public var acknowledgement: Acknowledgement {
        let numbers = [process, writer, stepBefore, step, total].map { $0 ?? -1 }
        let texts = [token, author] + (program.map { [$0] } ?? [])
        return Acknowledgement(Self.word, [position, count] + numbers, text: texts.joined(separator: " "))
    }

    /// - Returns: `nil` if the acknowledgement describes something else.
    public init?(_ line: Acknowledgement) {
        let texts = (line.text ?? "").split(separator: " ", maxSplits: 2).map(String.init)
        guard line.word == Self.word, line.numbers.count == 7, texts.count > 1 else { return nil }
        self.init(
            token: texts[0], position: line.numbers[0], count: line.numbers[1], author: texts[1],
            program: texts.count > 2 ? texts[2] : nil)
        let numbers = line.numbers.dropFirst(2).map { $0 < 0 ? nil : $0 }
        process = numbers[0]
        writer = numbers[1]
        (stepBefore, step) = (numbers[2], numbers[3])
        total = numbers[4]
    }
}

extension ReportedTransaction: CustomStringConvertible {
    public var description: String { "\(author) at \(position)" }
}
