/// Values that an edit has replaced, in case the replacements can't be used.
///
/// A storage does not know types. So it preserves the replaced values until the store decides which one is in force;
/// then it preserves only that one, or none.
package struct LastGoodValues: Sendable, Equatable {
    /// The preserved values by key, newest first.
    package private(set) var values: [SettingKey: [SettingValue]] = [:]
    /// Keys for which a store has decided which value is in force.
    private var decided: Set<SettingKey> = []
    /// The keys with preserved values, by the keys of the dictionaries around them.
    private var within: [SettingKey: Set<SettingKey>] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    /// The maximum number of values per key.
    private static let limit = 4

    /// Adds a value that an edit has replaced.
    package mutating func add(_ value: SettingValue, at key: SettingKey) {
        var list = values[key] ?? []
        if list.first == value { return }
        list.insert(value, at: 0)
        // Keep the oldest: it may be the one that a store has been using all along.
        if list.count > Self.limit { list.remove(at: Self.limit - 1) }
        insert(list, at: key)
    }

    /// Preserves only these values at a key, and none within it, because a store has decided so.
    package mutating func decide(_ list: [SettingValue], at key: SettingKey) {
        remove(at: key)
        guard !list.isEmpty else { return }
        insert(list, at: key)
        decided.insert(key)
    }

    /// - Returns: Whether this discards a store's decision.
    @discardableResult
    package mutating func remove(at key: SettingKey) -> Bool {
        guard !values.isEmpty else { return false }
        var wasDecided = false
        for key in (within[key] ?? []).union([key]) where values.removeValue(forKey: key) != nil {
            if decided.remove(key) != nil { wasDecided = true }
            removeFromParents(key)
        }
        return wasDecided
    }

    /// Preserves only the values that a store has decided to be in force.
    package mutating func removeUndecided() {
        for key in values.keys where !decided.contains(key) {
            values[key] = nil
            removeFromParents(key)
        }
    }

    private mutating func removeFromParents(_ key: SettingKey) {
        for parent in key.parents {
            within[parent]?.remove(key)
            if within[parent]?.isEmpty == true { within[parent] = nil }
        }
    }

    /// Returns whether a value is the only one preserved at and within a key because a store has decided so.
    package func isDecided(_ value: SettingValue, at key: SettingKey) -> Bool {
        decided.contains(key) && values[key] == [value] && within[key] == nil
    }

    /// Returns the candidates to use at a key instead of the stored value, likeliest first.
    package func candidates(at key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        guard !values.isEmpty else { return [] }
        var candidates: [SettingValue] = []
        if let inner = within[key] {
            // The edit may have replaced only parts of the value.
            var tree = SettingTree()
            tree[key] = stored
            for part in inner.sorted() { tree[part] = values[part]?.first }
            if let whole = tree[key] { candidates.append(whole) }
        }
        return candidates + (values[key] ?? [])
    }

    private mutating func insert(_ list: [SettingValue], at key: SettingKey) {
        if values.updateValue(list, forKey: key) != nil { return }
        for parent in key.parents { within[parent, default: []].insert(key) }
    }
}

// MARK: In a journal

extension LastGoodValues {
    /// All values as the batch of a record: for each key an array of its values. `nil` if there is nothing to record.
    package var batch: JournalBatch? {
        Self.batch(of: values.sorted(by: \.key).map { Self.entry($0.key, $0.value) })
    }

    static func batch(of entries: [JournalEntry]) -> JournalBatch? {
        // The array around the values adds a level, which could exceed a reader's limit.
        let entries = entries.filter { JournalBatch(revision: 0, entries: [$0]).tooDeeplyNestedKey == nil }
        return entries.isEmpty ? nil : JournalBatch(revision: 0, entries: entries)
    }

    static func entry(_ key: SettingKey, _ list: [SettingValue]) -> JournalEntry {
        JournalEntry(key: key, value: list.isEmpty ? nil : .array(list))
    }

    /// Adopts the decisions of a record.
    package mutating func decide(_ batch: JournalBatch) {
        for entry in batch.entries {
            if case .array(let list)? = entry.value { decide(list, at: entry.key) } else { remove(at: entry.key) }
        }
    }
}
