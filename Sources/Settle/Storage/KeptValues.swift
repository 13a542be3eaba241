/// Values that stood at keys before somebody put others in their place, for the case that those can't be used.
///
/// A storage does not know types, so it keeps what an edit replaces until the store says which value is in force: then only
/// that one, or none.
package struct KeptValues: Sendable, Hashable {
    /// By key, the newest first.
    package private(set) var values: [SettingKey: [SettingValue]] = [:]
    /// Keys for which a store has said what is in force.
    private var decided: Set<SettingKey> = []
    /// The keys with values, by the keys of the dictionaries around them.
    private var within: [SettingKey: Set<SettingKey>] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    /// How many values a key has at most.
    private static let limit = 4

    /// Adds a value that an edit has replaced.
    package mutating func add(_ value: SettingValue, at key: SettingKey) {
        var list = values[key] ?? []
        if list.first == value { return }
        list.insert(value, at: 0)
        // The oldest may be the one that a store has been using all the time.
        if list.count > Self.limit { list.remove(at: Self.limit - 1) }
        insert(list, at: key)
    }

    /// Keeps only these values at a key, and none within it, as a store has said.
    package mutating func decide(_ list: [SettingValue], at key: SettingKey) {
        remove(at: key)
        guard !list.isEmpty else { return }
        insert(list, at: key)
        decided.insert(key)
    }

    /// - Returns: Whether a store has said something that is not in force any more.
    @discardableResult
    package mutating func remove(at key: SettingKey) -> Bool {
        guard !values.isEmpty else { return false }
        var wasDecided = false
        for key in (within[key] ?? []).union([key]) where values.removeValue(forKey: key) != nil {
            if decided.remove(key) != nil { wasDecided = true }
            for parent in key.parents {
                within[parent]?.remove(key)
                if within[parent]?.isEmpty == true { within[parent] = nil }
            }
        }
        return wasDecided
    }

    /// Whether a value is the only one that is kept at and within a key, because a store has said so.
    package func isDecided(_ value: SettingValue, at key: SettingKey) -> Bool {
        decided.contains(key) && values[key] == [value] && within[key] == nil
    }

    /// What may be used at a key in the place of what is stored there, the likeliest first.
    package func candidates(at key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        guard !values.isEmpty else { return [] }
        var candidates: [SettingValue] = []
        if let inner = within[key] {
            // Only parts of the value were edited.
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

extension KeptValues {
    /// All of it as a record says it: for each key an array of its values. `nil` if there is nothing to say.
    package var batch: JournalBatch? {
        Self.batch(of: values.sorted { $0.key < $1.key }.map { Self.entry($0.key, $0.value) })
    }

    static func batch(of entries: [JournalEntry]) -> JournalBatch? {
        // One more array around a value could be one too many for a reader.
        let entries = entries.filter { JournalBatch(revision: 0, entries: [$0]).tooDeeplyNestedKey == nil }
        return entries.isEmpty ? nil : JournalBatch(revision: 0, entries: entries)
    }

    static func entry(_ key: SettingKey, _ list: [SettingValue]) -> JournalEntry {
        JournalEntry(key: key, value: list.isEmpty ? nil : .array(list), before: .unknown)
    }

    /// Takes over what a record says.
    package mutating func decide(_ batch: JournalBatch) {
        for entry in batch.entries {
            if case .array(let list)? = entry.value { decide(list, at: entry.key) } else { remove(at: entry.key) }
        }
    }
}
