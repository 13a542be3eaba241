/// What stands behind keys that are known at run time only.
extension StoreCore {
    /// Whether what is stored at a key is a declared secret, or a part of one, or has one inside.
    func isSecret(_ key: SettingKey) -> Bool {
        log.lock.withLock { log.slots.isSecret(key) }
    }

    /// Whether a key is known that no group declares.
    var hasUndeclaredKeys: Bool {
        log.lock.withLock { log.slots.all.contains { $0.declaration == nil } }
    }

    /// Keeps a setting that was written by key in the index until the transaction ends, also if it is saved meanwhile. Under the
    /// log's lock, in a transaction.
    func keepInIndex(_ slot: SettingSlot) {
        guard slot.declaration == nil, !slot.isInTransaction else { return }
        slot.isInTransaction = true
        transaction?.noteKeyed(slot)
    }

    /// The box of a key, made if there is none. In a transaction.
    func box(forKey key: SettingKey) throws(SettingsError) -> AnySettingBox {
        let (used, owned, neighbour) = log.lock.withLock {
            let used = log.slots[key]
            if let used { keepInIndex(used) }
            return (used, log.slots.owned(at: key), log.slots.neighbour(of: key))
        }
        if let owned { throw .protected(key, by: owned.key, owned.declaration ?? "") }
        if let box = used?.box { return box }
        if let neighbour {
            throw .duplicateKey(key, "a write at run time", neighbour.key, neighbour.declaration ?? "another one")
        }
        let definition = SettingDefinition(
            key: key.description, defaultValue: SettingValue.null, rules: [],
            codec: SettingCodec(encode: { $0 }, decode: { $0 }))
        let box = SettingBox(definition)
        let stored = log.lock.withLock { log.tree[key] }
        if let stored { _ = box.adopt(erased: stored) }
        let slot = log.lock.withLock {
            let slot = SettingSlot(
                key: key, declaration: nil, schedule: log.schedule(for: configuration.durability),
                isSecret: log.slots.isSecret(key), box: box, parent: log.root)
            keepInIndex(slot)
            slot.isStored = stored != nil
            slot.origin = stored == nil ? .default : .loaded
            log.slots.insert(slot)
            return slot
        }
        if let stored { slot.noteSize(stored.roughSize) }
        box.open(at: Attachment(core: self, slot: slot))
        return box
    }

    /// The value that a setting which is about to be declared finds: what was written at run time and is not saved yet, or else
    /// what is stored. Under the writer's lock.
    ///
    /// - Returns: Also the place of what was written at run time.
    func valueForNewSetting(at key: SettingKey) -> (stored: SettingValue?, runtime: SettingSlot?) {
        log.lock.withLock {
            guard let slot = log.slots[key], slot.declaration == nil, let box = slot.box as? SettingBox<SettingValue>
            else { return (log.tree[key], nil) }
            return (slot.isStored ? box.published : nil, slot)
        }
    }
}

extension MutationLog {
    /// Has a setting save what another one of its key has yet to save, so that its value counts as unsaved. Under the lock.
    func passUnsaved(from old: SettingSlot, to slot: SettingSlot, _ box: AnySettingBox) {
        guard old.isDirty, slot.schedule != nil, let index = dirty.firstIndex(where: { $0.slot === old })
        else { return }
        old.isDirty = false
        slot.isDirty = true
        dirty[index] = (slot, box)
    }
}
