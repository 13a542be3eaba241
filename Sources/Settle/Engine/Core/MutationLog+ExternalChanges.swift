/// A setting that may have changed, with the stored values before and now.
struct AffectedSetting {
    let box: AnySettingBox
    let slot: SettingSlot
    /// The setting's own key, or another spelling of it.
    let key: SettingKey
    var old: SettingValue?
    var value: SettingValue?
    /// Whether the setting has a newer value that is not saved yet.
    var isPending = false
    /// Whether the value came at another spelling of the setting's key than its own.
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
            for (key, value) in values.sorted(by: \.key) {
                let parents = key.parents
                if parents.contains(where: { values[$0] != nil }) { overlaps = true }
                // An unsaved value at or around the key replaces all of it.
                if !unsaved.isEmpty, (parents + [key]).contains(where: { unsaved[$0] != nil }) { continue }
                let old = stored.tree[key]
                guard old != value else { continue }
                for parent in parents where around[parent] == nil {
                    if let slot = stored.slots.declaredOrPlaced(at: parent) {
                        around[parent] = (slot, stored.tree[parent])
                    }
                }
                stored.tree[key] = value
                for kept in unsavedWithin[key]?.sorted() ?? [] { stored.tree[kept] = unsaved[kept] ?? nil }
                collect(at: key, old, value, &result)
            }
            for (key, (slot, old)) in around { add(slot, key, old, stored.tree[key], &result) }
            guard overlaps else { return decideSpellings(result) }
            // A dictionary and keys within it may affect the same setting several times: the final value counts.
            var last: [SettingKey: AffectedSetting] = [:]
            for var setting in result {
                // The value before all of them.
                if let earlier = last[setting.key] { setting.old = earlier.old }
                setting.value = stored.tree[setting.key]
                last[setting.key] = setting
            }
            return decideSpellings(Array(last.values))
        }
    }

    /// If values have come at several spellings of a setting's key, picks the one that an opening would use. Requires
    /// the lock.
    private func decideSpellings(_ settings: [AffectedSetting]) -> [AffectedSetting] {
        guard stored.slots.hasOtherSpellings else { return settings }
        var decided: [ObjectIdentifier: AffectedSetting] = [:]
        for var setting in settings {
            let slot = setting.slot
            if setting.key != slot.key {
                setting.hasOtherSpelling = true
                setting.old = stored.tree[slot.key]
            } else if setting.value == nil,
                let other = stored.storedSpellings(of: slot).min(by: { $0.depth < $1.depth })
            {
                // With nothing at its own key, a restart would find the value at the other spelling.
                setting = AffectedSetting(
                    box: setting.box, slot: slot, key: other, old: setting.old, value: stored.tree[other],
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

    /// Replaces the stored tree by everything that the storage has now.
    func replaceStored(by new: SettingTree, keeping unsaved: [SettingKey: SettingValue?]) -> [AffectedSetting] {
        lock.withLock {
            var result: [AffectedSetting] = []
            let old = stored.tree
            stored.tree = new
            for (key, own) in unsaved.sorted(by: \.key) { stored.tree[key] = own }
            collectDifferences(below: nil, old.root, new.root, &result)
            return decideSpellings(result)
        }
    }

    /// Adds the settings at and within a key. Requires the lock.
    ///
    /// A changed setting within it is in the old or the new dictionary, so the others need no examination.
    private func collect(
        at key: SettingKey, _ old: SettingValue?, _ new: SettingValue?, _ result: inout [AffectedSetting]
    ) {
        if let slot = stored.slots.declaredOrPlaced(at: key) { add(slot, key, old, new, &result) }
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
            stored.slots.addSpelling(key, of: slot)
            setting.isPending = unsaved.isUnsaved(slot)
        } else if unsaved.isUnsaved(slot) {
            return
        }
        result.append(setting)
    }
}
