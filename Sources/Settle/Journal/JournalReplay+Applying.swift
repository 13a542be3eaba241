extension JournalReplay {
    /// Puts the batches over the file's values.
    ///
    /// If the file was edited, each key is decided alone: a value that the key has had since the last checkpoint was not
    /// edited, and the newest one replaces it; any other value was, and stays.
    ///
    /// - Parameters:
    ///   - tree: The file's values.
    ///   - isSame: Whether two stored values mean the same, although a file may have spelled one of them in another way.
    /// - Returns: The keys whose own value in the file has won over a journaled one, sorted.
    package func apply(
        to tree: inout SettingTree, isSame: (SettingValue?, SettingValue?) -> Bool
    ) -> [String] {
        guard match == .current else {
            var decided = KeyHistories()
            decided.add(batches)
            let edited = decided.edited(in: tree, isSame)
            for batch in batches { tree.apply(decided.values(of: batch, without: edited)) }
            return edited.sorted()
        }
        for batch in batches {
            if let replacement = batch.tree {
                tree = replacement
            } else {
                tree.apply(batch.values)
            }
        }
        return []
    }
}

/// The values that keys have had since the last checkpoint.
private struct KeyHistories {
    private var values: [String: [SettingValue?]] = [:]

    mutating func add(_ batches: [JournalBatch]) {
        // Keys first: a tree says something about those of later batches too.
        for batch in batches { addKeys(of: batch) }
        for batch in batches {
            if let tree = batch.tree {
                for key in values.keys { values[key]?.append(tree[key]) }
            }
            for entry in batch.entries { values[entry.key]?.append(entry.value) }
        }
    }

    private mutating func addKeys(of batch: JournalBatch) {
        for entry in batch.entries where values[entry.key] == nil {
            values[entry.key] =
                switch entry.before {
                case .unknown: []
                case .absent: [nil]
                case .value(let value): [value]
                }
        }
        for key in batch.tree?.leafKeys ?? [] where values[key] == nil { values[key] = [] }
    }

    func edited(in tree: SettingTree, _ isSame: (SettingValue?, SettingValue?) -> Bool) -> Set<String> {
        var edited: Set<String> = []
        for (key, values) in values {
            let current = tree[key]
            if !values.contains(where: { isSame(current, $0) }) { edited.insert(key) }
        }
        return edited
    }

    func values(of batch: JournalBatch, without edited: Set<String>) -> [String: SettingValue?] {
        guard let tree = batch.tree else { return batch.values.filter { !edited.contains($0.key) } }
        var result: [String: SettingValue?] = [:]
        for key in values.keys where !edited.contains(key) { result.updateValue(tree[key], forKey: key) }
        return result
    }
}

extension SettingTree {
    /// The dotted keys of everything that is no dictionary, or an empty one. A name with a dot in it has no dotted key.
    fileprivate var leafKeys: [String] {
        root.flatMap { name, value -> [String] in
            if Self.isNested(name) { return [] }
            guard case .dictionary(let inner) = value, !inner.isEmpty else { return [name] }
            return SettingTree(inner).leafKeys.map { name + "." + $0 }
        }
    }
}
