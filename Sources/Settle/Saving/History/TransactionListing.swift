/// Separates the transactions that are stored as one batch.
///
/// Pure: it is given the transactions as the log has them, the batch's values, and the values before. Its result adds
/// up to exactly the effect of the batch, whatever has become of single values: those that were given up or can't be
/// encoded are left out, and changes that no transaction explains are counted with the last one.
struct TransactionListing {
    /// One transaction, oldest first.
    struct Item {
        var time: Double
        var author: String?
        var origin: ValueOrigin
        var undone: ChangeToken?
        var reason: String?
        /// The new value of each key, in the order in which they were written; `nil` if the key is no longer stored.
        var writes: [(key: SettingKey, old: SettingValue?, new: SettingValue?)]
    }

    private var state = SettingTree()
    private let values: [SettingKey: SettingValue?]
    private let keys: Set<SettingKey>
    private let overlaps: Bool
    /// The keys around those of the batch, if some of these lie within each other; otherwise none.
    private let outer: Set<SettingKey>

    /// - Parameters:
    ///   - values: The values at each key after the batch.
    ///   - before: The values before.
    init(_ values: [SettingKey: SettingValue?], replacing before: [SettingKey: SettingValue]) {
        self.values = values
        keys = Set(values.keys)
        let overlaps = values.keys.contains { $0.parents.contains { values[$0] != nil } }
        outer = overlaps ? Set(values.keys.flatMap(\.parents)) : []
        self.overlaps = overlaps
        for key in values.keys.sorted() { if let value = before[key] { state[key] = value } }
    }

    /// Returns the transactions to store.
    ///
    /// - Parameters:
    ///   - items: The newest transactions.
    ///   - count: How many there were. If there were more, an additional one stands for all before the items.
    ///   - author: Their author.
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
                    reason: item.reason, mutations: mutations(of: item)))
        }
        result.joinRest(state.mutations(storing: values))
        return result
    }

    private mutating func mutations(of item: Item) -> [StoredMutation] {
        var joined = JoinedMutations()
        for (key, _, new) in item.writes where isStored(key) {
            if let mutation = write(new, at: key) { joined.add(mutation) }
        }
        return joined.sorted
    }

    /// Returns what was written before some transactions, as far as their replaced values show it.
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
        return result.sorted(by: \.key)
    }

    @inline(never) private mutating func write(_ value: SettingValue?, at key: SettingKey) -> StoredMutation? {
        let old = state[key]
        guard old != value else { return nil }
        state[key] = value
        return StoredMutation(key: key, oldValue: old, newValue: value)
    }

    /// Returns whether the batch stores something at a key, or at one around or within it.
    private func isStored(_ key: SettingKey) -> Bool {
        if keys.contains(key) { return true }
        return overlaps && (outer.contains(key) || key.parents.contains(where: keys.contains))
    }
}
