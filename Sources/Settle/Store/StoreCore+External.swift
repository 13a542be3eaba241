/// Taking in what others have stored.
extension StoreCore {
    /// Publishes a change of the storage as one transaction. Keys with changes of their own that the storage does not have yet
    /// keep these. A value that can't be used leaves the last good one in force. Under the writer's lock.
    ///
    /// It looks only at what has changed. The decoded values decide whether a setting has: a file may spell a date as a string.
    ///
    /// - Parameter unsaved: The values that were taken for saving and that the storage does not have.
    func takeIn(_ change: ExternalChange, keeping unsaved: [SettingKey: SettingValue?]) {
        do {
            switch change.content {
            case .unusable(let error):
                let issue = SettingsError.storage(error)
                writer.afterUnlock { [issueBoard] in issueBoard.report(issue) }
            case .values(let values):
                try takeIn(by: change.writer) { log.replaceStored(values, keeping: unsaved) }
            case .everything(let tree):
                try takeIn(by: change.writer) { log.replaceStored(by: tree, keeping: unsaved) }
            }
        } catch {
            // The only reason is a closed store, which follows nothing any more.
        }
    }

    private func takeIn(by writer: String?, replacing: () -> [AffectedSetting]) throws {
        try transact(origin: .external, writer: writer) {
            for (box, key, value) in replacing() {
                guard let value else {
                    box.stageDefault()
                    continue
                }
                do {
                    try box.stageIfDifferent(decoding: value)
                } catch {
                    let issue = SettingsError.unusableValue(
                        key: key, stored: box.isSecret ? nil : value, rule: box.brokenRule(error), isEdit: true, error)
                    self.writer.afterUnlock { [issueBoard] in issueBoard.report(issue) }
                }
            }
        }
    }
}

/// A setting that may have changed, with what is stored for it now.
typealias AffectedSetting = (box: AnySettingBox, key: SettingKey, value: SettingValue?)

extension MutationLog {
    /// Puts the values that others have stored at some keys into the tree.
    func replaceStored(
        _ values: [SettingKey: SettingValue?], keeping unsaved: [SettingKey: SettingValue?]
    ) -> [AffectedSetting] {
        let unsavedWithin = unsaved.keys.grouped { values[$0] != nil }
        return lock.withLock {
            var result: [AffectedSetting] = []
            // Settings around a key are looked at once everything is in.
            var around: [SettingKey: SettingSlot] = [:]
            var overlaps = false
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                let parents = key.parents
                if parents.contains(where: { values[$0] != nil }) { overlaps = true }
                // What is to be saved is the key, or contains it, and replaces all of it.
                if !unsaved.isEmpty, (parents + [key]).contains(where: { unsaved[$0] != nil }) { continue }
                let old = tree[key]
                guard old != value else { continue }
                tree[key] = value
                for kept in unsavedWithin[key] ?? [] { tree[kept] = unsaved[kept] ?? nil }
                collect(at: key, old, value, &result)
                for parent in parents {
                    if let slot = slots[parent] { around[parent] = slot }
                }
            }
            for (key, slot) in around { add(slot, key, tree[key], &result) }
            guard overlaps else { return result }
            // A dictionary and keys in it have touched the same settings in turn: what has come of it counts.
            var last: [SettingKey: AffectedSetting] = [:]
            for setting in result { last[setting.key] = (setting.box, setting.key, tree[setting.key]) }
            return Array(last.values)
        }
    }

    /// Puts everything that others have stored in the place of the tree.
    func replaceStored(by new: SettingTree, keeping unsaved: [SettingKey: SettingValue?]) -> [AffectedSetting] {
        lock.withLock {
            var result: [AffectedSetting] = []
            let old = tree
            tree = new
            for (key, own) in unsaved.sorted(by: { $0.key < $1.key }) { tree[key] = own }
            collectDifferences(below: nil, old.root, new.root, &result)
            return result
        }
    }

    /// Adds the settings at and within a key. Under the lock.
    ///
    /// A setting within it that has changed is in the old or the new dictionary, so the others need not be looked at.
    private func collect(
        at key: SettingKey, _ old: SettingValue?, _ new: SettingValue?, _ result: inout [AffectedSetting]
    ) {
        if let slot = slots[key] { add(slot, key, new, &result) }
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
        _ slot: SettingSlot, _ key: SettingKey, _ value: SettingValue?, _ result: inout [AffectedSetting]
    ) {
        guard slot.schedule != nil, !isUnsaved(slot), let box = slot.box else { return }
        result.append((box, key, value))
    }
}
