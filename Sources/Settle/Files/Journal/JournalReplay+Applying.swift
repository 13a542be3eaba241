extension JournalReplay {
    /// Applies the batches to the file's values.
    ///
    /// If the file was edited, each key is decided alone. A value that the key has had since the last checkpoint is no
    /// edit, and the newest journaled value replaces it; any other value is an edit, and stays. An edited dictionary is
    /// decided key by key.
    ///
    /// - Parameters:
    ///   - tree: The file's values.
    ///   - isSame: Whether two stored values mean the same, although a file may have spelled one of them differently.
    /// - Returns: The keys whose own value in the file has won over a journaled one, sorted.
    package func apply(
        to tree: inout SettingTree, isSame: (SettingValue?, SettingValue?) -> Bool
    ) -> [SettingKey] {
        guard match == .current else {
            var decided = KeyHistories(batches)
            var edited = decided.edited(in: tree, isSame)
            var batches = batches
            let parted = decided.dictionaries(in: tree, edited)
            if !parted.isEmpty {
                batches = batches.map { decided.part($0, at: parted) }
                decided = KeyHistories(batches)
                edited = decided.edited(in: tree, isSame)
            }
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
    private var values: [SettingKey: [SettingValue?]] = [:]

    init(_ batches: [JournalBatch]) {
        // Collect the keys first: a tree holds values for keys of later batches too.
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

    /// The keys of dictionaries to decide key by key: edited ones, and those that the journal has both as a whole and
    /// in part. Whichever came second, its value before says nothing about the file.
    func dictionaries(in tree: SettingTree, _ edited: Set<SettingKey>) -> Set<SettingKey> {
        var candidates = edited
        for key in values.keys { candidates.formUnion(key.parents) }
        return candidates.filter { isDictionary($0, in: tree) }
    }

    /// Whether a key has only had dictionaries or no value, and the same is true in the file.
    private func isDictionary(_ key: SettingKey, in tree: SettingTree) -> Bool {
        var hasBeenDictionary = false
        for value in values[key] ?? [] {
            switch value {
            case .dictionary: hasBeenDictionary = true
            case nil: break
            default: return false
            }
        }
        switch tree[key] {
        case .dictionary, nil: return hasBeenDictionary
        default: return false
        }
    }

    /// Splits a batch's entries for dictionaries into one entry for each key in them.
    func part(_ batch: JournalBatch, at keys: Set<SettingKey>) -> JournalBatch {
        var batch = batch
        batch.entries = batch.entries.flatMap { entry -> [JournalEntry] in
            guard keys.contains(entry.key), let values = values[entry.key] else { return [entry] }
            let inner = Set(
                values.flatMap { value -> [SettingKey] in
                    guard case .dictionary(let inner)? = value else { return [] }
                    return SettingTree(inner).leafKeys
                })
            // An edit may have put a key into an empty dictionary, so an empty one gets no entry.
            return inner.sorted().map { key in
                JournalEntry(
                    key: entry.key.appending(key),
                    value: Self.value(at: key, in: entry.value),
                    before: Self.before(key, entry.before))
            }
        }
        return batch
    }

    private static func value(at key: SettingKey, in dictionary: SettingValue?) -> SettingValue? {
        guard case .dictionary(let values)? = dictionary else { return nil }
        return SettingTree(values)[key]
    }

    private static func before(_ key: SettingKey, _ before: JournalEntry.Before) -> JournalEntry.Before {
        switch before {
        case .unknown: .unknown
        case .absent: .absent
        case .value(let whole): value(at: key, in: whole).map { .value($0) } ?? .absent
        }
    }

    func edited(in tree: SettingTree, _ isSame: (SettingValue?, SettingValue?) -> Bool) -> Set<SettingKey> {
        var edited: Set<SettingKey> = []
        for (key, values) in values {
            let current = tree[key]
            if !values.contains(where: { isSame(current, $0) }) { edited.insert(key) }
        }
        return edited
    }

    func values(of batch: JournalBatch, without edited: Set<SettingKey>) -> [SettingKey: SettingValue?] {
        guard let tree = batch.tree else { return batch.values.filter { !edited.contains($0.key) } }
        var result: [SettingKey: SettingValue?] = [:]
        for key in values.keys where !edited.contains(key) { result.updateValue(tree[key], forKey: key) }
        return result
    }
}

extension SettingTree {
    /// The keys of all values but non-empty dictionaries.
    var leafKeys: [SettingKey] {
        root.flatMap { name, value -> [SettingKey] in
            let key = SettingKey(name: name)
            guard case .dictionary(let inner) = value, !inner.isEmpty else { return [key] }
            return SettingTree(inner).leafKeys.map { key.appending($0) }
        }
    }
}
