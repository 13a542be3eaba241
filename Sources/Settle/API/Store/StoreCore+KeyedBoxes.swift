/// Boxes for keys that are known only at run time.
extension StoreCore {
    /// Returns whether a key holds a declared secret, a part of one, or a value with one inside.
    func isSecret(_ key: SettingKey) -> Bool {
        log.lock.withLock { log.stored.isSecret(key) }
    }

    /// Keeps a setting that was written by key in the index until the transaction ends, even if it is saved in the
    /// meantime. Requires the log's lock, and a transaction.
    func keepInIndex(_ slot: SettingSlot) {
        guard slot.declaration == nil, !slot.isInTransaction else { return }
        slot.isInTransaction = true
        transaction?.keyed.append(slot)
    }

    /// Returns the box of an unsaved key that no group declares, if nothing is within it. Requires a transaction.
    ///
    /// No declared setting is around it, because no group opens there in the meantime, and there is nothing else for a
    /// write to replace.
    func unsavedBox(forKey key: SettingKey) -> AnySettingBox? {
        log.lock.withLock {
            guard let slot = log.stored.slots[key], slot.declaration == nil, let box = slot.box,
                box.staged.map({ !$0.isReplaced }) ?? log.unsaved.isUnsaved(slot), log.stored.slots.within(key).isEmpty
            else { return nil }
            keepInIndex(slot)
            return box
        }
    }

    /// Returns the box of a key, created if necessary, and the boxes of keys within it that no group declares. Requires
    /// a transaction.
    func box(forKey key: SettingKey) throws(SettingsError) -> (box: AnySettingBox, inner: [AnySettingBox]) {
        if let lock = log.lock.withLock({ log.stored.lock(concerning: key) }) {
            throw .locked(key, by: lock.domain.name, at: place(of: lock))
        }
        let (used, owned, outer, inner) = log.lock.withLock {
            let (used, inner) = (log.stored.slots[key], log.stored.slots.within(key))
            if let used { keepInIndex(used) }
            for slot in inner { keepInIndex(slot) }
            return (used, log.stored.slots.owned(at: key), log.stored.slots.around(key), inner)
        }
        if let owned { throw .protected(key, by: owned.key, owned.declaration ?? "") }
        if let used, used.declaration != nil, let box = used.box { return (box, []) }
        for slot in outer + inner {
            guard let declaration = slot.declaration else { continue }
            throw .duplicateKey(key, "a write at run time", slot.key, declaration)
        }
        if !outer.isEmpty || !inner.isEmpty { transaction?.hasOverlaps = true }
        let innerBoxes = inner.compactMap(\.box)
        // The value that other threads see at the key, including writes around and within it.
        let before = (try? lookUp(key, isCommitted: true).stored(at: key)) ?? nil
        if let used, let box = used.box {
            log.lock.withLock {
                _ = box.adopt(erased: before ?? .null)
                used.isStored = before != nil
            }
            return (box, innerBoxes)
        }
        return (newBox(forKey: key, before), innerBoxes)
    }

    private func newBox(forKey key: SettingKey, _ stored: SettingValue?) -> AnySettingBox {
        let definition = SettingDefinition(
            key: key.description, defaultValue: SettingValue.null, rules: [],
            codec: SettingCodec(encode: { $0 }, decode: { $0 }))
        let box = SettingBox(definition)
        if let stored { _ = box.adopt(erased: stored) }
        let slot = log.lock.withLock {
            let slot = SettingSlot(
                key: key, declaration: nil, schedule: log.unsaved.schedule(for: configuration.savePolicy),
                isSecret: log.stored.isSecret(key), box: box, parent: log.root)
            keepInIndex(slot)
            slot.isStored = stored != nil
            slot.origin = stored == nil ? .default : .loaded
            log.stored.slots.insert(slot)
            return slot
        }
        if let stored { slot.recordSize(stored.roughSize) }
        if log.lock.withLock({ log.stored.domains.concerns(key) }) {
            box.adoptInForce(isStored: stored != nil, at: key, in: self)
        }
        box.open(at: Placement(in: self, slot: slot))
        return box
    }

    /// Returns the key around another one whose value is not a dictionary, which a write of the inner key replaces.
    /// Requires a transaction.
    func scalar(around key: SettingKey) -> SettingKey? {
        let parents = key.parents
        guard !parents.isEmpty else { return nil }
        return log.lock.withLock {
            var tree = log.stored.tree
            if let outer = log.unsavedValue(around: key, inTransaction: true) {
                tree = SettingTree()
                tree[outer.key] = outer.value
            }
            for parent in parents {
                guard let value = tree[parent] else { return nil }
                if case .dictionary = value { continue }
                // A key that a group declares, or that has declared settings within it, is not replaced.
                let near = log.stored.declared(at: parent) + log.stored.slots.around(parent)
                return near.contains { $0.declaration != nil } ? nil : parent
            }
            return nil
        }
    }

    /// Stages the removal of a key's stored value. Requires a transaction.
    func stageRemoval(of key: SettingKey) throws {
        let (box, inner) = try box(forKey: key)
        let found = lookUp(key)
        // Removing nothing would also remove an empty dictionary around it.
        if found.box == nil, try found.stored(at: key) == nil { return }
        try box.checkReset()
        box.stageDefault()
        for box in inner { box.stageReplaced() }
    }

    /// Returns the value that a newly declared setting finds: the unsaved value written at run time, or else the stored
    /// one. Requires the writer's lock.
    ///
    /// - Returns: Also the slot of the value written at run time.
    func valueForNewSetting(at key: SettingKey) -> (stored: SettingValue?, runtime: SettingSlot?) {
        log.lock.withLock {
            guard let slot = log.stored.slots[key], slot.declaration == nil,
                let box = slot.box as? SettingBox<SettingValue>
            else { return (log.stored.tree[key], nil) }
            return (slot.isStored ? box.published : nil, slot)
        }
    }
}
