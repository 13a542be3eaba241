extension StoredTransaction {
    /// Returns the transaction without the values of some keys and of the keys within them: it only shows that they
    /// have changed. For ``HistoryStorage/withhold(_:)``.
    ///
    /// - Parameter secrets: The keys.
    public func withholding(_ secrets: Set<SettingKey>) -> StoredTransaction {
        guard let mutations, !secrets.isEmpty else { return self }
        var transaction = self
        var result: [StoredMutation] = []
        var withheld: Set<SettingKey> = []
        for mutation in mutations {
            var mutation = mutation
            if let secret = secrets.outermost(at: mutation.key) {
                withheld.insert(secret)
                continue
            }
            // Only a dictionary can contain a secret, and nearly all values are not dictionaries.
            if mutation.hasDictionary {
                for secret in secrets where secret.isWithin(mutation.key) {
                    if mutation.remove(secret) { withheld.insert(secret) }
                }
            }
            if mutation.isWithheld || mutation.oldValue != mutation.newValue { result.append(mutation) }
        }
        transaction.mutations = (result + withheld.map(StoredMutation.init(withheldAt:))).sorted(by: \.key)
        return transaction
    }

    /// Returns the transaction without any trace of a key and of the keys within it. For
    /// ``HistoryStorage/forgetHistory(of:)``.
    ///
    /// - Parameter key: The key.
    public func forgetting(_ key: SettingKey) -> StoredTransaction {
        var transaction = withholding([key])
        transaction.mutations?.removeAll { $0.key == key }
        return transaction
    }
}

extension Set<SettingKey> {
    /// Returns the key itself or one around it.
    fileprivate func outermost(at key: SettingKey) -> SettingKey? {
        key.parents.first(where: contains) ?? (contains(key) ? key : nil)
    }
}

extension StoredMutation {
    fileprivate var hasDictionary: Bool {
        [oldValue, newValue].contains { if case .dictionary? = $0 { true } else { false } }
    }

    /// Removes the value at a key within this one from both values.
    ///
    /// - Returns: Whether they have changed.
    fileprivate mutating func remove(_ inner: SettingKey) -> Bool {
        let (old, new) = (Self.remove(inner, from: &oldValue, at: key), Self.remove(inner, from: &newValue, at: key))
        return old != new
    }

    /// - Returns: The removed value.
    private static func remove(
        _ inner: SettingKey, from value: inout SettingValue?, at key: SettingKey
    ) -> SettingValue? {
        guard let whole = value else { return nil }
        var tree = SettingTree()
        tree[key] = whole
        guard let removed = tree[inner] else { return nil }
        tree[inner] = nil
        value = tree[key]
        return removed
    }
}
