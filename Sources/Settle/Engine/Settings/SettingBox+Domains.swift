/// Finding a setting's value in force among several domains. Requires the writer's lock.
extension SettingBox {
    // MARK: The application's domain

    func committedOwn(in slot: SettingSlot) -> StagedValue<Value>? {
        guard slot.isStored else { return nil }
        // Of the box's own type, like everything that is staged.
        if let own = held?.own { return unsafeDowncast(own, to: StagedValue<Value>.self) }
        return StagedValue(published, isStored: true)
    }

    func visibleOwn(in placement: Placement) -> StagedValue<Value>? {
        recordRead()
        guard placement.engine.writer.isHeldByCurrentThread, let staged else {
            return placement.engine.log.lock.withLock { committedOwn(in: placement.slot) }
        }
        return staged.own.map { unsafeDowncast($0, to: StagedValue<Value>.self) }
    }

    @usableFromInline
    var valueToModifyInSpecialState: Value {
        let box = resolved
        guard box.isLayered, let placement = box.existingPlacement else { return value }
        let held = box.staged.map(\.held) ?? box.held
        // A transaction that writes another domain begins with the value in force.
        guard held?.domain.isAbove == true, placement.engine.transaction?.target == nil else { return value }
        return box.visibleOwn(in: placement)?.value ?? box.below(in: placement).value
    }

    // MARK: The value in force

    /// The value in force, if the application's domain has `own`.
    func inForce(own: StagedValue<Value>?, in placement: Placement) -> StagedValue<Value> {
        inForce(own: own, at: placement.engine.declaredKey(of: placement.slot), in: placement.engine)
    }

    private func inForce(own: StagedValue<Value>?, at key: SettingKey, in engine: Engine) -> StagedValue<Value> {
        for candidate in engine.candidates(at: key, above: true) {
            if let value = usable(candidate, for: key, in: engine) {
                return StagedValue(value, isStored: own != nil, held: HeldValue(by: candidate.domain, over: own))
            }
            guard candidate.domain.locksKeys else { continue }
            // The user's value must not get in force through damage to the value that locks it.
            let lastGood = held?.domain === candidate.domain ? published : defaultValue
            return StagedValue(lastGood, isStored: own != nil, held: HeldValue(by: candidate.domain, over: own))
        }
        return own ?? below(at: key, in: engine)
    }

    func below(in placement: Placement) -> StagedValue<Value> {
        below(at: placement.engine.declaredKey(of: placement.slot), in: placement.engine)
    }

    /// Returns the value of the domains below the application's, or else the default.
    private func below(at key: SettingKey, in engine: Engine) -> StagedValue<Value> {
        for candidate in engine.candidates(at: key, above: false) {
            guard let value = usable(candidate, for: key, in: engine) else { continue }
            return StagedValue(value, isStored: false, held: HeldValue(by: candidate.domain))
        }
        return StagedValue(defaultValue, isStored: false)
    }

    private func usable(_ candidate: DomainCandidate, for key: SettingKey, in engine: Engine) -> Value? {
        do {
            let value = try decode(candidate)
            if candidate.isRenamed { engine.reportRenamed(candidate, to: key) }
            return value
        } catch {
            // An empty text is a value for strings, but not for other types.
            if candidate.isText, TextCandidates.isEmpty(candidate.value) { return nil }
            engine.reportSkipped(candidate, of: self, for: key, error)
            return nil
        }
    }

    func decode(_ candidate: DomainCandidate) throws -> Value {
        let check = { [definition] in try definition.rules.check($0, key: candidate.key) }
        let typed = { [self] in
            let decoded = try decodeFields(candidate.value).value
            try check(decoded)
            return decoded
        }
        guard candidate.isText else { return try typed() }
        do {
            return try TextCandidates.decode(candidate.value, with: definition.codec, accepting: check)
        } catch {
            // Not all of its values have to be texts.
            guard case .dictionary = candidate.value, let decoded = try? typed() else { throw error }
            return decoded
        }
    }

    // MARK: Staging

