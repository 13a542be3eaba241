/// Applying external changes.
extension StoreCore {
    /// Publishes a change of the storage as one transaction. Keys with unsaved changes keep their values. A value that
    /// can't be used leaves the last good one in force. Under the writer's lock.
    ///
    /// It examines only what has changed in the storage. Whether a setting has changed depends on the decoded values: a
    /// file may spell a date as a string.
    ///
    /// - Parameter unsaved: The values that were taken for saving but not taken by the storage yet.
    func merge(_ change: ExternalChange, keeping unsaved: [SettingKey: SettingValue?]) {
        do {
            switch change.content {
            case .unusable(let error):
                let issue = SettingsError.storage(error)
                writer.afterUnlock { [issueBoard] in issueBoard.report(issue) }
            case .values(let values):
                try merge(by: change.author) { log.replaceStored(values, keeping: unsaved) }
            case .everything(let tree):
                try merge(by: change.author) { log.replaceStored(by: tree, keeping: unsaved) }
            }
        } catch {
            // Only a closed store throws here, and it follows no changes any more.
        }
    }

    private func merge(by author: String?, replacing: () -> [AffectedSetting]) throws {
        var inForce: [SettingKey: SettingValue?] = [:]
        var misplaced: [SettingSlot] = []
        try transact(origin: .external, author: author) {
            for setting in replacing() {
                if setting.hasOtherSpelling { misplaced.append(setting.slot) }
                guard !setting.isPending else { continue }
                inForce.updateValue(stage(setting), forKey: setting.key)
            }
        }
        persister?.keep(inForce)
        if !misplaced.isEmpty { save(misplaced) }
    }

    /// Marks settings to be saved at their places, which also removes what is stored at other spellings of their keys.
    private func save(_ slots: [SettingSlot]) {
        let time = time.now()
        let wakesPersister = log.lock.withLock {
            slots.reduce(false) { wakes, slot in log.markDirty(slot, time: time) || wakes }
        }
        if wakesPersister { persister?.changesArrived() }
    }

    /// - Returns: The stored form of the value that stays in force although something else is stored.
    private func stage(_ setting: AffectedSetting) -> SettingValue? {
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
            writer.afterUnlock { [issueBoard] in issueBoard.report(issue) }
            return lastGood
        }
    }
}

/// A setting that may have changed, with the stored values before and now.
struct AffectedSetting {
    let box: AnySettingBox
    let slot: SettingSlot
    /// The setting's place, or another spelling of its key.
    let key: SettingKey
    var old: SettingValue?
    var value: SettingValue?
    /// Whether the setting has a newer value that is not saved yet.
    var isPending = false
    /// Whether the value came at another spelling of the setting's key than its place.
    var hasOtherSpelling = false
}

