#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The history of a storage in memory: the newest records.
struct MemoryHistory {
    /// How much of it is reported to callers who ask for the history.
    var policy = HistoryPolicy.none {
        didSet { ring.limit = max(policy.transactions, Self.limit) }
    }
    private var ring: RecordRing<StoredRecord>
    private(set) var secrets: Set<SettingKey> = []

    /// The minimum number of records, for followers that resume after a token.
    private static let limit = 1_024

    /// The token of the newest record.
    private(set) var end = ChangeToken.beginning()

    init() { ring = RecordRing(limit: Self.limit, after: end) }

    /// Adds a change that has just been stored.
    ///
    /// - Parameters:
    ///   - transactions: The single transactions, if they are known.
    ///   - count: How many they are.
    ///   - isExternal: Whether it was made without a store.
    /// - Returns: Its token.
    mutating func add(
        _ change: ExternalChange, from before: SettingTree, to after: SettingTree, _ transactions: [StoredTransaction],
        count: UInt64, isExternal: Bool
    ) -> ChangeToken {
        end.position += max(1, count)
        end.checksum = .random(in: .min ... .max)
        let values: [SettingKey: SettingValue?]? = if case .values(let values) = change.content { values } else { nil }
        var list = transactions.rebased(over: before, storing: values ?? [:])
        if list.isEmpty {
            let keys =
                values?.keys.sorted()
                ?? Set(before.root.keys).union(after.root.keys).sorted().map(SettingKey.init(name:))
            let mutations = keys.filter { before[$0] != after[$0] }.map {
                StoredMutation(key: $0, oldValue: before[$0], newValue: after[$0])
            }
            list = [
                StoredTransaction(
                    time: Date().timeIntervalSinceReferenceDate, author: TransactionAuthor(name: change.author),
                    origin: isExternal ? .external : .local, count: max(1, count), mutations: mutations)
            ]
        }
        ring.append([StoredRecord(token: end, transactions: list.map { [secrets] in $0.withholding(secrets) })])
        return end
    }

    /// See ``HistoryStorage/records(after:limit:)``.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        ring.records(after: token, limit: limit) { $0 }
    }

    /// See ``HistoryStorage/records(before:limit:)``.
    func records(before token: ChangeToken?, limit: Int) -> [StoredRecord] {
        policy.told(
            Array(ring.records), before: token, end: end, limit: limit, now: Date().timeIntervalSinceReferenceDate)
    }

    mutating func withhold(_ keys: [SettingKey]) {
        secrets.formUnion(keys)
        change { [keys = Set(keys)] in $0.withholding(keys) }
    }

    mutating func forget(_ key: SettingKey) { change { $0.forgetting(key) } }

    private mutating func change(_ change: (StoredTransaction) -> StoredTransaction) {
        ring.change { $0.transactions = $0.transactions.map(change) }
    }
}
