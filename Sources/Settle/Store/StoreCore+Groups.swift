extension StoreCore {
    /// Adds a new group to the store.
    ///
    /// - Parameter waits: Whether to wait for a write in progress.
    /// - Returns: False if a write was in progress and nothing was done.
    func open(_ group: some SettingsGroup, at path: SettingKey?, waiting waits: Bool) throws(SettingsError) -> Bool {
        if let path { try Self.checkKey(path, of: "\(type(of: group))") }
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
        persister?.keep(inForce)
        if layout.settings.contains(where: \.box.isSecret) { persister?.keepPrivate() }
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
            declared.box.open(at: Placement(core: self, slot: slot))
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
            let candidates = persister?.checkpointing?.keptValues(forKey: declared.key, insteadOf: stored) ?? []
            let lastGood = candidates.first { (try? box.adopt(loaded: $0)) != nil }
            let issue = SettingsError.unusableValue(
                key: declared.key, stored: box.isSecret ? nil : stored, rule: box.brokenRule(error),
                inForce: lastGood.map { .lastGood($0) } ?? .default, error)
            writer.afterUnlock { [issueBoard] in issueBoard.report(issue) }
            return (lastGood != nil, lastGood)
        }
    }

    static func checkKey(_ key: SettingKey, of name: String) throws(SettingsError) {
        guard !key.hasEmptyName else {
            throw SettingsError(
                .invalidKey,
                "“\(key)” of \(name) can't be a key: it and each of its parts between dots must not be empty.",
                key: key.description)
        }
        guard key.depth <= SettingValue.depthLimit else {
            throw SettingsError(
                .invalidKey, "“\(key)” of \(name) can't be a key: it has more than \(SettingValue.depthLimit) parts.",
                key: key.description)
        }
    }
}

extension GroupLayout {
    /// Throws if two settings have one key, one's key lies within another's, a key or a default is not valid, or
    /// settings are where no store finds them. The error names all of them.
    ///
    /// - Parameter group: The name of the group's type.
    fileprivate func check(_ group: String) throws(SettingsError) {
        var errors: [SettingsError] = []
        var names: [SettingKey: String] = [:]
        for setting in settings {
            do throws(SettingsError) {
                try StoreCore.checkKey(setting.key, of: setting.name)
            } catch {
                errors.append(error)
            }
            if let violation = setting.box.defaultViolation {
                errors.append(.invalidDefault(setting.name, key: setting.key, violation))
            }
            if let other = names.updateValue(setting.name, forKey: setting.key) {
                errors.append(.duplicateKey(setting.key, other, setting.key, setting.name))
            }
        }
        for setting in settings {
            for parent in setting.key.parents {
                if let other = names[parent] {
                    errors.append(.duplicateKey(setting.key, setting.name, parent, other))
                }
            }
        }
        errors += spelledAlike()
        errors += unreachable()
        if let error = SettingsError.unusable(group, errors) { throw error }
    }

    /// Searches each type of groups until a search has found nothing.
    private func unreachable() -> [SettingsError] {
        guard !others.isEmpty else { return [] }
        let known = searchedTypes.withLock { $0 }
        let unknown = others.filter { !known.contains(ObjectIdentifier($0.group)) }
        guard !unknown.isEmpty else { return [] }
        let found = unknown.compactMap(UnreachableSetting.init(in:)).map(SettingsError.unreachable)
        if found.isEmpty { searchedTypes.withLock { $0.formUnion(unknown.map { ObjectIdentifier($0.group) }) } }
        return found
    }

    /// Finds names with dots that equal another setting's key: once stored, they would be taken for that.
    private func spelledAlike() -> [SettingsError] {
        guard settings.contains(where: { $0.key.joinedNames != nil }) else { return [] }
        var names: [SettingKey: String] = [:]
        for setting in settings {
            for literal in setting.key.literals { names[literal] = setting.name }
        }
        return settings.compactMap { setting in
            names[setting.key].map { .duplicateKey(setting.key, $0, setting.key, setting.name) }
        }
    }
}

/// The types of groups in which a search has found no unreachable setting.
private let searchedTypes = LockedValue<Set<ObjectIdentifier>>([])

extension SettingsError {
    static func unreachable(_ setting: UnreachableSetting) -> SettingsError {
        SettingsError(.unreachable, "\(setting.place), \(setting.what), would never be saved: \(setting.advice)")
    }

    static func duplicateKey(
        _ key: SettingKey, _ name: String, _ otherKey: SettingKey, _ otherName: String
    ) -> SettingsError {
        let description =
            key == otherKey
            ? "\(name) and \(otherName) both have the key “\(key)”. Give one of them another key: @Setting(\"…\")."
            : "The key “\(key)” of \(name) and the key “\(otherKey)” of \(otherName) lie within each other. Give one of "
                + "them another key: @Setting(\"…\")."
        return SettingsError(.duplicateKey, description, key: key.description)
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
        let schedule: ScheduledSave
        switch savePolicy {
        case .memoryOnly: return nil
        case .immediate: schedule = ScheduledSave(quiet: .zero, longest: .zero)
        case .inherited: schedule = ScheduledSave(quiet: .milliseconds(250), longest: .seconds(2))
        case .debounced(let quiet, let longest):
            schedule = ScheduledSave(quiet: quiet, longest: longest)
        }
        if let index = schedules.firstIndex(where: { $0.quiet == schedule.quiet && $0.longest == schedule.longest }) {
            return index
        }
        schedules.append(schedule)
        return schedules.count - 1
    }
}