extension MutationLog {
    /// Puts external values of some keys into the tree.
    func replaceStored(
        _ values: [SettingKey: SettingValue?], keeping unsaved: [SettingKey: SettingValue?]
    ) -> [AffectedSetting] {
        let unsavedWithin = unsaved.keys.grouped { values[$0] != nil }
        return lock.withLock {
            var result: [AffectedSetting] = []
            // Settings around a key are decided once all values are in.
            var around: [SettingKey: (slot: SettingSlot, old: SettingValue?)] = [:]
            var overlaps = false
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                let parents = key.parents
                if parents.contains(where: { values[$0] != nil }) { overlaps = true }
                // An unsaved value at or around the key replaces all of it.
                if !unsaved.isEmpty, (parents + [key]).contains(where: { unsaved[$0] != nil }) { continue }
                let old = tree[key]
                guard old != value else { continue }
                for parent in parents where around[parent] == nil {
                    if let slot = slots.declared(as: parent) ?? slots.placed(at: parent) {
                        around[parent] = (slot, tree[parent])
                    }
                }
                tree[key] = value
                for kept in unsavedWithin[key]?.sorted() ?? [] { tree[kept] = unsaved[kept] ?? nil }
                collect(at: key, old, value, &result)
            }
            for (key, (slot, old)) in around { add(slot, key, old, tree[key], &result) }
            guard overlaps else { return decideSpellings(result) }
            // A dictionary and keys within it may affect the same setting several times: the final value counts.
            var last: [SettingKey: AffectedSetting] = [:]
            for var setting in result {
                // The value before all of them.
                if let earlier = last[setting.key] { setting.old = earlier.old }
                setting.value = tree[setting.key]
                last[setting.key] = setting
            }
            return decideSpellings(Array(last.values))
        }
    }

    /// If values have come at several spellings of a setting's key, picks the one that an opening would use. Under the
    /// lock.
    private func decideSpellings(_ settings: [AffectedSetting]) -> [AffectedSetting] {
        guard slots.hasNotedSpellings else { return settings }
        var decided: [ObjectIdentifier: AffectedSetting] = [:]
        for var setting in settings {
            let slot = setting.slot
            if setting.key != slot.key {
                setting.hasOtherSpelling = true
                setting.old = tree[slot.key]
            } else if setting.value == nil, let other = storedSpellings(of: slot).min(by: { $0.depth < $1.depth }) {
                // With nothing at its place, a restart would find the value at the other spelling.
                setting = AffectedSetting(
                    box: setting.box, slot: slot, key: other, old: setting.old, value: tree[other],
                    hasOtherSpelling: true)
            }
            guard let earlier = decided.updateValue(setting, forKey: ObjectIdentifier(slot)) else { continue }
            // A key with fewer names has the longer literal name, which takes precedence.
            let isFirst = setting.value != nil && (earlier.value == nil || setting.key.depth < earlier.key.depth)
            var winner = isFirst ? setting : earlier
            winner.hasOtherSpelling = setting.hasOtherSpelling || earlier.hasOtherSpelling
            winner.isPending = setting.isPending || earlier.isPending
            decided[ObjectIdentifier(slot)] = winner
        }
        return Array(decided.values)
    }

    /// Replaces the tree by everything that the storage has now.
    func replaceStored(by new: SettingTree, keeping unsaved: [SettingKey: SettingValue?]) -> [AffectedSetting] {
        lock.withLock {
            var result: [AffectedSetting] = []
            let old = tree
            tree = new
            for (key, own) in unsaved.sorted(by: { $0.key < $1.key }) { tree[key] = own }
            collectDifferences(below: nil, old.root, new.root, &result)
            return decideSpellings(result)
        }
    }

    /// Adds the settings at and within a key. Under the lock.
    ///
    /// A changed setting within it is in the old or the new dictionary, so the others need no examination.
    private func collect(
        at key: SettingKey, _ old: SettingValue?, _ new: SettingValue?, _ result: inout [AffectedSetting]
    ) {
        if let slot = slots.declared(as: key) ?? slots.placed(at: key) { add(slot, key, old, new, &result) }
        var (oldValues, newValues): (SettingValue.Entries, SettingValue.Entries) = ([:], [:])
        if case .dictionary(let values)? = old { oldValues = values }
        if case .dictionary(let values)? = new { newValues = values }
        collectDifferences(below: key, oldValues, newValues, &result)
    }

    private func collectDifferences(
        below outer: SettingKey?, _ old: SettingValue.Entries, _ new: SettingValue.Entries,
        _ result: inout [AffectedSetting]
    ) {
        for (name, value) in new where old[name] != value {
            collect(at: outer?.appending(component: name) ?? SettingKey(name: name), old[name], value, &result)
        }
        for (name, value) in old where new[name] == nil {
            collect(at: outer?.appending(component: name) ?? SettingKey(name: name), value, nil, &result)
        }
    }

    private func add(
        _ slot: SettingSlot, _ key: SettingKey, _ old: SettingValue?, _ value: SettingValue?,
        _ result: inout [AffectedSetting]
    ) {
        guard slot.schedule != nil, let box = slot.box else { return }
        var setting = AffectedSetting(box: box, slot: slot, key: key, old: old, value: value)
        if key != slot.key {
            guard value != nil else { return }
            slots.note(key, of: slot)
            setting.isPending = isUnsaved(slot)
        } else if isUnsaved(slot) {
            return
        }
        result.append(setting)
    }
}
