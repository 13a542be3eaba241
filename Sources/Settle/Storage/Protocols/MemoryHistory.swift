#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The history of a storage in memory: the newest records.
struct MemoryHistory {
    /// How much of it is told to those who ask for the past.
    var policy = HistoryPolicy.none {
        didSet { trim() }
    }
    private var beginning = ChangeToken.beginning()
    private var records: ArraySlice<StoredRecord> = []
    private var secrets: Set<SettingKey> = []

    /// How many records are kept at least, for those that go on after a place.
    private static let limit = 1_024

    /// The place of the newest record.
    var end: ChangeToken { records.last?.token ?? beginning }

    /// Adds what has just been stored.
    ///
    /// - Parameters:
    ///   - transactions: What single transactions did, if that is known.
    ///   - count: How many they are.
    ///   - isExternal: Whether no store has made it.
    /// - Returns: Its place.
    mutating func add(
        _ change: ExternalChange, from before: SettingTree, to after: SettingTree, _ transactions: [StoredTransaction],
        count: UInt64, isExternal: Bool
    ) -> ChangeToken {
        var token = end
        token.position += max(1, count)
        token.checksum = .random(in: .min ... .max)
        var list = transactions
        if list.isEmpty {
            let keys: [SettingKey]
            if case .values(let values) = change.content {
                keys = values.keys.sorted()
            } else {
                keys = Set(before.root.keys).union(after.root.keys).sorted().map(SettingKey.init(name:))
            }
            let mutations = keys.filter { before[$0] != after[$0] }.map {
                StoredMutation(key: $0, oldValue: before[$0], newValue: after[$0])
            }
            list = [
                StoredTransaction(
                    time: Date().timeIntervalSinceReferenceDate, author: TransactionAuthor(name: change.author),
                    origin: isExternal ? .external : .local, count: max(1, count), mutations: mutations)
            ]
        }
        records.append(StoredRecord(token: token, transactions: list.map { [secrets] in $0.withholding(secrets) }))
        trim()
        return token
    }

    private mutating func trim() {
        while records.count > max(policy.transactions, Self.limit), let first = records.popFirst() {
            beginning = first.token
        }
    }

    /// See ``HistoryStorage/records(after:limit:)``.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        if token == beginning { return Array(records.prefix(limit)) }
        guard let index = records.firstIndex(where: { $0.token.position >= token.position }) else { return nil }
        if records[index].token == token { return Array(records[(index + 1)...].prefix(limit)) }
        guard let rest = records[index].rest(after: token) else { return nil }
        return [rest] + records[(index + 1)...].prefix(limit - 1)
    }

    /// See ``HistoryStorage/records(before:limit:)``.
    func records(before token: ChangeToken?, limit: Int) -> [StoredRecord] {
        policy.told(
            Array(records), before: token, end: end, limit: limit, now: Date().timeIntervalSinceReferenceDate)
    }

    mutating func withhold(_ keys: [SettingKey]) {
        secrets.formUnion(keys)
        change { [keys = Set(keys)] in $0.withholding(keys) }
    }

    mutating func forget(_ key: SettingKey) { change { $0.forgetting(key) } }

    private mutating func change(_ change: (StoredTransaction) -> StoredTransaction) {
        for index in records.indices { records[index].transactions = records[index].transactions.map(change) }
    }
}
