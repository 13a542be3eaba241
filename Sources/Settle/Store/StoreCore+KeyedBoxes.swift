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

    /// The box of a key that no group declares and that is not saved yet, if nothing is within it. In a transaction.
    ///
    /// Nothing declared is around it, since no group opens there meanwhile, and nothing else that it would replace.
    func unsavedBox(forKey key: SettingKey) -> AnySettingBox? {
        log.lock.withLock {
            guard let slot = log.slots[key], slot.declaration == nil, let box = slot.box,
                box.staged.map({ !$0.isReplaced }) ?? log.isUnsaved(slot), log.slots.within(key).isEmpty
            else { return nil }
            keepInIndex(slot)
            return box
        }
    }

    /// The box of a key, made if there is none, and those of the keys within it that no group declares. In a transaction.
    func box(forKey key: SettingKey) throws(SettingsError) -> (box: AnySettingBox, inner: [AnySettingBox]) {
        let (used, owned, outer, inner) = log.lock.withLock {
            let (used, inner) = (log.slots[key], log.slots.within(key))
            if let used { keepInIndex(used) }
            for slot in inner { keepInIndex(slot) }
            return (used, log.slots.owned(at: key), log.slots.around(key), inner)
        }
        if let owned { throw .protected(key, by: owned.key, owned.declaration ?? "") }
        if let used, used.declaration != nil, let box = used.box { return (box, []) }
        for slot in outer + inner {
            guard let declaration = slot.declaration else { continue }
            throw .duplicateKey(key, "a write at run time", slot.key, declaration)
        }
        if !outer.isEmpty || !inner.isEmpty { transaction?.noteOverlap() }
        let innerBoxes = inner.compactMap(\.box)
        // What everybody else sees at the key, where it may have been written around and within it.
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

    /// The key around another one with a value that is no dictionary, which a write at the other one replaces. In a transaction.
    func scalar(around key: SettingKey) -> SettingKey? {
        let parents = key.parents
        guard !parents.isEmpty else { return nil }
        return log.lock.withLock {
            var tree = log.tree
            if let outer = log.unsavedValue(around: key, inTransaction: true) {
                tree = SettingTree()
                tree[outer.key] = outer.value
            }
            for parent in parents {
                guard let value = tree[parent] else { return nil }
                if case .dictionary = value { continue }
                // One that a group declares, or has settings within it, is not replaced.
                let near = [log.slots[parent]].compactMap { $0 } + log.slots.around(parent) + log.slots.within(parent)
                return near.contains { $0.declaration != nil } ? nil : parent
            }
            return nil
        }
    }

    /// Stages that nothing is stored at a key. In a transaction.
    func stageRemoval(of key: SettingKey) throws {
        let (box, inner) = try box(forKey: key)
        let found = lookUp(key)
        // The removal of nothing would take an empty dictionary around it along.
        if found.box == nil, try found.stored(at: key) == nil { return }
        box.stageDefault()
        for box in inner { box.stageReplaced() }
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
