/// What one of several writers, over all its processes, has done with commits that are to be confirmed.
public struct ConfirmingRecord: Sendable, Hashable {
    /// What a writer does, each under an author's name of its own.
    public enum Act: Int, Sendable, CaseIterable {
        /// Commits a new number that is to be confirmed.
        case commit
        case confirm
        case revert
        /// Adds one to a counter, for good.
        case count
    }

    public struct Attempt: Sendable, Hashable {
        public var act: Act
        /// For a commit, how long it may stand, in milliseconds.
        public var within: Int
    }

    public private(set) var attempts: [String: Attempt] = [:]
    /// Those that have returned.
    public private(set) var done: Set<String> = []
    /// Those that had nothing to confirm or to revert.
    public private(set) var refused: Set<String> = []
    public private(set) var lastStep = 0

    public init() {}

    public mutating func add(_ line: Acknowledgement) {
        guard let name = line.text else { return }
        switch line.word {
        case "try":
            guard line.numbers.count == 3, let act = Act(rawValue: line.numbers[1]) else { return }
            lastStep = max(lastStep, line.numbers[0])
            attempts[name] = Attempt(act: act, within: line.numbers[2])
        case "done": done.insert(name)
        case "refused": refused.insert(name)
        default: break
        }
    }
}

/// A transaction of the history of such a file.
public struct ConfirmingEntry: Sendable, Hashable {
    /// The author's name; `-` if it has none, such as where the time was over.
    public var author: String
    /// In microseconds since a fixed moment.
    public var time: Int
    /// The number before and after; `nil` if it has not changed.
    public var (before, after): (Int?, Int?)
    /// The counter after the transaction; `nil` if it has not changed.
    public var total: Int?
    /// Why it was made; empty for an ordinary commit.
    public var reason: String

    public init(
        author: String?, time: Int, before: Int? = nil, after: Int? = nil, total: Int? = nil, reason: String? = nil
    ) {
        (self.author, self.time, self.before, self.after) = (author ?? "-", time, before, after)
        (self.total, self.reason) = (total, reason ?? "")
    }

    public var acknowledgement: Acknowledgement {
        Acknowledgement("entry", [time] + [before, after, total].map { $0 ?? -1 }, text: "\(author) \(reason)")
    }

    /// - Returns: `nil` if the acknowledgement says something else.
    public init?(_ line: Acknowledgement) {
        let parts = (line.text ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        guard line.word == "entry", line.numbers.count == 4, let author = parts.first else { return nil }
        let numbers = line.numbers.dropFirst().map { $0 < 0 ? nil : $0 }
        self.init(
            author: author, time: line.numbers[0], before: numbers[0], after: numbers[1], total: numbers[2],
            reason: parts.count > 1 ? parts[1] : nil)
    }
}
