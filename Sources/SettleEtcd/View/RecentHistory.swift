import Settle

/// The newest transactions of a cluster under a prefix, without a hole.
struct RecentHistory: Sendable {
    /// The place before the first of them; `nil` if none is known.
    private(set) var beginning: ChangeToken?
    private(set) var records: ArraySlice<StoredRecord> = []
    /// The first revision that the store has not been told of: from there on nothing is told by the history either.
    var firstUntold: Int64?
    /// Of what is told to those who ask for the past.
    var secrets: Set<SettingKey> = []

    /// An own transaction that is stored, while what came before it may be unknown still.
    private var landed: ChangeToken?
    /// About how many bytes the records have.
    private var size = 0

    /// How many are kept for those who go on after a place, and how many bytes.
    private static let limit = 1_024
    private static let sizeLimit = 4 << 20

    /// The place of the newest transaction that may be told.
    var end: ChangeToken? {
        if let landed, isTold(landed) { return landed }
        return records.last { isTold($0.token) }?.token ?? beginning
    }

    private func isTold(_ token: ChangeToken) -> Bool {
        firstUntold.map { Int64(clamping: token.position) < $0 } ?? true
    }

    /// The place of the transaction at a revision.
    func token(at revision: Int64) -> ChangeToken? {
        if let landed, landed.position == UInt64(clamping: revision) { return landed }
        return records.last { $0.token.position <= UInt64(clamping: revision) }
            .flatMap { $0.token.position == UInt64(clamping: revision) ? $0.token : nil }
    }

    mutating func begin(at token: ChangeToken?) {
        beginning = token
        records = []
        (landed, size) = (nil, 0)
    }

    /// What is known begins later than was thought.
    mutating func moveBeginning(to token: ChangeToken) { beginning = token }

    /// An own transaction is stored; its record comes later.
    mutating func expect(_ token: ChangeToken) { landed = token }

    mutating func add(_ record: StoredRecord) {
        var record = record
        record.transactions = record.transactions.map { $0.withholding(secrets) }
        records.append(record)
        size += record.roughSize
        if let token = landed, token.position <= record.token.position { landed = nil }
        // What is untold stays: the place before it is that of the end.
        while records.count > Self.limit || size > Self.sizeLimit, let first = records.first, isTold(first.token) {
            records.removeFirst()
            beginning = first.token
            size -= first.roughSize
        }
    }

    /// Those that may be told.
    ///
    /// - Returns: `nil` if the place is not among them.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        let later: ArraySlice<StoredRecord>
        if token == beginning {
            later = records
        } else {
            guard let index = records.firstIndex(where: { $0.token == token }) else { return nil }
            later = records[(index + 1)...]
        }
        return Array(later.prefix(limit).prefix { isTold($0.token) })
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
