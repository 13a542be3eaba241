/// Releasing groups.
extension StoreCore {
    /// Saves pending changes at and within a path and forgets the declarations there.
    ///
    /// The settings refuse writes from the first step on, so that the save covers everything.
    func release(at key: SettingKey) async throws {
        try key.check(for: "release(at:)")
        let boxes = try refuseWrites(at: key)
        do {
            while !forget(boxes, at: key) { try await persister.flush() }
        } catch {
            permitWrites(boxes)
            throw error
        }
    }

    private func refuseWrites(at key: SettingKey) throws -> [AnySettingBox] {
        writer.lock()
        defer { writer.unlock() }
        guard mode != .closed else { throw SettingsError.closed(key: key.description) }
        let boxes = log.lock.withLock { log.declared(at: key).compactMap(\.box) }
        for box in boxes { box.release() }
        return boxes
    }

    private func permitWrites(_ boxes: [AnySettingBox]) {
        writer.lock()
        defer { writer.unlock() }
        for box in boxes { box.reopen() }
    }

    /// - Returns: False if a change there is not saved yet.
    private func forget(_ boxes: [AnySettingBox], at key: SettingKey) -> Bool {
        let known = Set(boxes.map { ObjectIdentifier($0) })
        writer.lock()
        defer { writer.unlock() }
        let wakeUps: PendingWakeUps? = log.lock.withLock {
            let slots = log.declared(at: key).filter { $0.box.map { known.contains(ObjectIdentifier($0)) } ?? false }
            guard !slots.contains(where: { log.isUnsaved($0) }) else { return nil }
            return log.release(slots, at: key)
        }
        guard let wakeUps else { return false }
        if !wakeUps.isEmpty { actAfterUnlock(on: wakeUps) }
        return true
    }
}

extension MutationLog {
    /// The declared settings at and within a key. Under the lock.
    fileprivate func declared(at key: SettingKey) -> [SettingSlot] {
        ([slots[key]].compactMap { $0 } + slots.within(key)).filter { $0.declaration != nil }
    }

    /// Removes settings from the index and ends their streams and those of their groups. Under the lock.
    fileprivate func release(_ settings: [SettingSlot], at key: SettingKey) -> PendingWakeUps {
        for slot in settings {
            let declared = slots.declaredKey(of: slot)
            slots.remove(slot)
            finish(slot)
            for group in declared.parents where group == key || group.isWithin(key) {
                if let topic = topics.removeValue(forKey: group) { finish(topic) }
            }
        }
        // The caller holds the boxes, so that none is released under the lock.
        for slot in settings { _ = slot.takeBox() }
        released.removeAll { $0.lastRevision < ring.oldest }
        released += settings.filter { $0.lastRevision >= ring.oldest }
        return wakeUps()
    }
}
