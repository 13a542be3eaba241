/// The release of the groups at and within a path.
struct GroupRelease {
    private let core: StoreCore
    /// `nil` for all groups.
    private let path: SettingKey?

    init(at path: SettingKey?, of core: StoreCore) {
        self.core = core
        self.path = path
    }

    /// Saves pending changes there and forgets the declarations.
    ///
    /// From the first step on, code that has the groups can't write them. Changes by key, by other domains and by other
    /// processes still come in, so it saves until nothing is unsaved.
    func run() async throws {
        try path?.check(for: "release(at:)")
        let boxes = try refuseWrites()
        do {
            while !forget(boxes) { try await core.persister.flush() }
        } catch {
            reopen(boxes)
            throw error
        }
    }

    /// Accepts writes again, except to settings that another release has forgotten.
    private func reopen(_ boxes: [AnySettingBox]) {
        core.writer.lock()
        defer { core.writer.unlock() }
        let declared = core.log.lock.withLock { boxes.filter { $0.existingPlacement?.slot.box === $0 } }
        for box in declared { box.reopen() }
    }

    private func refuseWrites() throws -> [AnySettingBox] {
        core.writer.lock()
        defer { core.writer.unlock() }
        guard core.mode != .closed else { throw SettingsError.closed(key: path?.description) }
        let boxes = core.log.lock.withLock { core.log.stored.declared(at: path).compactMap(\.box) }
        guard !boxes.isEmpty else { throw SettingsError.noGroup(at: path, spelled: otherSpelling) }
        for box in boxes { box.release() }
        return boxes
    }

    /// The path of a group with the same text except for backslashes.
    private var otherSpelling: SettingKey? {
        guard let names = path?.components.joined(separator: ".") else { return nil }
        return core.log.lock.withLock {
            let slots = core.log.stored.declared(at: nil)
            return slots.flatMap { slot in core.log.stored.slots.declaredKey(of: slot).parents }
                .first { $0.components.joined(separator: ".") == names }
        }
    }

    /// - Returns: False if a change there is not saved yet.
    private func forget(_ boxes: [AnySettingBox]) -> Bool {
        let (known, log) = (Set(boxes.map { ObjectIdentifier($0) }), core.log)
        core.writer.lock()
        defer { core.writer.unlock() }
        // Another release that has failed may have reopened them. A stream knows a released setting by this mark.
        for box in boxes { box.release() }
        let wakeUps: PendingWakeUps? = log.lock.withLock {
            let slots = log.stored.declared(at: path).filter { slot in
                slot.box.map { known.contains(ObjectIdentifier($0)) } ?? false
            }
            guard !slots.contains(where: { log.unsaved.isUnsaved($0) }) else { return nil }
            return log.release(slots, at: path)
        }
        guard let wakeUps else { return false }
        if !wakeUps.isEmpty { core.actAfterUnlock(on: wakeUps) }
        // The defaults are no longer in force.
        core.actAfterUnlock(on: log.countArrival())
        return true
    }
}
