import Synchronization

/// A setting of a draft: it has the value of the setting that it follows, until it is touched.
extension SettingBox {
    private var followedBox: SettingBox? {
        // A box follows only boxes of its own type.
        followed.map { unsafeDowncast($0.box, to: SettingBox.self) }
    }

    /// The setting that drafts of drafts follow in the end.
    var followedSource: SettingBox { followedBox?.followedSource ?? self }

    // MARK: Reading

    var valueInDraft: Value { isTouched ? published : followedValue }

    private var followedValue: Value { followedBox?.valueBelowCover ?? published }

    /// What the application's domain and those below it give, on any thread.
    private var valueBelowCover: Value {
        guard has(.held), !isFollowing, let placement = existingPlacement
        else { return value }
        if placement.engine.writer.isHeldByCurrentThread { return valueToModify }
        let log = placement.engine.log
        let (held, candidates) = log.lock.withLock {
            let key = log.stored.slots.declaredKey(of: placement.slot)
            return (self.held, log.stored.domains.candidates(at: key, above: false))
        }
        guard let held, held.domain.isAbove else { return published }
        if let own = held.own { return unsafeDowncast(own, to: StagedValue<Value>.self).value }
        return candidates.lazy.compactMap { try? self.decode($0) }.first ?? defaultValue
    }

    // MARK: Touching, under the writer's lock

    func checkInDraft(_ value: Value) throws(SettingsError) {
        guard let placement = existingPlacement else { return }
        do throws(SettingsError) {
            try checkLock()
            if hasRules { try definition.rules.check(value, key: placement.slot.key) }
            placement.engine.judge(placement.slot, nil)
        } catch {
            placement.engine.judge(placement.slot, error)
            throw error
        }
    }

    /// Stages a value of the draft's own, or, without one, that the setting is to be reset.
    func touch(_ value: Value?, in engine: Engine) {
        let known = staged.map { $0.held?.touch } ?? held?.touch
        let touch = Touch(value == nil ? .reset : .value, since: known?.base ?? newBase)
        let shown = value ?? followedSource.valueIfReset
        stage(StagedValue(shown, isStored: value != nil, held: HeldValue(touch)), in: engine)
    }

    private var newBase: TouchBase { TouchBase(effective: followedBox?.value ?? published, own: followedValue) }

    private var valueIfReset: Value {
        guard isLayered, let placement = existingPlacement else { return defaultValue }
        return below(in: placement).value
    }

    func untouch() {
        guard let engine = existingPlacement?.engine else { return }
        stage(StagedValue(followedValue, isStored: false), in: engine)
    }

    func stageFollowed() {
        guard let followed, let engine = existingPlacement?.engine, !isTouched, staged == nil else { return }
        let version = followed.box.draftVersion
        // Values that a transaction has not published yet are seen by its own thread only.
        if followed.seen == version || followed.box.existingPlacement?.engine.isInTransaction == true { return }
        followed.seen = version
        let value = followedValue
        if !isSame(published, value) { stage(StagedValue(value, isStored: false), in: engine) }
    }

    func rebaseTouch() {
        guard let kind = held?.touch?.kind, let engine = existingPlacement?.engine else { return }
        let touch = Touch(kind, since: newBase)
        stage(StagedValue(published, isStored: kind == .value, held: HeldValue(touch)), in: engine)
    }

    /// What publishing a staged value changes. Writing what the setting has already does not touch it.
    func draftMutation(staging staged: StagedValue<Value>, cost: Int, comparing: Bool) -> StagedMutation {
        let (touch, before) = (staged.held?.touch, held?.touch)
        let old = touch != nil && before == nil ? followedValue : published
        let isEqual = if comparing, let areEqual = definition.areEqual { areEqual(old, staged.value) } else { false }
        let isSameTouch =
            touch?.kind == before?.kind && touch?.base === before?.base || touch?.kind == .value && before == nil
        return StagedMutation(
            old: old, new: staged.value, isStored: staged.isStored, isEqual: isEqual,
            own: isEqual && !isSameTouch ? OwnMutation(old: nil, new: nil, isEqual: false) : nil,
            cost: max(cost, definition.cost?(staged.value) ?? 0))
    }

    // MARK: Applying

    var isDirtyInDraft: Bool {
        guard isTouched else { return false }
        if isReset { return followedSource.existingPlacement.map { $0.isStored } ?? false }
        return !isSame(published, followedValue)
    }

    private var isReset: Bool {
        guard let placement = existingPlacement else { return false }
        return placement.engine.log.lock.withLock { held?.touch?.kind == .reset }
    }

    var conflictInDraft: TouchConflict? {
        guard let placement = existingPlacement, let followedBox else { return nil }
        let (touch, draft) = placement.engine.log.lock.withLock { (held?.touch, published) }
        guard let touch, let own = touch.base.own as? Value,
            let effective = touch.base.effective as? Value
        else { return nil }
        let pairs = [(own, followedValue), (effective, followedBox.value)]
        guard let changed = pairs.first(where: { !isSame($0, $1) }), !isSame(draft, changed.1) else { return nil }
        return TouchConflict(original: changed.0, current: changed.1, draft: draft)
    }

    func applyTouch() throws(SettingsError) {
        guard let followedBox, let touch = held?.touch else { return }
        guard touch.kind == .reset else { return try followedBox.set(published) }
        try followedBox.checkLock()
        followedBox.stageDefault()
    }
}

extension AnySettingBox {
    /// Changes whenever the published value of a setting, or of the one that it follows, does.
    fileprivate final var draftVersion: UInt64 {
        version.load(ordering: .acquiring) &+ (followed.map { isTouched ? 0 : $0.box.draftVersion } ?? 0)
    }
}

extension Placement {
    fileprivate var isStored: Bool { engine.log.lock.withLock { slot.isStored } }
}
