/// The difference between two trees, as keys.
struct TreeDifference {
    /// Each key that differs, with its values in the old and in the new tree.
    private(set) var changes: [(key: SettingKey, old: SettingValue?, new: SettingValue?)] = []

    private let isSame: (SettingValue, SettingValue) -> Bool

    /// - Parameter isSame: Returns whether two unequal values nevertheless mean the same, because the file's format
    ///   represents them alike.
    init(
        from old: SettingTree, to new: SettingTree,
        isSame: @escaping (SettingValue, SettingValue) -> Bool = { _, _ in false }
    ) {
        self.isSame = isSame
        compare(old.root, new.root, below: nil)
    }

    /// Removes some of the changes.
    ///
    /// - Parameter isLeftOut: Gets a key and its new value.
    mutating func leaveOut(where isLeftOut: (SettingKey, SettingValue?) -> Bool) {
        changes.removeAll { isLeftOut($0.key, $0.new) }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// The changes as a record.
    var batch: JournalBatch {
        JournalBatch(revision: 0, entries: changes.sorted(by: \.key).map { JournalEntry(key: $0.key, value: $0.new) })
    }

    private mutating func compare(
        _ old: SettingValue.Entries, _ new: SettingValue.Entries, below outer: SettingKey?
    ) {
        for (name, oldValue) in old {
            let newValue = new[name]
            if newValue != oldValue { add(name, oldValue, newValue, below: outer) }
        }
        for (name, newValue) in new where old[name] == nil { add(name, nil, newValue, below: outer) }
    }

    private mutating func add(_ name: String, _ old: SettingValue?, _ new: SettingValue?, below outer: SettingKey?) {
        if let old, let new, isSame(old, new) { return }
        let key = outer?.appending(component: name) ?? SettingKey(name: name)
        // Including a whole dictionary that was added or removed, or was empty: others may be adding values to it,
        // which this change must leave alone. A dictionary that has become empty is recorded as such: without its keys
        // it would be removed.
        if let oldEntries = Self.entries(old), let newEntries = Self.entries(new), new != .dictionary([:]),
            !oldEntries.isEmpty || !newEntries.isEmpty
        {
            compare(oldEntries, newEntries, below: key)
        } else {
            changes.append((key, old, new))
        }
    }

    /// - Returns: `nil` if the value can't be compared by its inner keys.
    private static func entries(_ value: SettingValue?) -> SettingValue.Entries? {
        switch value {
        case .dictionary(let entries): entries
        case nil: [:]
        default: nil
        }
    }
}
