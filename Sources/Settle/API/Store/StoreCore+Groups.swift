extension StoreCore {
    /// Adds a new group to the store.
    ///
    /// - Parameter waits: Whether to wait for a write in progress.
    /// - Returns: False if a write was in progress and nothing was done.
    func open(_ group: some SettingsGroup, at path: SettingKey?, waiting waits: Bool) throws(SettingsError) -> Bool {
        if let path { try path.check(for: "\(type(of: group))") }
        var layout = GroupLayout(group, at: path, savePolicy: configuration.savePolicy)
        for setting in layout.settings { setting.box.adoptInitialWrite() }
        let name = layout.typeName
        try layout.check()
        // Before any source has them: from then on readers see what the sources have.
        announceSecrets(of: layout)
        let textKeys = domains.all.isEmpty ? [] : layout.textKeys
        let variables = try variables(for: textKeys)
        declareLookups(textKeys)
        if waits { writer.lock() } else if !writer.tryLock() { return false }
        defer { writer.unlock() }
        guard mode != .closed else { throw .closed(key: path?.description) }
        log.lock.withLock {
            for index in layout.settings.indices {
                let key = layout.settings[index].key
                layout.settings[index].declaredKey = key
                layout.settings[index].key = log.stored.resolved(key)
            }
        }
        var plans: [Plan] = []
        var errors: [SettingsError] = []
        for declared in layout.settings {
            do throws(SettingsError) { plans.append(try plan(declared)) } catch { errors.append(error) }
        }
        if let error = SettingsError.unusable(name, errors) { throw error }
        reportVariables(of: layout)
        giveUpSecrets(textKeys)
        declareText(textKeys, variables)
        var inForce: [SettingKey: SettingValue?] = [:]
        let opened = OpenedGroup(at: path, typeName: name, presented: layout.presented)
        for plan in plans { carryOut(plan, of: opened, &inForce) }
        persister.keep(inForce)
        let secrets = layout.settings.filter(\.box.isSecret).map(\.key)
        if !secrets.isEmpty {
            persister.keepPrivate()
            persister.withhold(log.spellings(of: secrets))
        }
        keepApart(layout.settings)
        declarationsChanged()
        // The defaults of new settings are in force.
        if plans.contains(where: \.isNew) { actAfterUnlock(on: log.countArrival()) }
        return true
    }

    /// Hides the secrets of a group that is about to be opened. They stay hidden as long as the store exists.
    private func announceSecrets(of layout: GroupLayout) {
        let secrets = layout.settings.filter(\.box.isSecret)
        guard !secrets.isEmpty else { return }
        func spellings(of keys: [SettingKey]) -> [SettingKey] { keys.flatMap { $0.literals + [$0] } }
        let all = secrets.map(\.key)
        let apart = secrets.filter { $0.box.declaration.isStoredInSecrets }.map(\.key)
        log.lock.withLock {
            // The secret store may still have the names from before a migration.
            let earlier = all.flatMap { log.stored.domains.oldNames(of: $0) }
                .filter { log.stored.slots.declared(as: $0) == nil }
            log.stored.announcedSecrets.formUnion(spellings(of: all + earlier))
            log.stored.announcedStoredApart.formUnion(spellings(of: apart))
        }
    }

    /// Reports each variable once whose values are never saved.
    private func reportVariables(of layout: GroupLayout) {
        for (name, error) in layout.unsavedVariables where reportedVariables.insert(name).inserted {
            reportAfterUnlock(error)
        }
    }

    /// Has state saved separately from other settings.
    private func keepApart(_ settings: [GroupLayout.Declared]) {
        let saved = settings.filter { $0.savePolicy != .memoryOnly }
        let state = saved.filter { $0.category == .state }.map(\.key)
        guard !state.isEmpty || persister.checkpointing?.hasState == true else { return }
        let others = saved.filter { $0.category != .state }.map(\.key)
        persister.keepApart(state: log.spellings(of: state), from: log.spellings(of: others))
    }

    private enum Plan {
        case alias(GroupLayout.Declared, of: AnySettingBox)
        case new(GroupLayout.Declared)

        var isNew: Bool {
            switch self {
            case .alias: false
            case .new: true
            }
        }
    }

    /// Requires the writer's lock.
    private func plan(_ declared: GroupLayout.Declared) throws(SettingsError) -> Plan {
        if declared.access == .owner, declared.box.declaration.isStoredInSecrets {
            throw .ownedSecret(declared.key, declared.name)
        }
        let (slot, neighbour) = log.lock.withLock {
            (
                log.stored.slots[declared.key],
                log.stored.slots.neighbour(of: declared.key)
                    ?? declared.declaredKey.flatMap { $0 == declared.key ? nil : log.stored.slots.neighbour(of: $0) }
            )
        }
        if let neighbour {
            throw .duplicateKey(
                declared.key, declared.name, neighbour.key, neighbour.declaration ?? "a write at run time")
        }
        guard let slot, let box = slot.box, let existing = slot.declaration else { return .new(declared) }
        guard existing == declared.name, box.declaration.valueType == declared.box.declaration.valueType else {
            throw .duplicateKey(declared.key, declared.name, slot.key, existing)
        }
        return .alias(declared, of: box)
    }

    /// Requires the writer's lock.
    ///
    /// - Parameter inForce: Receives, for each stored value that can't be used, the one used instead.
    private func carryOut(_ plan: Plan, of group: OpenedGroup, _ inForce: inout [SettingKey: SettingValue?]) {
        switch plan {
        case .alias(let declared, let original):
            declared.box.become(aliasOf: original)
            // The group may have been opened by itself before, and now as a part of an owner-only group.
            if declared.access == .owner { makeOwned(declared.key, original) }
            let position = DeclarationPosition(in: group, index: declared.index)
            log.lock.withLock {
                guard let slot = log.stored.slots[declared.key] else { return }
                slot.category = declared.category
                slot.position = slot.position.map { min($0, position) } ?? position
            }
        case .new(let declared):
            let (stored, runtime) = valueForNewSetting(at: declared.key)
            var isUsable = false
            var lastGood: SettingValue?
            if let stored {
                reportIfExposed(declared.box, at: declared.key)
                (isUsable, lastGood) = adopt(stored, at: declared.key, in: declared.box)
                if declared.savePolicy != .memoryOnly { inForce.updateValue(lastGood, forKey: declared.key) }
            }
            if declared.access != .owner, log.lock.withLock({ log.stored.domains.concerns(declared.spelledKey) }) {
                declared.box.adoptInForce(isStored: isUsable, at: declared.spelledKey, in: self)
            }
            let (slot, replaced) = log.lock.withLock {
                let slot = log.insert(declared)
                slot.isStored = isUsable
                slot.position = DeclarationPosition(in: group, index: declared.index)
                slot.lastGood = lastGood
                slot.origin = isUsable ? .loaded : .default
                if let runtime, isUsable || !runtime.isStored {
                    log.unsaved.pass(from: runtime, to: slot, declared.box)
                }
                // Slot and box reference each other, and the box references the store.
                return (slot, runtime?.removeBox())
            }
            withExtendedLifetime(replaced) {}
            if isUsable, slot.isMeasured, let loaded = lastGood ?? stored { slot.recordSize(loaded.roughSize) }
            declared.box.open(at: Placement(in: self, slot: slot))
        }
    }

    /// Makes a setting owner-only: from now on other domains have no part in it.
    private func makeOwned(_ key: SettingKey, _ box: AnySettingBox) {
        log.lock.withLock { log.stored.slots.makeOwned(key) }
        guard box.isLayered else { return }
        // Not a write, which a store may refuse. Only a closed store throws, and it opens no groups.
        try? transact(origin: .loaded, author: nil) { box.restage(after: nil) }
    }
}

extension MutationLog {
    /// Creates the slot of a declared setting. Requires the lock.
    fileprivate func insert(_ declared: GroupLayout.Declared) -> SettingSlot {
        let slot = SettingSlot(
            key: declared.key, declaration: declared.name, schedule: unsaved.schedule(for: declared.savePolicy),
            access: declared.access, category: declared.category, box: declared.box,
            parent: changes.topic(at: declared.group))
        stored.insert(slot, declaredAs: declared.declaredKey)
        return slot
    }
}
