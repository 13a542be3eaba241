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

extension SettingTree {
    /// Takes mutations back, the last one first.
    package mutating func takeBack(_ mutations: [StoredMutation]) {
        for mutation in mutations.reversed() { self[mutation.key] = mutation.oldValue }
    }
}
