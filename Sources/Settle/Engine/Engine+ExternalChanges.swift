/// Applying external changes.
extension Engine {
    /// Publishes a change of the storage as one transaction. Keys with unsaved changes keep their values. A value that
    /// can't be used leaves the last good one in force. Under the writer's lock.
    ///
    /// It examines only what has changed in the storage. Whether a setting has changed depends on the decoded values: a
    /// file may spell a date as a string.
    ///
    /// - Parameter unsaved: The values that were taken for saving but not taken by the storage yet.
    final func merge(_ change: ExternalChange, keeping unsaved: [SettingKey: SettingValue?]) {
        do {
            switch change.content {
            case .unusable(let error):
                reportAfterUnlock(.storage(error))
            case .values(let values):
                try merge(by: change.author) { log.replaceStored(values, keeping: unsaved) }
            case .everything(let tree):
                try merge(by: change.author) { log.replaceStored(by: tree, keeping: unsaved) }
            }
        } catch {
            // Only a closed store throws here, and it follows no changes any more.
        }
    }

    private final func merge(by author: String?, replacing: () -> [AffectedSetting]) throws {
        var inForce: [SettingKey: SettingValue?] = [:]
        var misplaced: [SettingSlot] = []
        try transact(origin: .external, author: author) {
            for setting in replacing() {
                if setting.hasOtherSpelling { misplaced.append(setting.slot) }
                guard !setting.isPending else { continue }
                inForce.updateValue(stage(setting), forKey: setting.key)
            }
        }
        keep(inForce)
        if !misplaced.isEmpty { save(misplaced) }
    }

    /// Marks settings to be saved at their places, which also removes what is stored at other spellings of their keys.
    private final func save(_ slots: [SettingSlot]) {
        let time = time.now()
        let wakesPersister = log.lock.withLock {
            slots.reduce(false) { wakes, slot in log.markDirty(slot, time: time) || wakes }
        }
        if wakesPersister { saveChanges() }
    }

    /// - Returns: The stored form of the value that stays in force although something else is stored.
    private final func stage(_ setting: AffectedSetting) -> SettingValue? {
        let (box, key, slot) = (setting.box, setting.key, setting.slot)
        guard let value = setting.value else {
            box.stageDefault()
            transaction?.noteOutside(box)
            log.lock.withLock { slot.lastGood = nil }
            return nil
        }
        do {
            // A value that came at another spelling of the key is not stored at the setting's place yet.
            let isAtPlace = !setting.hasOtherSpelling
            if try box.stageIfDifferent(decoding: value), isAtPlace { transaction?.noteOutside(box) }
            log.lock.withLock { slot.lastGood = nil }
            return nil
        } catch {
            let lastGood = log.lock.withLock { () -> SettingValue? in
                // A second unusable value follows the first one, not the value in force.
                if key != slot.key { return slot.lastGood ?? (slot.isStored ? setting.old : nil) }
                if slot.isStored, slot.lastGood == nil { slot.lastGood = setting.old }
                return slot.lastGood
            }
            let issue = SettingsError.unusableValue(
                key: slot.key, stored: box.isSecret ? nil : value, rule: box.brokenRule(error),
                inForce: .lastGood(lastGood), error)
            reportAfterUnlock(issue)
            return lastGood
        }
    }
}
