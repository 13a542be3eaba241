/// Keys that no group declares and that lie within each other. The inner one was always written last: a write at the outer one
/// replaces what is within it.
extension MutationLog {
    /// Notes that some of what is to be saved may lie within other keys. Under the lock.
    ///
    /// - Parameter replaced: Settings that are written as a part of what is around them, so that they are not saved any more.
    func noteOverlaps(replacing replaced: [SettingSlot]) {
        hasOverlaps = true
        for slot in replaced {
            slots.remove(slot)
            slot.isDirty = false
            keysBeingSaved.remove(slot.key)
            if !unencodable.isEmpty { unencodable.removeAll { $0.slot === slot } }
        }
    }

    /// Puts what is to be saved into the order in which it was written, as far as that matters. Under the lock.
    func orderOverlaps() {
        guard hasOverlaps else { return }
        hasOverlaps = false
        dirty.removeAll { !$0.slot.isDirty }
        dirty.sort { $0.slot.key < $1.slot.key }
    }

    /// Whether a setting has to wait for what is around it, which was written before and could not be saved yet.
    func hasToWait(_ slot: SettingSlot) -> Bool {
        guard slot.declaration == nil else { return false }
        return lock.withLock { unencodable.contains { $0.slot.key.contains(slot.key) } }
    }

    // MARK: Reading

    /// What is not stored yet at, around and within a key, or anywhere, from the outside in. Under the lock.
    ///
    /// - Parameter isInTransaction: Whether the caller sees what the transaction in progress has written.
    func unsavedValues(at key: SettingKey?, inTransaction isInTransaction: Bool) -> [UnsavedValue] {
        var found: [UnsavedValue] = []
        func add(_ slot: SettingSlot) {
            if let value = unsavedValue(of: slot, inTransaction: isInTransaction) { found.append(value) }
        }
        guard let key else {
            for slot in slots.all { add(slot) }
            return found.sorted { $0.key < $1.key }
        }
        if let outer = unsavedValue(around: key, inTransaction: isInTransaction) { found.append(outer) }
        if let slot = slots[key] { add(slot) }
        for slot in slots.within(key) { add(slot) }
        return found.count > 1 ? found.sorted { $0.key < $1.key } : found
    }

    /// The innermost of what is not stored yet around a key, which was written last. Under the lock.
    func unsavedValue(around key: SettingKey, inTransaction isInTransaction: Bool) -> UnsavedValue? {
        for slot in slots.around(key) {
            if let value = unsavedValue(of: slot, inTransaction: isInTransaction) { return value }
        }
        return nil
    }

    private func unsavedValue(of slot: SettingSlot, inTransaction isInTransaction: Bool) -> UnsavedValue? {
        guard let box = slot.box else { return nil }
        let isStored: Bool
        if isInTransaction, let staged = box.staged {
            if staged.isReplaced { return nil }
            isStored = staged.isStored
        } else {
            // What has been taken for saving is in the tree only once it is encoded.
            let isOnlyHere = slot.schedule == nil && slot.declaration != nil && slot.isStored
            guard isUnsaved(slot) || isOnlyHere else { return nil }
            isStored = slot.isStored
        }
        var value = UnsavedValue(key: slot.key)
        guard isStored else { return value }
        if slot.declaration == nil {
            // Read here, so that values which were published together are seen together. No foreign code runs.
            value.value = (isInTransaction ? box.visibleValue : box.committedValue) as? SettingValue
        } else {
            value.box = box
        }
        return value
    }
}

/// What is to be stored at a key, if anything.
struct UnsavedValue {
    let key: SettingKey
    /// The box of a declared setting, which has the value: it is encoded without the log's lock.
    var box: AnySettingBox?
    /// That of a key which no group declares.
    var value: SettingValue?

    func encoded() throws -> SettingValue? {
        try box.map { try $0.encoder($0.visibleValue) } ?? value
    }
}
