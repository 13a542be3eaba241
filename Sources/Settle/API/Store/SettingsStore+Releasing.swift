extension SettingsStore {
    /// Releases the groups at and below a path, such as those of a user who has logged out.
    ///
    /// Pending changes there are saved first. Then the declarations are forgotten: the settings are no longer listed,
    /// their streams end, and copies of the groups that are still in use keep their last values and refuse to be
    /// written. What is stored stays stored; values of groups that are kept in memory only are lost. Opening a group
    /// there again declares it anew.
    ///
    /// - Parameter path: The path at which the groups were opened; empty for all groups of the store. The `changes` of a
    ///   group at the top level are those of the store, and go on.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/unknownKey`` if no group is open at or below the path, and
    ///   if pending changes can't be saved, or the store is closed. Then nothing has been released.
    public func release(at path: some SettingKeyConvertible) async throws {
        let path = SettingKey(path: path)
        try await open(key: path?.description).release(at: path)
    }
}

extension StoreCore {
    /// Saves pending changes at and within a path and forgets the declarations there.
    ///
    /// The settings refuse writes from the first step on, so that the save covers everything.
    fileprivate func release(at key: SettingKey?) async throws {
        try key?.check(for: "release(at:)")
        let boxes = try refuseWrites(at: key)
        do {
            while !forget(boxes, at: key) { try await persister.flush() }
        } catch {
            writer.withLock { for box in boxes { box.reopen() } }
            throw error
        }
    }

    private func refuseWrites(at key: SettingKey?) throws -> [AnySettingBox] {
        writer.lock()
        defer { writer.unlock() }
        guard mode != .closed else { throw SettingsError.closed(key: key?.description) }
        let boxes = log.lock.withLock { log.stored.declared(at: key).compactMap(\.box) }
        guard !boxes.isEmpty else { throw SettingsError.noGroup(at: key, spelled: spelling(like: key)) }
        for box in boxes { box.release() }
        return boxes
    }

    /// The path of a group that has the same text except for backslashes.
    private func spelling(like path: SettingKey?) -> SettingKey? {
        guard let names = path?.components.joined(separator: ".") else { return nil }
        return log.lock.withLock {
            let slots = log.stored.declared(at: nil)
            return slots.flatMap { slot in log.stored.slots.declaredKey(of: slot).parents }
                .first { $0.components.joined(separator: ".") == names }
        }
    }

    /// - Returns: False if a change there is not saved yet.
    private func forget(_ boxes: [AnySettingBox], at key: SettingKey?) -> Bool {
        let known = Set(boxes.map { ObjectIdentifier($0) })
        writer.lock()
        defer { writer.unlock() }
        let wakeUps: PendingWakeUps? = log.lock.withLock {
            let slots = log.stored.declared(at: key).filter { slot in
                slot.box.map { known.contains(ObjectIdentifier($0)) } ?? false
            }
            guard !slots.contains(where: { log.unsaved.isUnsaved($0) }) else { return nil }
            return log.release(slots, at: key)
        }
        guard let wakeUps else { return false }
        if !wakeUps.isEmpty { actAfterUnlock(on: wakeUps) }
        return true
    }
}
