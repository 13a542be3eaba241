extension StoreCore {
    /// Adds a new group to the store.
    ///
    /// - Parameter waits: Whether to wait for a write in progress.
    /// - Returns: False if a write was in progress and nothing was done.
    func open(_ group: some SettingsGroup, at path: SettingKey?, waiting waits: Bool) throws(SettingsError) -> Bool {
        if let path { try path.check(for: "\(type(of: group))") }
        var layout = GroupLayout(group, at: path, savePolicy: configuration.savePolicy)
        for setting in layout.settings { setting.box.adoptInitialWrite() }
        let name = "\(type(of: group))"
        try layout.check(name)
        if waits { writer.lock() } else if !writer.tryLock() { return false }
        defer { writer.unlock() }
        guard mode != .closed else { throw .closed(key: path?.description) }
        log.lock.withLock {
            for index in layout.settings.indices {
                let key = layout.settings[index].key
                layout.settings[index].declaredKey = key
                layout.settings[index].key = log.resolved(key)
            }
        }
        var plans: [Plan] = []
        var errors: [SettingsError] = []
        for declared in layout.settings {
            do throws(SettingsError) { plans.append(try plan(declared)) } catch { errors.append(error) }
        }
        if let error = SettingsError.unusable(name, errors) { throw error }
        var inForce: [SettingKey: SettingValue?] = [:]
        for plan in plans { carryOut(plan, below: path, &inForce) }
        persister.keep(inForce)
        if layout.settings.contains(where: \.box.isSecret) { persister.keepPrivate() }
        return true
    }

    private enum Plan {
        case alias(GroupLayout.Declared, of: AnySettingBox)
        case new(GroupLayout.Declared)
    }

    /// Under the writer's lock.
    private func plan(_ declared: GroupLayout.Declared) throws(SettingsError) -> Plan {
        let (slot, neighbour) = log.lock.withLock {
            (
                log.slots[declared.key],
                log.slots.neighbour(of: declared.key)
                    ?? declared.declaredKey.flatMap { $0 == declared.key ? nil : log.slots.neighbour(of: $0) }
            )
        }
        if let neighbour {
            throw .duplicateKey(
                declared.key, declared.name, neighbour.key, neighbour.declaration ?? "a write at run time")
        }
        guard let slot, let box = slot.box, let existing = slot.declaration else { return .new(declared) }
        guard existing == declared.name, box.typeName == declared.box.typeName else {
            throw .duplicateKey(declared.key, declared.name, slot.key, existing)
        }
        return .alias(declared, of: box)
    }

    /// Under the writer's lock.
    ///
    /// - Parameter inForce: Receives, for each stored value that can't be used, the one used instead.
    private func carryOut(_ plan: Plan, below path: SettingKey?, _ inForce: inout [SettingKey: SettingValue?]) {
        switch plan {
        case .alias(let declared, let original):
            declared.box.become(aliasOf: original)
            // The group may have been opened by itself before, and now as a part of its owner's.
            if declared.access == .owner { log.lock.withLock { log.slots.makeOwned(declared.key) } }
        case .new(let declared):
            let (stored, runtime) = valueForNewSetting(at: declared.key)
            var isUsable = false
            var lastGood: SettingValue?
            if let stored {
                (isUsable, lastGood) = adopt(stored, declared)
                if declared.savePolicy != .memoryOnly { inForce.updateValue(lastGood, forKey: declared.key) }
            }
            let (slot, replaced) = log.lock.withLock {
                let slot = log.slot(for: declared)
                slot.isStored = isUsable
                slot.lastGood = lastGood
                slot.origin = isUsable ? .loaded : .default
                if let runtime, isUsable || !runtime.isStored { log.passUnsaved(from: runtime, to: slot, declared.box) }
                // Slot and box reference each other, and the box references the store.
                return (slot, runtime?.takeBox())
            }
            withExtendedLifetime(replaced) {}
            if isUsable, slot.isMeasured, let loaded = lastGood ?? stored { slot.noteSize(loaded.roughSize) }
            declared.box.open(at: Placement(in: self, slot: slot))
        }
    }

    /// Gives a setting its stored value, or, if that can't be used, the last good one, kept by the storage.
    ///
    /// - Returns: Whether it has either of them, and the last good value if that is used.
    private func adopt(_ stored: SettingValue, _ declared: GroupLayout.Declared) -> (Bool, lastGood: SettingValue?) {
        let box = declared.box
        do {
            try box.adopt(loaded: stored)
            return (true, nil)
        } catch {
            let candidates = persister.checkpointing?.keptValues(forKey: declared.key, insteadOf: stored) ?? []
            let lastGood = candidates.first { (try? box.adopt(loaded: $0)) != nil }
            let issue = SettingsError.unusableValue(
                key: declared.key, stored: box.isSecret ? nil : stored, rule: box.brokenRule(error),
                inForce: lastGood.map { .lastGood($0) } ?? .default, error)
            reportAfterUnlock(issue)
            return (lastGood != nil, lastGood)
        }
    }
}

extension MutationLog {
    /// The slot of a declared setting. Under the lock.
    func slot(for declared: GroupLayout.Declared) -> SettingSlot {
        let slot = SettingSlot(
            key: declared.key, declaration: declared.name, schedule: schedule(for: declared.savePolicy),
            access: declared.access, box: declared.box, parent: topic(at: declared.group))
        slots.insert(slot, declaredAs: declared.declaredKey)
        if declared.declaredKey != declared.key { noteSpellings(of: slot) }
        return slot
    }

    /// The topic of a group. Under the lock.
    func topic(at path: SettingKey?) -> Topic {
        guard let path else { return root }
        if let topic = topics[path] { return topic }
        let topic = Topic(parent: topic(at: path.parent))
        topics[path] = topic
        return topic
    }

    /// The index of the schedule for a save policy; `nil` for settings that are never saved. Under the lock.
    func schedule(for savePolicy: SavePolicy) -> Int? {
        if savePolicy == .memoryOnly { return nil }
        let delays = savePolicy == .immediate ? (.zero, .zero) : savePolicy.delays ?? SavePolicy.standardDelays
        let schedule = DebouncedChanges(quiet: delays.quiet, longest: delays.longest)
        if let index = schedules.firstIndex(where: { $0.quiet == schedule.quiet && $0.longest == schedule.longest }) {
            return index
        }
        schedules.append(schedule)
        return schedules.count - 1
    }
}
