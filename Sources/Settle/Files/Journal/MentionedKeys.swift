/// The keys at, in or around which transactions have values.
///
/// Pure: it is given the transactions.
struct MentionedKeys: Sendable {
    private var keys: Set<SettingKey> = []

    var isEmpty: Bool { keys.isEmpty }

    mutating func add(_ transactions: JournalTransactions) {
        for transaction in transactions.list ?? [] {
            for mutation in transaction.mutations ?? [] where !mutation.isWithheld {
                add(mutation.key)
                addKeys(in: mutation.oldValue, at: mutation.key)
                addKeys(in: mutation.newValue, at: mutation.key)
            }
        }
    }

    private mutating func add(_ key: SettingKey) {
        guard keys.insert(key).inserted else { return }
        keys.formUnion(key.parents)
    }

    private mutating func addKeys(in value: SettingValue?, at key: SettingKey) {
        guard case .dictionary(let entries)? = value else { return }
        for (name, value) in entries {
            let inner = key.appending(component: name)
            keys.insert(inner)
            addKeys(in: value, at: inner)
        }
    }

    /// Returns whether they have a value of one of these keys, or of a key in it.
    func contains(anyOf others: Set<SettingKey>) -> Bool { others.contains(where: keys.contains) }
}
