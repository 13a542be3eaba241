/// Applying external changes.
extension Engine {
    /// Publishes a change of the storage as one transaction. Keys with unsaved changes keep their values. If a value
    /// can't be used, the last good one stays in force. Requires the writer's lock.
    ///
    /// It examines only what has changed in the storage. Whether a setting has changed depends on the decoded values: a
    /// file may spell a date as a string.
    ///
    /// - Parameter unsaved: The values that were collected for saving, but not accepted by the storage yet.
    final func merge(_ change: ExternalChange, keeping unsaved: [SettingKey: SettingValue?]) {
        do {
            switch change.content {
            case .unusable(let error):
                reportAfterUnlock(.storage(error))
            case .values(let values):
                try merge(from: change.origin, by: change.author) { log.replaceStored(values, keeping: unsaved) }
            case .everything(let tree):
                try merge(from: change.origin, by: change.author) { log.replaceStored(by: tree, keeping: unsaved) }
            }
        } catch {
            // Only a closed store throws here, and it follows no changes any more.
        }
    }

    private final func merge(
        from origin: ValueOrigin, by author: String?, replacing: () -> [AffectedSetting]
    ) throws {
        var inForce: [SettingKey: SettingValue?] = [:]
        var misplaced: [SettingSlot] = []
        try transact(origin: origin, author: author) {
            for setting in replacing() {
                if setting.hasOtherSpelling { misplaced.append(setting.slot) }
                guard !setting.isPending else { continue }
                inForce.updateValue(stage(setting), forKey: setting.key)
            }
            actAfterUnlock(on: log.countArrival())
        }
        keep(inForce)
        if !misplaced.isEmpty { save(misplaced) }
    }

    /// Marks settings to be saved at their own keys, which also removes the values at other spellings of these.
    private final func save(_ slots: [SettingSlot]) {
        let time = time.now()
        let wakesPersister = log.lock.withLock {
            slots.reduce(false) { wakes, slot in log.unsaved.markDirty(slot, time: time) || wakes }
        }
        if wakesPersister { saveChanges() }
    }
}

extension ExternalChange {
    fileprivate var origin: ValueOrigin { isMigration ? .migration : .external }
}
