import Settle

/// The newest transactions of a cluster under a prefix, without a hole.
struct RecentHistory: Sendable {
    /// The place before the first of them; `nil` if none is known.
    private(set) var beginning: ChangeToken?
    private(set) var records: ArraySlice<StoredRecord> = []
    /// Of what is told to those who ask for the past.
    var secrets: Set<SettingKey> = []

    /// An own transaction that is stored, while what came before it may be unknown still.
    private var landed: ChangeToken?
    /// About how many bytes the records have.
    private var size = 0

    /// How many are kept for those who go on after a place, and how many bytes.
    private static let limit = 1_024
    private static let sizeLimit = 4 << 20

    /// The place of the newest transaction.
    var end: ChangeToken? { landed ?? records.last?.token ?? beginning }

    mutating func begin(at token: ChangeToken?) {
        beginning = token
        records = []
        (landed, size) = (nil, 0)
    }

    /// An own transaction is stored; its record comes later.
    mutating func expect(_ token: ChangeToken) { landed = token }

    mutating func add(_ record: StoredRecord) {
        var record = record
        record.transactions = record.transactions.map { $0.withholding(secrets) }
        records.append(record)
        size += record.roughSize
        if let token = landed, token.position <= record.token.position { landed = nil }
        while records.count > Self.limit || size > Self.sizeLimit, let first = records.popFirst() {
            beginning = first.token
            size -= first.roughSize
        }
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

extension StoredRecord {
    fileprivate var roughSize: Int {
        let mutations = transactions.flatMap { $0.mutations ?? [] }
        return mutations.reduce(256) { size, mutation in
            size + 128 + (mutation.oldValue?.roughSize ?? 0) + (mutation.newValue?.roughSize ?? 0)
        }
    }
}
