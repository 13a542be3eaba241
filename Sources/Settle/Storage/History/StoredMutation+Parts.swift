extension StoredMutation {
    /// Returns what it did at a key: all of it if its own key is that one or lies within it, a part if its own key is
    /// around it, and `nil` if it did nothing there.
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
    /// Returns what the transaction did at some keys, within them, and in dictionaries around them.
    package func mutations(at keys: [SettingKey]) -> [StoredMutation] {
        (mutations ?? []).flatMap { mutation in
            let parts = keys.compactMap(mutation.part)
            return parts.first { $0.key == mutation.key }.map { [$0] } ?? parts
        }
    }
}

extension [StoredTransaction] {
    /// Returns the same transactions with the old values that are stored now: others may have stored values that the
    /// store did not know yet.
    ///
    /// - Parameter values: The result of all of them. A change that only comes from what others have stored, for
    ///   example the removal of a value that the store took for missing, is counted with the last transaction.
    package func rebased(
        over tree: SettingTree, storing values: [SettingKey: SettingValue?]
    ) -> [StoredTransaction] {
        var tree = tree
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
        result.joinRest(tree.mutations(storing: values))
        return result
    }

    /// Counts the mutations that no transaction explains with the last one.
    mutating func joinRest(_ rest: [StoredMutation]) {
        guard !rest.isEmpty, let last = indices.last, let mutations = self[last].mutations else { return }
        self[last].mutations = JoinedMutations(mutations + rest).sorted
    }
}

/// The joint effect of one transaction: each key has one mutation, however often it was written.
struct JoinedMutations {
    private var mutations: [SettingKey: StoredMutation] = [:]

    /// - Parameter mutations: In the order in which they were made.
    init(_ mutations: [StoredMutation] = []) { for mutation in mutations { add(mutation) } }

    /// In the order of the keys.
    var sorted: [StoredMutation] { mutations.values.sorted(by: \.key) }

    /// Adds a mutation that was made after those it has.
    mutating func add(_ mutation: StoredMutation) {
        guard var joined = mutations[mutation.key] else {
            mutations[mutation.key] = mutation
            return
        }
        joined.newValue = mutation.newValue
        mutations[mutation.key] = joined.oldValue == joined.newValue ? nil : joined
    }
}

extension SettingTree {
    /// Returns the mutations that lead from here to some values. A key within another one is stored after that one, so
    /// only all of them together show the result.
    func mutations(storing values: [SettingKey: SettingValue?]) -> [StoredMutation] {
        var (now, end) = (self, self)
        end.apply(values)
        return values.keys.sorted().compactMap { key in
            let (old, new) = (now[key], end[key])
            guard old != new else { return nil }
            now[key] = new
            return StoredMutation(key: key, oldValue: old, newValue: new)
        }
    }

    /// Reverts mutations, the last one first.
    package mutating func takeBack(_ mutations: [StoredMutation]) {
        for mutation in mutations.reversed() { self[mutation.key] = mutation.oldValue }
    }
}

extension [StoredMutation] {
    /// The outermost keys of a transaction, each with its value before and after, including the mutations of inner
    /// keys.
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
