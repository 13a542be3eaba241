import Settle

/// What has to be written so that some values become others.
struct ValueChanges {
    struct Change: Equatable, CustomStringConvertible {
        var key: SettingKey
        var old: SettingValue?
        var new: SettingValue?

        var description: String { line(hidesValues: false) }

        func line(hidesValues: Bool) -> String {
            func shown(_ value: SettingValue?) -> String { value.map { hidesValues ? "••••" : $0.line } ?? "nothing" }
            return "\(key): \(shown(old)) → \(shown(new))"
        }
    }

    /// In the order of the keys.
    private(set) var list: [Change] = []

    init(from old: SettingTree, to new: SettingTree) {
        compare(old.root, new.root, below: nil)
        list.sort { $0.key < $1.key }
    }

    private mutating func compare(
        _ old: SettingValue.Entries, _ new: SettingValue.Entries, below outer: SettingKey?
    ) {
        for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
            guard let key = outer?.appending(component: name) ?? SettingKey(components: [name]) else { continue }
            switch (old[name], new[name]) {
            case (.dictionary(let old)?, .dictionary(let new)?): compare(old, new, below: key)
            // Each setting has a key of its own in the cluster.
            case (nil, .dictionary(let new)?) where !new.isEmpty: compare([:], new, below: key)
            case (let old, let new): list.append(Change(key: key, old: old, new: new))
            }
        }
    }

    /// Writes them. In a transaction.
    func write(to store: SettingsStore) throws {
        for change in list where change.new == nil { try store.keys.removeValue(forKey: change.key) }
        for change in list {
            if let new = change.new { try store.keys.setValue(new, forKey: change.key) }
        }
    }
}
