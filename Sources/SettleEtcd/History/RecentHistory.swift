import Settle

/// The newest transactions of a cluster under a prefix, without a hole.
struct RecentHistory: Sendable {
    /// The place before the first of them; `nil` if none is known.
    private(set) var beginning: ChangeToken?
    private(set) var records: ArraySlice<StoredRecord> = []
    /// Of what is told to those who ask for the past.
    var secrets: Set<SettingKey> = []

    /// How many are kept for those who go on after a place.
    private static let limit = 1_024

    var end: ChangeToken? { records.last?.token ?? beginning }

    mutating func begin(at token: ChangeToken?) {
        beginning = token
        records = []
    }

    mutating func add(_ record: StoredRecord) {
        var record = record
        record.transactions = record.transactions.map { $0.withholding(secrets) }
        records.append(record)
        if records.count > Self.limit, let first = records.popFirst() { beginning = first.token }
    }

    /// - Returns: `nil` if the place is not among them.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        if token == beginning { return Array(records.prefix(limit)) }
        guard let index = records.firstIndex(where: { $0.token == token }) else { return nil }
        return Array(records[(index + 1)...].prefix(limit))
    }

    /// The ones before a place, newest first.
    func records(before token: ChangeToken?, limit: Int) -> [StoredRecord] {
        let end =
            token.map { token in records.firstIndex { $0.token == token } ?? records.startIndex } ?? records.endIndex
        return records[..<end].suffix(limit).reversed()
    }

    mutating func withhold(_ keys: [SettingKey]) {
        let keys = Set(keys)
        secrets.formUnion(keys)
        for index in records.indices {
            records[index].transactions = records[index].transactions.map { $0.withholding(keys) }
        }
    }

    mutating func forget(_ key: SettingKey) {
        for index in records.indices {
            records[index].transactions = records[index].transactions.map { $0.forgetting(key) }
        }
    }
}
