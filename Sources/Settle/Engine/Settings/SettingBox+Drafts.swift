import Synchronization

/// A setting of a draft: it has the value of the setting that it follows, until it is edited.
extension SettingBox {
    private var followedBox: SettingBox? {
        // A box follows only boxes of its own type.
        followed.map { unsafeDowncast($0.box, to: SettingBox.self) }
    }

    /// The setting that drafts of drafts follow in the end.
    var followedSource: SettingBox { followedBox?.followedSource ?? self }

    // MARK: Reading

    var valueInDraft: Value { isEdited ? published : followedValue }

    private var followedValue: Value { followedBox?.valueBelowCover ?? published }

    /// The value given by the application's domain and those below it, on any thread.
    var valueBelowCover: Value { has(.held) && !isFollowing ? ownValueBelowCover : value }

    @inline(never)
    private var ownValueBelowCover: Value {
        guard let placement = existingPlacement else { return value }
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

    // MARK: Editing, under the writer's lock

    func checkInDraft(_ value: Value) throws(SettingsError) {
        guard let placement = existingPlacement else { return }
        do throws(SettingsError) {
            try checkLock()
            if hasRules { try definition.check(value, key: placement.slot.key) }
            placement.engine.judge(placement.slot, nil)
        } catch {
            placement.engine.judge(placement.slot, error)
            throw error
        }
    }

    /// Stages a value of the draft's own, or, without one, a reset of the setting.
    func edit(_ value: Value?, in engine: Engine) {
        let known = staged.map { $0.held?.edit } ?? held?.edit
        let edit = DraftEdit(value == nil ? .reset : .value, since: known?.base ?? newBase)
        let shown = value ?? followedSource.valueIfReset
        stage(StagedValue(shown, isStored: value != nil, held: HeldValue(edit)), in: engine)
    }

    private var newBase: DraftEditBase { DraftEditBase(effective: followedBox?.value ?? published, own: followedValue) }

    private var valueIfReset: Value {
        guard isLayered, let placement = existingPlacement else { return defaultValue }
        return below(in: placement).value
    }

    func removeEdit() {
        guard let engine = existingPlacement?.engine else { return }
        stage(StagedValue(followedValue, isStored: false), in: engine)
    }

    func stageFollowed() {
        guard let followed, let engine = existingPlacement?.engine, !isEdited, staged == nil else { return }
        // Only a transaction's own thread sees its unpublished values.
        if followed.box.existingPlacement?.engine.isInTransaction == true { return }
        let version = followedSource.has(.held) ? nil : followed.box.draftVersion
        if let version, followed.seen == version { return }
        followed.seen = version
        let value = followedValue
        if !isSame(published, value) { stage(StagedValue(value, isStored: false), in: engine) }
    }

    func rebaseEdit() {
        guard let kind = held?.edit?.kind, let engine = existingPlacement?.engine else { return }
        let edit = DraftEdit(kind, since: newBase)
        stage(StagedValue(published, isStored: kind == .value, held: HeldValue(edit)), in: engine)
    }

    /// Returns what publishing a staged value changes. Writing the value that the setting already has is not an edit.
    func draftMutation(staging staged: StagedValue<Value>, cost: Int, comparing: Bool) -> StagedMutation {
        let (edit, before) = (staged.held?.edit, held?.edit)
        let old = edit != nil && before == nil ? followedValue : published
        let isEqual = if comparing, let areEqual = definition.areEqual { areEqual(old, staged.value) } else { false }
        let isNoEdit = edit?.kind == .value && before == nil && !followedSource.savesEqual
        let isSameEdit = edit?.kind == before?.kind && edit?.base === before?.base || isNoEdit
        return StagedMutation(
            old: old, new: staged.value, isStored: staged.isStored, isEqual: isEqual,
            own: isEqual && !isSameEdit ? OwnMutation(old: nil, new: nil, isEqual: false) : nil,
            cost: max(cost, definition.cost?(staged.value) ?? 0))
    }

    // MARK: Applying

    var isDirtyInDraft: Bool {
        guard isEdited else { return false }
        followedSource.recordRead()
        if followedSource.savesEqual { return true }
        if isReset { return followedSource.existingPlacement.map { $0.isStored } ?? false }
        return !isSame(published, followedValue)
    }

    private var isReset: Bool {
        guard let placement = existingPlacement else { return false }
        return placement.engine.log.lock.withLock { held?.edit?.kind == .reset }
    }

    var conflictInDraft: EditConflict? {
        guard let placement = existingPlacement, let followedBox else { return nil }
        let (edit, draft) = placement.engine.log.lock.withLock { (held?.edit, published) }
        guard let edit, let own = edit.base.own as? Value,
            let effective = edit.base.effective as? Value
        else { return nil }
        let pairs = [(own, followedValue), (effective, followedBox.value)]
        guard let changed = pairs.first(where: { !isSame($0, $1) }), !isSame(draft, changed.1) else { return nil }
        return EditConflict(original: changed.0, current: changed.1, draft: draft)
    }

    func applyEdit() throws(SettingsError) {
        guard let followedBox, let edit = held?.edit else { return }
        guard edit.kind == .reset else { return try followedBox.set(published) }
        try followedBox.checkRelease()
        try followedBox.checkLock()
        followedBox.stageDefault()
    }
}

extension AnySettingBox {
    /// A version that changes whenever the published value of a setting, or of the one that it follows, does.
    fileprivate final var draftVersion: UInt64 {
        // Each part only rises, so the sum is the same only if all of them are.
        version.load(ordering: .acquiring) &+ (followed.map { $0.box.draftVersion } ?? 0)
    }
}

extension Placement {
    fileprivate var isStored: Bool { engine.log.lock.withLock { slot.isStored } }
}
