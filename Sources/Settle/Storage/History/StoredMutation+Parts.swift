extension StoredMutation {
    /// What it did at a key: all of it if its own key is that one or lies within it, and a part if it is around it;
    /// `nil` if nothing.
    package func part(at inner: SettingKey) -> StoredMutation? {
        if key == inner || key.isWithin(inner) { return self }
        guard inner.isWithin(key) else { return nil }
        if isWithheld { return self }
        let (old, new) = (part(of: oldValue, at: inner), part(of: newValue, at: inner))
        return old == new ? nil : StoredMutation(key: inner, oldValue: old, newValue: new)
    }

    private func part(of value: SettingValue?, at inner: SettingKey) -> SettingValue? {
        var tree = SettingTree()
        tree[key] = value
        return tree[inner]
    }
}

extension StoredTransaction {
    /// What it did at some keys, within them, and in dictionaries around them.
    package func mutations(at keys: [SettingKey]) -> [StoredMutation] {
        (mutations ?? []).flatMap { mutation in
            let parts = keys.compactMap(mutation.part)
            return parts.first { $0.key == mutation.key }.map { [$0] } ?? parts
        }
    }
}

extension [StoredTransaction] {
    /// The same with the old values that stand there now: others may have stored some that the store did not know yet.
    package func rebased(over tree: SettingTree) -> [StoredTransaction] {
        var tree = tree
        return map { transaction in
            var transaction = transaction
            transaction.mutations = transaction.mutations?.compactMap { mutation in
                let old = tree[mutation.key]
                guard old != mutation.newValue else { return nil }
                tree[mutation.key] = mutation.newValue
                return StoredMutation(key: mutation.key, oldValue: old, newValue: mutation.newValue)
            }
            return transaction
        }
    }
}

extension SettingTree {
    /// Takes mutations back, the last one first.
    package mutating func takeBack(_ mutations: [StoredMutation]) {
        for mutation in mutations.reversed() { self[mutation.key] = mutation.oldValue }
    }
}

extension [StoredMutation] {
    /// The outermost keys of a transaction, with what its mutations of inner keys have done to them.
    var outermost: [(key: SettingKey, old: SettingValue?, new: SettingValue?)] {
        var outer: [StoredMutation] = []
        var outerKeys: Set<SettingKey> = []
        var after = SettingTree()
        // A key comes before those within it.
        for mutation in sorted(by: \.key) {
            if !mutation.key.parents.contains(where: outerKeys.contains) {
                outerKeys.insert(mutation.key)
                outer.append(mutation)
            }
            after[mutation.key] = mutation.newValue
        }
        return outer.map { ($0.key, $0.oldValue, after[$0.key]) }
    }
}
