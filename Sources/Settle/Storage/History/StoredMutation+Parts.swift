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
    ///
    /// - Parameter values: What all of them store. What changes only because of what others have stored, such as by a
    ///   removal of what the store took for missing, is counted with the last one.
    package func rebased(
        over tree: SettingTree, storing values: [SettingKey: SettingValue?]
    ) -> [StoredTransaction] {
        var (tree, end) = (tree, tree)
        end.apply(values)
        var result = map { transaction in
            var transaction = transaction
            transaction.mutations = transaction.mutations?.compactMap { mutation in
                let old = tree[mutation.key]
                guard old != mutation.newValue else { return nil }
                tree[mutation.key] = mutation.newValue
                return StoredMutation(key: mutation.key, oldValue: old, newValue: mutation.newValue)
            }
            return transaction
        }
        for key in values.keys.sorted() where tree[key] != end[key] {
            let mutation = StoredMutation(key: key, oldValue: tree[key], newValue: end[key])
            if let last = result.indices.last { result[last].add(mutation) }
            tree[key] = end[key]
        }
        return result
    }
}

extension StoredTransaction {
    /// Adds what was done after all else.
    fileprivate mutating func add(_ mutation: StoredMutation) {
        guard var all = mutations else { return }
        if let index = all.firstIndex(where: { $0.key == mutation.key }) {
            all[index].newValue = mutation.newValue
        } else {
            all.append(mutation)
        }
        mutations = all.sorted(by: \.key)
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
