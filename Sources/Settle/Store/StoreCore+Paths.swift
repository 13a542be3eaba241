/// Values stored at a path.
extension StoreCore {
    func groups(at path: SettingKey?) -> [String] {
        let tree = newestTree(at: path)
        let root: SettingValue.Entries
        if let path {
            guard case .dictionary(let entries)? = tree[path] else { return [] }
            root = entries
        } else {
            root = tree.root
        }
        return root.sortedByKey().compactMap { name, value in
            if case .dictionary = value { name } else { nil }
        }
    }

    /// The stored tree, with unsaved values at, around and within a path, or anywhere. For a declared setting it shows
    /// only that there is a value.
    func newestTree(at path: SettingKey?) -> SettingTree {
        let isInTransaction = writer.isHeldByCurrentThread && transaction != nil
        return log.lock.withLock {
            var tree = log.tree
            for value in log.unsavedValues(at: path, inTransaction: isInTransaction) {
                tree[value.key] = value.box == nil ? value.value : tree[value.key] ?? .null
            }
            return tree
        }
    }

    func remove(at path: SettingKey, by author: String?) throws {
        try path.check(for: "remove(at:)")
        try transact(origin: .reset, author: author) {
            let slots = log.lock.withLock { log.slots.within(path).filter { $0.declaration != nil } }
            guard !slots.isEmpty, log.lock.withLock({ log.slots[path] == nil }) else {
                return try stageRemoval(of: path)
            }
            if let owned = slots.filter({ $0.access == .owner }).min(by: { $0.key < $1.key }) {
                throw SettingsError.protected(path, by: owned.key, owned.declaration ?? "")
            }
            let stored = newestTree(at: path)[path]
            for slot in slots { slot.box?.stageDefault() }
            // Stored values that belong to no setting.
            guard case .dictionary(let entries)? = stored else { return }
            let known = Set(slots.map(\.key))
            for inner in SettingTree(entries).leafKeys {
                let key = path.appending(inner)
                guard !known.contains(key), !key.parents.contains(where: known.contains) else { continue }
                try stageRemoval(of: key)
            }
        }
    }
}

extension MutationLog {
    /// The key at which the value of a key is. A declared setting has one place, which every spelling of its key means.
    /// For other keys, a name of a setting or of a stored value that equals the key with its dots takes precedence over
    /// a path. Under the lock.
    func resolved(_ key: SettingKey) -> SettingKey {
        guard !key.isPlain else { return key }
        if let place = slots.place(of: key) { return place }
        return key.literals.first { slots.placed(at: $0) != nil || tree[$0] != nil } ?? key
    }

    /// Records what is stored at spellings of a setting's key other than its place. Under the lock.
    func noteSpellings(of slot: SettingSlot) {
        for spelling in slots.otherSpellings(of: slot)
        where tree[spelling] != nil || slots.placed(at: spelling) != nil {
            slots.note(spelling, of: slot)
        }
    }

    /// The spellings of a setting's key, other than its place, at which something is stored. Under the lock.
    func storedSpellings(of slot: SettingSlot) -> [SettingKey] {
        slots.notedSpellings(of: slot).filter { tree[$0] != nil }
    }
}
