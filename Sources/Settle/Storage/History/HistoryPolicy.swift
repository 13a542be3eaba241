/// The amount of history that a file records.
///
/// The history is in the journal beside the file, which only the user may read. The bounds decide which transactions
/// are reported. Older ones are removed when a new journal replaces the old one.
public struct HistoryPolicy: Sendable, Hashable {
    /// How long transactions are kept.
    public struct Age: Sendable, Hashable {
        /// In seconds.
        public var seconds: Int64

        /// Creates an age; a negative one counts as zero.
        public init(seconds: Int64) { self.seconds = max(0, seconds) }

        /// Days of 24 hours.
        public static func days(_ days: Int) -> Age { Age(seconds: Int64(min(max(days, 0), 100_000_000)) * 86_400) }
        /// Hours.
        public static func hours(_ hours: Int) -> Age { Age(seconds: Int64(min(max(hours, 0), 1_000_000_000)) * 3_600) }
    }

    /// The maximum number of transactions; 0 if history is not enabled.
    public var transactions: Int
    /// The maximum number of bytes that they take in the journal; a storage in memory does not count them.
    public var bytes: Int
    /// The maximum age of the transactions.
    public var age: Age
    /// True only for ``unchanged``.
    private let isUnchanged: Bool

    init(transactions: Int, bytes: Int, age: Age, isUnchanged: Bool = false) {
        (self.transactions, self.bytes, self.age, self.isUnchanged) = (transactions, bytes, age, isUnchanged)
    }

    /// The maximum size of a history in bytes: it is a part of the journal, which has a limit too.
    private static let largestSize = 128 << 20

    /// Keeps the newest transactions, within all three bounds; at most 128 MiB.
    public static func keep(
        transactions: Int = 1_000, bytes: Int = 1 << 20, for age: Age = .days(30)
    ) -> HistoryPolicy {
        HistoryPolicy(transactions: max(1, transactions), bytes: min(max(1, bytes), largestSize), age: age)
    }

    /// Keeps no history, and removes the one there is.
    public static let none = HistoryPolicy(transactions: 0, bytes: 0, age: Age(seconds: 0))

    /// Leaves the policy of the journal in force. Initially it keeps no history.
    public static let unchanged = HistoryPolicy(transactions: 0, bytes: 0, age: Age(seconds: 0), isUnchanged: true)

    /// Whether history is enabled.
    public var isKept: Bool { transactions > 0 }
}

extension HistoryPolicy: CustomStringConvertible {
    /// For example `1000 transactions, 1048576 bytes, 2592000 s`.
    public var description: String {
        if isUnchanged { return "unchanged" }
        return isKept ? "\(transactions) transactions, \(bytes) bytes, \(age.seconds) s" : "none"
    }
}
