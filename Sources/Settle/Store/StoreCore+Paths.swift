/// What is stored at a path.
extension StoreCore {
    func groups(at path: SettingKey?) -> [String] {
        let root = log.lock.withLock {
            // What is not saved yet stands over what is stored.
            var tree = log.tree
            for slot in log.slots(within: path) where slot.box != nil {
                if slot.isStored {
                    if tree[slot.key] == nil { tree[slot.key] = .null }
                } else if log.isUnsaved(slot) {
                    tree[slot.key] = nil
                }
            }
            guard let path else { return tree.root }
            guard case .dictionary(let entries)? = tree[path] else { return [:] }
            return entries
        }
        return root.sortedByKey().compactMap { name, value in
            if case .dictionary = value { name } else { nil }
        }
    }

    func remove(at path: SettingKey, by writer: String?) throws {
        try Self.checkKey(path, of: "remove(at:)")
        try transact(origin: .reset, writer: writer) {
            let (slots, stored) = log.lock.withLock { (log.slots(within: path), log.tree[path]) }
            guard !slots.isEmpty, log.lock.withLock({ log.slots[path] == nil }) else {
                return try box(forKey: path).stageDefault()
            }
            if let owned = slots.filter({ $0.access == .owner }).min(by: { $0.key < $1.key }) {
                throw SettingsError.protected(path, by: owned.key, owned.declaration ?? "")
            }
            for slot in slots { slot.box?.stageDefault() }
            // What no setting has.
            guard case .dictionary(let entries)? = stored else { return }
            let known = Set(slots.map(\.key))
            for inner in SettingTree(entries).leafKeys {
                let key = path.appending(inner)
                guard !known.contains(key), !key.parents.contains(where: known.contains) else { continue }
                try box(forKey: key).stageDefault()
            }
        }
    }
}

extension MutationLog {
    /// The settings within a path. Under the lock.
    fileprivate func slots(within path: SettingKey?) -> [SettingSlot] {
        path.map { slots.within($0) } ?? Array(slots.all)
    }

    /// The key of a setting or of a stored value whose name is a key with its dots, as it stands: it goes before a path. Otherwise
    /// the key itself. Under the lock.
    func resolved(_ key: SettingKey) -> SettingKey {
        guard !key.isPlain, slots[key] == nil else { return key }
        let names = key.components
        guard names.count > 1 else { return key }
        for count in 0..<(names.count - 1) {
            let name = names[count...].joined(separator: ".")
            let outer = SettingKey(components: names[..<count])
            let literal = outer?.appending(component: name) ?? SettingKey(name: name)
            if slots[literal] != nil || tree[literal] != nil { return literal }
        }
        return key
    }
}
