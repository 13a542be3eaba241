/// What has changed from one tree to another, as dotted keys.
struct TreeDifference {
    /// Each key that differs, with its values in the old and in the new tree.
    private(set) var changes: [(key: String, old: SettingValue?, new: SettingValue?)] = []
    /// Whether something differs that no dotted key names: a key with a dot of its own at the top level.
    private(set) var exceedsKeys = false

    private let isSame: (SettingValue, SettingValue) -> Bool

    /// - Parameter isSame: Whether two values that are not equal mean the same nevertheless, because the file's format spells
    ///   them alike.
    init(
        from old: SettingTree, to new: SettingTree,
        isSame: @escaping (SettingValue, SettingValue) -> Bool = { _, _ in false }
    ) {
        self.isSame = isSame
        for name in Set(old.root.keys).union(new.root.keys) where old.root[name] != new.root[name] {
            if !add(name, old.root[name], new.root[name], below: "") { exceedsKeys = true }
        }
    }

    /// Leaves out empty dictionaries that are new.
    mutating func leaveOutNewEmptyDictionaries(where isLeftOut: (String) -> Bool) {
        changes.removeAll { $0.old == nil && $0.new == .dictionary([:]) && isLeftOut($0.key) }
    }

    var isEmpty: Bool { changes.isEmpty && !exceedsKeys }

    /// The changes as a record says them.
    var batch: JournalBatch {
        let entries = changes.sorted { $0.key < $1.key }.map { change in
            JournalEntry(key: change.key, value: change.new, before: change.old.map { .value($0) } ?? .absent)
        }
        return JournalBatch(revision: 0, writer: nil, entries: entries, tree: nil)
    }

    /// - Returns: Whether dotted keys can name all that differs.
    private mutating func compare(
        _ old: [String: SettingValue], _ new: [String: SettingValue], below prefix: String
    ) -> Bool {
        let countBefore = changes.count
        for (name, oldValue) in old {
            let newValue = new[name]
            guard newValue != oldValue else { continue }
            guard add(name, oldValue, newValue, below: prefix) else {
                changes.removeLast(changes.count - countBefore)
                return false
            }
        }
        for (name, newValue) in new where old[name] == nil {
            guard add(name, nil, newValue, below: prefix) else {
                changes.removeLast(changes.count - countBefore)
                return false
            }
        }
        return true
    }

    private mutating func add(_ name: String, _ old: SettingValue?, _ new: SettingValue?, below prefix: String) -> Bool
    {
        if let old, let new, isSame(old, new) { return true }
        guard !name.utf8.contains(0x2E) else { return false }
        let key = prefix + name
        // Also a whole dictionary that has come or gone, or was empty: others may be adding to it what this change must leave
        // alone. One that has become empty is told as that: without its keys it would be gone.
        if let oldEntries = Self.entries(old), let newEntries = Self.entries(new), new != .dictionary([:]),
            !oldEntries.isEmpty || !newEntries.isEmpty, compare(oldEntries, newEntries, below: key + ".")
        {
            return true
        }
        changes.append((key, old, new))
        return true
    }

    /// - Returns: `nil` if the value can't be told apart by its inner keys.
    private static func entries(_ value: SettingValue?) -> [String: SettingValue]? {
        switch value {
        case .dictionary(let entries): entries
        case nil: [:]
        default: nil
        }
    }
}
