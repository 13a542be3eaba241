/// Tells single transactions apart that are stored as one batch.
///
/// Pure: it is given the transactions as the log has them, what the batch stores, and what stood there before. What it
/// says adds up to exactly what the batch does, whatever has become of single values: those that were given up or can't
/// be encoded are left out, and what no transaction explains is counted with the last one.
struct TransactionListing {
    /// One transaction, oldest first.
    struct Item {
        var time: Double
        var author: String?
        var origin: Origin
        var undone: ChangeToken?
        /// The new value of each key, in the order in which they were written; `nil` if the key is no longer stored.
        var writes: [(key: SettingKey, old: SettingValue?, new: SettingValue?)]
    }

    private var state = SettingTree()
    private let values: [SettingKey: SettingValue?]
    private let keys: Set<SettingKey>
    private let overlaps: Bool

    /// - Parameters:
    ///   - values: What is stored at each key after the batch.
    ///   - before: What stood there before.
    init(_ values: [SettingKey: SettingValue?], replacing before: [SettingKey: SettingValue]) {
        self.values = values
        keys = Set(values.keys)
        overlaps = !values.keys.grouped(within: { values[$0] != nil }).isEmpty
        for key in values.keys.sorted() { if let value = before[key] { state[key] = value } }
    }

    /// The transactions to store.
    ///
    /// - Parameters:
    ///   - items: The newest transactions.
    ///   - count: How many there were. If there were more, one more stands for all that came before the items.
    ///   - author: Who made them.
    mutating func transactions(
        _ items: [Item], of count: UInt64, by author: TransactionAuthor, batchAuthor: String?, now: Double
    ) -> [StoredTransaction] {
        var result: [StoredTransaction] = []
        let missing = count - min(count, UInt64(items.count))
        if missing > 0 {
            let transaction = StoredTransaction(
                time: items.first?.time ?? now, author: author.named(items.isEmpty ? batchAuthor : nil), origin: .local,
                count: missing, mutations: items.isEmpty ? [] : mutations(before: items))
            result.append(transaction)
        }
        for item in items {
            result.append(
                StoredTransaction(
                    time: item.time, author: author.named(item.author), origin: item.origin, undone: item.undone,
                    mutations: mutations(of: item)))
        }
        let rest = mutationsOfRest()
        if !rest.isEmpty, let last = result.indices.last {
            result[last].mutations = Self.joined(result[last].mutations ?? [], with: rest)
        }
        return result
    }

    private mutating func mutations(of item: Item) -> [StoredMutation] {
        var result: [StoredMutation] = []
        for (key, _, new) in item.writes where isStored(key) {
            if let mutation = write(new, at: key) { result = Self.joined(result, with: [mutation]) }
        }
        return result.sorted { $0.key < $1.key }
    }

    /// What was written before some transactions, as far as these say what they have replaced.
    private mutating func mutations(before items: [Item]) -> [StoredMutation] {
        var known: Set<SettingKey> = []
        var result: [StoredMutation] = []
        for item in items {
            for (key, old, _) in item.writes where isStored(key) && known.insert(key).inserted {
                if let mutation = write(old, at: key) { result.append(mutation) }
            }
        }
        for key in keys.sorted() where !known.contains(key) {
            if let mutation = write(values[key] ?? nil, at: key) { result.append(mutation) }
        }
        return result.sorted { $0.key < $1.key }
    }

    /// What no transaction explains.
    private mutating func mutationsOfRest() -> [StoredMutation] {
        keys.sorted().compactMap { write(values[$0] ?? nil, at: $0) }
    }

    private mutating func write(_ value: SettingValue?, at key: SettingKey) -> StoredMutation? {
        let old = state[key]
        guard old != value else { return nil }
        state[key] = value
        return StoredMutation(key: key, oldValue: old, newValue: value)
    }

    /// Whether the batch stores something at a key, or at one around or within it.
    private func isStored(_ key: SettingKey) -> Bool {
        if keys.contains(key) { return true }
        return overlaps && (key.parents.contains(where: keys.contains) || keys.contains { $0.isWithin(key) })
    }

    /// Puts later mutations of the same transaction behind earlier ones: each key has one.
    private static func joined(_ mutations: [StoredMutation], with later: [StoredMutation]) -> [StoredMutation] {
        var result = mutations
        for mutation in later {
            if let index = result.firstIndex(where: { $0.key == mutation.key }) {
                result[index].newValue = mutation.newValue
                if result[index].oldValue == result[index].newValue { result.remove(at: index) }
            } else {
                result.append(mutation)
            }
        }
        return result.sorted { $0.key < $1.key }
    }
}
