/// Reading values that are not stored yet. If keys that no group declares lie within each other, the inner one was
/// written last, because a write of the outer one replaces everything within it.
extension MutationLog {
    /// Returns the values not stored yet at, around and within a key, or anywhere, from the outside in. Requires the
    /// lock.
    ///
    /// - Parameter isInTransaction: Whether the caller sees the writes of the transaction in progress.
    func unsavedValues(at key: SettingKey?, inTransaction isInTransaction: Bool) -> [UnsavedValue] {
        var found: [UnsavedValue] = []
        func add(_ slot: SettingSlot) {
            if let value = unsavedValue(of: slot, inTransaction: isInTransaction) { found.append(value) }
        }
        guard let key else {
            for slot in stored.slots.all { add(slot) }
            return found.sorted(by: \.key)
        }
        if let outer = unsavedValue(around: key, inTransaction: isInTransaction) { found.append(outer) }
        if let slot = stored.slots[key] { add(slot) }
        for slot in stored.slots.within(key) { add(slot) }
        return found.count > 1 ? found.sorted(by: \.key) : found
    }

    /// Returns the innermost value around a key that is not stored yet, which was written last. Requires the lock.
    func unsavedValue(around key: SettingKey, inTransaction isInTransaction: Bool) -> UnsavedValue? {
        for slot in stored.slots.around(key) {
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
            // A value that was collected for saving is in the tree only once it is encoded.
            let isOnlyHere = slot.schedule == nil && slot.declaration != nil && slot.isStored
            guard unsaved.isUnsaved(slot) || isOnlyHere else { return nil }
            isStored = slot.isStored
        }
        var value = UnsavedValue(key: slot.key)
        guard isStored else { return value }
        if slot.declaration == nil {
            // Read under the lock, so that values that were published together are seen together. Runs no foreign code.
            let own = isInTransaction ? box.staged?.own?.erasedValue ?? box.committedOwnValue : box.committedOwnValue
            value.value = own as? SettingValue
        } else {
            value.box = box
            if !isInTransaction { value.committed = box.committedOwnValue }
        }
        return value
    }
}

/// The value to be stored at a key, if any.
struct UnsavedValue {
    let key: SettingKey
    /// The box of a declared setting, which has the value: it is encoded outside the log's lock.
    var box: AnySettingBox?
    /// The published value; `nil` for the value that the calling thread sees, which its transaction may have written.
    var committed: (any Sendable)?
    /// The value of a key that no group declares.
    var value: SettingValue?

    func encoded() throws -> SettingValue? {
        guard let box else { return value }
        return try (committed ?? box.visibleOwnValue).map { try box.encoder($0) }
    }
}
