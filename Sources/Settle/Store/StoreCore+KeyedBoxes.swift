/// What stands behind keys that are known at run time only.
extension StoreCore {
    /// Whether what is stored at a key is a declared secret, or a part of one, or has one inside.
    func isSecret(_ key: SettingKey) -> Bool {
        log.lock.withLock { log.isSecret(key) }
    }

    /// The box of a key, made if there is none. Under the writer's lock.
    func box(forKey key: SettingKey) throws(SettingsError) -> AnySettingBox {
        let (used, owned) = log.lock.withLock {
            let box = log.slots[key]?.box
            return (box, log.ownedSetting(at: key, isInUse: box != nil))
        }
        if let owned { throw .protected(key, by: owned.key, owned.declaration ?? "") }
        if let used { return used }
        if let neighbour = log.lock.withLock({ log.neighbour(of: key) }) {
            throw .duplicateKey(key, "a write at run time", neighbour.key, neighbour.declaration ?? "another one")
        }
        let definition = SettingDefinition(
            key: key.description, defaultValue: SettingValue.null, rules: [],
            codec: SettingCodec(encode: { $0 }, decode: { $0 }))
        let box = SettingBox(definition)
        let retained = retainedValues.takeValue(forKey: key) as? SettingValue
        let stored = retained ?? log.lock.withLock { log.tree[key] }
        if let stored { _ = box.adopt(erased: stored) }
        let slot = log.lock.withLock {
            let slot = SettingSlot(
                key: key, declaration: nil, schedule: log.schedule(for: configuration.durability),
                isSecret: log.isSecret(key), box: box, parent: log.root)
            slot.isStored = stored != nil
            slot.origin = stored == nil ? .default : .loaded
            log.add(slot)
            return slot
        }
        box.attach(to: Attachment(store: self, slot: slot))
        // Nobody keeps the box but the transaction, and then the list of what is to be saved.
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

    /// A setting of an owner's group, in use or not, at a key, around it or within it. Under the lock.
    ///
    /// - Parameter isInUse: Whether the key's own setting is in use: then there is none around or within it.
    fileprivate func ownedSetting(at key: SettingKey, isInUse: Bool) -> SettingSlot? {
        if let slot = slots[key], slot.access == .owner { return slot }
        if isInUse { return nil }
        for parent in key.parents {
            if let slot = slots[parent], slot.access == .owner { return slot }
        }
        let within = slots.values.filter { $0.access == .owner && key.contains($0.key) }
        return within.min { $0.key < $1.key }
    }

    /// Whether a setting at a key, around it or within it is a secret, as far as any group has ever declared one. Under the lock.
    fileprivate func isSecret(_ key: SettingKey) -> Bool {
        (key.parents + [key]).contains { slots[$0]?.isSecret == true }
            || slots.values.contains { $0.isSecret && key.contains($0.key) }
    }
}
