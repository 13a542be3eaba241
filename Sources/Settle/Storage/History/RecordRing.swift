/// An element of a ``RecordRing``: one or more transactions of a history.
protocol RecordOfHistory: Sendable {
    /// The token after the last of its transactions.
    var token: ChangeToken { get }
    /// The memory that it takes, in bytes, where memory is limited.
    var size: Int { get }
}

extension RecordOfHistory {
    var size: Int { 0 }
}

extension StoredRecord: RecordOfHistory {}

/// The newest records of a history, in order and without a gap, bounded in number and in memory.
///
/// The ring has no cursors for its readers: each asks for the records after the token of the last one it has. So each
/// notices by itself when the history has been replaced by another one, for example by a restored backup.
struct RecordRing<Record: RecordOfHistory>: Sendable {
    /// The token before the first record; `nil` if that is unknown.
    private(set) var beginning: ChangeToken?
    private(set) var records: ArraySlice<Record> = []
    /// The maximum number of records.
    var limit: Int {
        didSet { _ = trim() }
    }
    private let sizeLimit: Int
    private var size = 0

    init(limit: Int, sizeLimit: Int = .max, after beginning: ChangeToken? = nil) {
        self.limit = limit
        self.sizeLimit = sizeLimit
        self.beginning = beginning
    }

    /// The token after the last record.
    var end: ChangeToken? { records.last?.token ?? beginning }

    /// The number of records that still fit.
    var room: Int { max(0, limit - records.count) }

    /// Removes all records: the next one follows `token`.
    ///
    /// - Returns: The removed records.
    @discardableResult
    mutating func begin(at token: ChangeToken?) -> ArraySlice<Record> {
        defer { (beginning, records, size) = (token, [], 0) }
        return records
    }

    /// Appends the records that follow the last one.
    ///
    /// - Returns: The oldest records, removed to make room.
    @discardableResult
    mutating func append(_ new: [Record]) -> [Record] {
        records += new
        size += new.reduce(0) { $0 + $1.size }
        return trim()
    }

    /// Inserts the records that lead to its beginning.
    mutating func prepend(_ earlier: [Record], after token: ChangeToken) {
        records = earlier + records
        beginning = token
    }

    private mutating func trim() -> [Record] {
        var dropped: [Record] = []
        // A single record stays, however large it is.
        while records.count > limit || (size > sizeLimit && records.count > 1), let first = records.popFirst() {
            beginning = first.token
            size -= first.size
            dropped.append(first)
        }
        return dropped
    }

    mutating func change(_ change: (inout Record) -> Void) {
        for index in records.indices { change(&records[index]) }
    }

    /// Returns the index of the first record that ends after a position.
    func firstIndex(after position: UInt64) -> Int {
        records.firstIndexInOrder { $0.token.position > position }
    }

    /// Returns the records after a token; `nil` if the token is older than all of them, within one, or of another
    /// history.
    func records(after token: ChangeToken) -> ArraySlice<Record>? {
        let index = firstIndex(after: token.position)
        let before = index > records.startIndex ? records[index - 1].token : beginning
        return before == token ? records[index...] : nil
    }

    /// Returns the same for a token that may be within a record, of which the rest then follows.
    func records(
        after token: ChangeToken, limit: Int, as stored: (Record) -> StoredRecord
    ) -> [StoredRecord]? {
        if let later = records(after: token) { return later.prefix(limit).map(stored) }
        let index = firstIndex(after: token.position)
        guard index < records.endIndex, let rest = stored(records[index]).rest(after: token) else { return nil }
        return [rest] + records[(index + 1)...].prefix(limit - 1).map(stored)
    }
}
