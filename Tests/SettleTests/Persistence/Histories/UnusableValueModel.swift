import Settle

/// What is stored, what is in force, and what the history has to tell.
struct UnusableValueModel {
    struct Change: Equatable {
        var old: SettingValue?
        var new: SettingValue?
    }

    enum Undo: Equatable {
        /// With the keys that are put back, and the conflicts.
        case done([String], conflicts: [String])
        /// An earlier value can't be used.
        case refused
    }

    /// What the file has.
    private(set) var stored: [String: SettingValue] = [:]
    /// The last good values; without one, the default is in force.
    private(set) var good: [String: Int] = [:]
    /// What each transaction has changed, the oldest one first.
    private(set) var entries: [[String: Change]] = []

    var inForce: [String: Int] { UnusableValueSettings.defaults.merging(good) { $1 } }

    static func usable(_ value: SettingValue?) -> Int? {
        guard case .integer(let number)? = value, (0...20).contains(number) else { return nil }
        return Int(number)
    }

    func isUnusable(_ key: String) -> Bool { stored[key] != nil && Self.usable(stored[key]) == nil }

    /// A program writes values that keep the rule. Where nothing is stored, the default is no change.
    mutating func write(_ values: [String: Int]) {
        let changes = values.filter { stored[$0.key] != nil || $0.value != UnusableValueSettings.defaults[$0.key] }
        change(changes.mapValues { .integer(Int64($0)) })
    }

    /// Somebody edits the file, in which anything may be written.
    ///
    /// - Parameter isJoined: Whether nobody has read the file since the edit before, so that both are one transaction.
    mutating func edit(_ key: String, _ value: SettingValue?, isJoined: Bool) {
        let count = entries.count
        change([key: value])
        guard isJoined, entries.count > count, let last = entries.popLast() else { return }
        entries[entries.count - 1].merge(last) { $1 }
    }

    mutating func remove(_ keys: [String]) {
        change(Dictionary(uniqueKeysWithValues: keys.map { ($0, SettingValue?.none) }))
    }

    /// Takes a transaction back.
    mutating func undo(_ entry: Int, force: Bool) -> Undo {
        var (values, conflicts): ([String: SettingValue?], [String]) = ([:], [])
        for (key, change) in entries[entry] {
            let now = stored[key]
            if now != change.new, !force { conflicts.append(key) }
            guard now == change.new || force, now != change.old else { continue }
            if change.old != nil, Self.usable(change.old) == nil { return .refused }
            values.updateValue(change.old, forKey: key)
        }
        change(values)
        return .done(values.keys.sorted(), conflicts: conflicts.sorted())
    }

    private mutating func change(_ values: [String: SettingValue?]) {
        var entry: [String: Change] = [:]
        for (key, value) in values {
            if stored[key] != value { entry[key] = Change(old: stored[key], new: value) }
            stored[key] = value
            // An unusable value leaves the last good one in force.
            if value == nil || Self.usable(value) != nil { good[key] = Self.usable(value) }
        }
        if !entry.isEmpty { entries.append(entry) }
    }
}
