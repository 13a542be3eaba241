/// What is stored at a path.
extension StoreCore {
    func groups(at path: SettingKey?) -> [String] {
        let transaction = writer.isHeldByCurrentThread ? transaction : nil
        let root = log.lock.withLock {
            // What is not saved yet stands over what is stored, and what this thread has staged over that.
            var tree = log.tree
            for slot in log.slots(within: path) where slot.box != nil {
                if isStored(slot, in: transaction) {
                    if tree[slot.key] == nil { tree[slot.key] = .null }
                } else if log.isUnsaved(slot) || slot.isStored {
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
            let (slots, stored) = log.lock.withLock {
                let slots = log.slots(within: path)
                for slot in slots { keepInIndex(slot) }
                return (slots, log.tree[path])
            }
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

    /// Where the value of a key is. A declared setting has one place, which every spelling of its key means. For other keys, a name
    /// of a setting or of a stored value that is the key with its dots, as it stands, goes before a path. Under the lock.
    func resolved(_ key: SettingKey) -> SettingKey {
        guard !key.isPlain else { return key }
        if let place = slots.place(of: key) { return place }
        return key.literals.first { slots.placed(at: $0) != nil || tree[$0] != nil } ?? key
    }

    /// Notes what is stored at other spellings of a setting's key than its place. Under the lock.
    func noteSpellings(of slot: SettingSlot) {
        for spelling in slots.otherSpellings(of: slot)
        where tree[spelling] != nil || slots.placed(at: spelling) != nil {
            slots.note(spelling, of: slot)
        }
    }

    /// The spellings of a setting's key besides its place at which something is stored. Under the lock.
    func storedSpellings(of slot: SettingSlot) -> [SettingKey] {
        slots.notedSpellings(of: slot).filter { tree[$0] != nil }
    }
}