    func stageInForce(after domain: DomainIdentity?) {
        guard let placement = existingPlacement else { return }
        let (engine, wasStaged) = (placement.engine, staged != nil)
        let key = engine.declaredKey(of: placement.slot)
        markLayered(engine.isLayered(placement.slot, key))
        let before = stagedValue ?? StagedValue(published, isStored: placement.slot.isStored, held: held)
        let own = visibleOwn(in: placement)
        let new = isLayered ? inForce(own: own, at: key, in: engine) : own ?? StagedValue(defaultValue, isStored: false)
        let isSameHolder = before.held?.domain === new.held?.domain
        if isSameHolder, before.held?.domain !== domain || isSame(before.value, new.value) { return }
        stage(new, in: engine)
        if !wasStaged { engine.transaction?.outside.insert(ObjectIdentifier(self)) }
    }

    /// Writes the domain that the transaction writes instead of the application's.
    func divert(_ value: Value?, in placement: Placement) {
        let (engine, key) = (placement.engine, placement.engine.declaredKey(of: placement.slot))
        do {
            guard placement.slot.access != .owner else {
                throw SettingsError.protected(key, by: key, placement.slot.declaration ?? "")
            }
            // The secret store has no values of other settings, so it can't remove them either.
            if value != nil || engine.transaction?.target?.domain.holdsSecrets == true {
                try engine.checkTarget(of: placement.slot)
            }
            guard engine.divert(try value.map { try definition.codec.encode($0) }, at: key) else { return }
            stageInForce(after: engine.transaction?.target?.domain)
        } catch {
            engine.refuse(error as? SettingsError ?? .encodingFailed(key: key, isSecret: isSecret, error))
        }
    }

    func installInForce(isStored: Bool, at key: SettingKey, in engine: Engine) {
        markLayered(true)
        let inForce = inForce(own: isStored ? StagedValue(published, isStored: true) : nil, at: key, in: engine)
        guard let held = inForce.held else { return }
        install(inForce.value)
        _ = exchangeHeld(held)
    }

    /// Returns what publishing a staged value changes in the application's domain.
    func ownMutation(staging staged: StagedValue<Value>, in slot: SettingSlot, comparing: Bool) -> OwnMutation {
        let old = committedOwn(in: slot)?.value
        let new = staged.own.map { unsafeDowncast($0, to: StagedValue<Value>.self).value }
        let isEqual =
            switch (old, new) {
            case (nil, nil): true
            case (let old?, let new?): comparing && isSame(old, new)
            default: false
            }
        return OwnMutation(old: old, new: new, isEqual: isEqual)
    }
}

extension AnySettingBox {
    /// Throws if a domain locks the setting.
    final func checkLock() throws(SettingsError) {
        if let followed { return try followed.box.checkLock() }
        guard isLayered, let placement = existingPlacement, let lock = lock(in: placement) else { return }
        throw .locked(placement.slot.key, by: lock.domain.name, at: placement.engine.place(of: lock))
    }

    /// Throws if a reset would leave the value in force, because the secret store may have it and the application's
    /// domain has none. Requires a transaction.
    final func checkReset() throws(SettingsError) {
        guard declaration.isStoredInSecrets, !isFollowing, let placement = existingPlacement,
            !placement.engine.isUnopened, placement.engine.transaction?.target == nil
        else { return }
        // A stored value that can't be used is none of the box's, and can be removed.
        guard visibleOwnValue == nil, !savesEqual else { return }
        throw placement.engine.storedInSecrets(placement.slot.key)
    }

    /// Whether a reset of many settings includes this one: not if it is locked, nor if the transaction writes the secret
    /// store and the setting is stored elsewhere. Requires a transaction.
    final var isResettable: Bool {
        guard !isLocked else { return false }
        let target = existingPlacement?.engine.transaction?.target?.domain
        return target?.holdsSecrets != true || declaration.isStoredInSecrets
    }

    final var isLocked: Bool {
        if let followed { return followed.box.isLocked }
        return isLayered && existingPlacement.map { lock(in: $0) != nil } ?? false
    }

    private final func lock(in placement: Placement) -> DomainCandidate? {
        let log = placement.engine.log
        return log.lock.withLock { log.stored.domains.lock(on: placement.slot, log.stored.slots) }
    }
}

extension DomainStack {
    /// Returns the value that locks a setting. Requires the log's lock.
    func lock(on slot: SettingSlot, _ slots: SlotIndex) -> DomainCandidate? {
        guard slot.access != .owner else { return nil }
        return candidates(at: slots.declaredKey(of: slot)).first { $0.domain.locksKeys }
    }
}
