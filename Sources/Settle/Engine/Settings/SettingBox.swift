public import Synchronization

/// Storage of a setting's value.
///
/// The published value is a word, read with one atomic load, if its type is plain memory of at most eight bytes, and a
/// ``LockedCell`` otherwise. A value that a transaction has written but not published yet is staged beside it, where
/// only the transaction's thread sees it.
@usableFromInline
package final class SettingBox<Value: Sendable>: AnySettingBox, @unchecked Sendable {
    // Sendable: constants and atomics, except `initialDefault`, which is set before the box is shared.

    @usableFromInline let definition: SettingDefinition<Value>
    /// Empty if the value fits into `word`.
    @usableFromInline let cell: LockedCell<Value>
    /// The default written by the group's initializer in place of the declaration's; set before the box is shared.
    private var initialDefault: StagedValue<Value>?

    init(_ definition: SettingDefinition<Value>) {
        self.definition = definition
        cell = Self.fitsIntoWord ? LockedCell() : LockedCell(definition.defaultValue)
        super.init(
            hasRules: definition.isChecked,
            unknownFields: definition.codec.decodeFields == nil ? nil : StoredUnknownFields(),
            word: Self.fitsIntoWord ? Self.word(of: definition.defaultValue) : 0,
            areEqualWords: Self.wordEquality(definition), wordConversion: Self.convert)
    }

    private init(_ value: Value, of original: SettingBox, in draft: (any DraftSource)? = nil) {
        definition = original.definition
        initialDefault = original.initialDefault
        cell = Self.fitsIntoWord ? LockedCell() : LockedCell(value)
        super.init(of: original, word: Self.fitsIntoWord ? Self.word(of: value) : 0, in: draft)
    }

    deinit {
        cell.end()
    }

    // MARK: Writing

    /// Assigns a value. A value that breaks a rule is refused and reported, or fails the transaction in progress.
    @inlinable
    func assign(_ newValue: Value) {
        if Self.fitsIntoWord {
            let new = Self.word(of: newValue)
            if flags.load(ordering: .acquiring).isDisjoint(with: .uncomparable),
                word.load(ordering: .acquiring) == new || assign(word: new)
            {
                return
            }
        } else if let placement = beginDirectWrite() {
            publish(newValue, in: placement)
            return
        }
        assignWithCare(newValue)
    }

    /// Publishes a transaction of one write and releases the writer's lock.
    @usableFromInline
    func publish(_ newValue: Value, in placement: Placement) {
        // The log keeps a word without its setting, which, in a group that no store has opened, lives only as long as
        // the group.
        if Self.fitsIntoWord, !isUnopened {
            publish(word: Self.word(of: newValue), in: placement)
            return
        }
        let engine = placement.engine
        guard let old = valueToReplace(by: newValue) else {
            engine.unlockWriter()
            return
        }
        RunningUpdates.countWrite(to: engine)
        let details = LogDetails(
            [LoggedMutation(slot: placement.slot, old: old, new: newValue)], origin: .local, author: nil,
            cost: cost(of: old, newValue, at: placement.slot), limit: engine.log.costLimit)
        let time = engine.time.now(isExact: engine.log.isFollowed)
        let log = engine.log
        log.lock.lock()
        log.beginInstalling()
        install(newValue)
        log.endInstalling()
        let wakeUps = log.record(placement.slot, node: node, details: details, time: time)
        log.lock.unlock()
        if !wakeUps.isEmpty { engine.actAfterUnlock(on: wakeUps) }
        engine.unlock(releasing: wakeUps.dropped)
        // The last reference to the old value; releasing it may run foreign code.
        withExtendedLifetime(old) {}
    }

    /// Returns the memory that a mutation takes. Usually the mutation before it has the old value too.
    private func cost(of old: Value, _ new: Value, at slot: SettingSlot) -> Int {
        guard let cost = definition.cost else { return slot.measuredSize }
        return max(slot.measuredSize, cost(old), cost(new))
    }

    /// Returns the published value, unless it equals the new one. Requires the writer's lock.
    private func valueToReplace(by newValue: Value) -> Value? {
        guard let areEqual = definition.areEqual else { return published }
        // `==` is foreign code and may write the setting itself: compare again, but not forever.
        for _ in 0..<8 {
            let mark = changeMark
            let old = published
            let isEqual = areEqual(old, newValue)
            if changeMark == mark { return isEqual ? nil : old }
        }
        return published
    }

    func install(_ newValue: Value) {
        if Self.fitsIntoWord {
            install(word: Self.word(of: newValue))
        } else {
            cell.store(newValue, version: version)
        }
    }

    /// The slow path, for a write that has rules, belongs to a transaction, or comes after the close.
    @usableFromInline
    func assignWithCare(_ newValue: Value) {
        let box = resolved
        let placement = box.lockForWriting()
        do {
            try box.writeAndUnlock(newValue, in: placement)
        } catch {
            placement.engine.refuse(error)
            placement.engine.writer.unlock()
        }
    }

    /// Writes a value, or throws and leaves the old one.
    func set(_ newValue: Value) throws(SettingsError) {
        let box = resolved
        let placement = box.lockForWriting()
        do {
            try box.writeAndUnlock(newValue, in: placement)
        } catch {
            placement.engine.writer.unlock()
            throw error
        }
    }

    /// Writes a value and releases the writer's lock, which it requires. If this throws, the caller has to release the
    /// lock.
    private func writeAndUnlock(_ newValue: Value, in placement: Placement) throws(SettingsError) {
        let engine = placement.engine
        guard engine.mode != .closed else { throw .closed(key: placement.slot.key.description) }
        if let refusal = engine.refusal { throw refusal }
        try checkRelease()
        try checkStorage(in: placement)
        try check(newValue, in: placement.slot)
        if engine.mode == .transaction {
            try stageWrite(newValue, in: placement)
            engine.writer.unlock()
        } else if isLayered || isFollowing || savesEqual {
            try engine.transact(origin: .local, author: nil, failing: { $0 }) { () throws(SettingsError) in
                try stageWrite(newValue, in: placement)
            }
            engine.writer.unlock()
        } else {
            publish(newValue, in: placement)
        }
    }

    private func check(_ value: Value, in slot: SettingSlot) throws(SettingsError) {
        if isFollowing { return try checkInDraft(value) }
        if hasRules { try definition.check(value, key: slot.key) }
    }

    /// Throws if the write would store a value of the secret store in the application's domain. A draft may have one;
    /// applying it comes here again.
    private func checkStorage(in placement: Placement) throws(SettingsError) {
        guard definition.isStoredInSecrets, !isFollowing, !placement.engine.isUnopened,
            placement.engine.transaction?.target == nil
        else { return }
        throw placement.engine.storedInSecrets(placement.slot.key)
    }

    // MARK: Staging, under the writer's lock

    /// Stages the value in force, given that the application's domain has a value, or has none.
    ///
    /// - Parameters:
    ///   - stored: The stored form of the value, if known.
    ///   - fields: The fields of the stored form beyond those of its type.
    private func stage(
        own value: Value?, stored: SettingValue? = nil, fields: StoredFields? = nil, in placement: Placement
    ) {
        if isFollowing { return edit(value, in: placement.engine) }
        if placement.engine.transaction?.target != nil { return divert(value, in: placement) }
        let size = placement.slot.isMeasured ? stored?.roughSize ?? 0 : 0
        let own = value.map { StagedValue($0, isStored: true, size: size, fields: fields) }
        stage(isLayered ? inForce(own: own, in: placement) : own ?? unstoredDefault, in: placement.engine)
    }

    private var unstoredDefault: StagedValue<Value> { StagedValue(defaultValue, isStored: false) }

    func stage(_ new: StagedValue<Value>, in engine: Engine) {
        engine.transaction?.addStaging(of: self)
        // Release the value staged before at the end, not inside the exchange: that may run foreign code.
        let replaced = exchangeStaged(new)
        withExtendedLifetime(replaced) {}
    }

    private func stageWrite(_ newValue: Value, in placement: Placement) throws(SettingsError) {
        if isLayered { try checkLock() }
        stage(own: newValue, in: placement)
    }

    var stagedValue: StagedValue<Value>? {
        guard let staged else { return nil }
        // Only `stage` makes staged values, and of the box's own type. Without a closure, which would need the type's
        // metadata.
        return unsafeDowncast(staged, to: StagedValue<Value>.self)
    }

    override func stageDefault() {
        guard let placement = existingPlacement else { return }
        stage(own: nil, in: placement)
    }

    override func stageReplaced() {
        guard let engine = existingPlacement?.engine else { return }
        stage(StagedValue(defaultValue, isStored: false, isReplaced: true), in: engine)
    }

    override func stage(decoding value: SettingValue) throws {
        guard let placement = existingPlacement else { return }
        try checkStorage(in: placement)
        let (decoded, fields) = try decodeFields(value)
        try check(decoded, in: placement.slot)
        if isLayered { try checkLock() }
        stage(own: decoded, stored: value, fields: fields, in: placement)
    }

    override func stageIfDifferent(decoding value: SettingValue) throws -> Bool {
        guard let placement = existingPlacement else { return false }
        let (decoded, fields) = try decodeFields(value)
        recordRead()
        if isLayered {
            if let own = committedOwn(in: placement.slot), isSame(own.value, decoded) { return keep(fields) }
        } else if isSame(published, decoded) {
            return keep(fields)
        }
        try check(decoded, in: placement.slot)
        stage(own: decoded, stored: value, fields: fields, in: placement)
        return true
    }

    /// Replaces the unknown fields of the stored value, the only part of it that may have changed.
    private func keep(_ fields: StoredFields?) -> Bool {
        unknownFields?.replace(with: fields?.unknown)
        return false
    }

    /// Compares values of types that are not `Equatable` by their stored form.
    func isSame(_ one: Value, _ other: Value) -> Bool {
        if let areEqual = definition.areEqual { return areEqual(one, other) }
        guard let one = try? definition.codec.encode(one), let other = try? definition.codec.encode(other) else {
            return false
        }
        return one == other
    }

    override func stagedMutation(comparing: Bool, isOutside: Bool, savesEqual: Bool) -> StagedMutation? {
        guard let staged = stagedValue, let slot = existingPlacement?.slot else { return nil }
        if isFollowing { return draftMutation(staging: staged, cost: slot.measuredSize, comparing: comparing) }
        let new = staged.value
        let old = published
        let isEqual = if comparing, let areEqual = definition.areEqual { areEqual(old, new) } else { false }
        let savesEqual = (savesEqual || self.savesEqual) && !isOutside
        // A removal, too, may change only what is stored.
        let hasOwn = isLayered || held != nil || savesEqual || (slot.isStored && !staged.isStored)
        var own = hasOwn ? ownMutation(staging: staged, in: slot, comparing: comparing) : nil
        if savesEqual { own?.isEqual = false }
        return StagedMutation(
            old: old, new: new, isStored: staged.isStored, isEqual: isEqual, own: own,
            cost: max(staged.size, cost(of: old, new, at: slot)))
    }

    override func installStaged(isEvent: Bool) -> HeldValue? {
        guard let staged = stagedValue else { return nil }
        if staged.size > 0 { existingPlacement?.slot.recordSize(staged.size) }
        if let fields = staged.own?.fields { unknownFields?.replace(with: fields.unknown) }
        // The value that a draft has published may be older than the one it shows.
        if isEvent || isFollowing { install(staged.value) }
        defer { if isFollowing { existingPlacement?.engine.draftChanged() } }
        return exchangeHeld(staged.held)
    }

    // MARK: Without the type

    override var isPlain: Bool {
        !hasRules
            && (Value.self == Int.self || Value.self == Bool.self || Value.self == Double.self
                || Value.self == String.self)
    }
    override var committedValue: any Sendable { published }
    override func check(_ candidate: DomainCandidate) throws { _ = try decode(candidate) }
    override func reads(_ candidate: DomainCandidate, as value: SettingValue) throws -> Bool {
        isSame(try decode(candidate), try decodeFields(value).value)
    }
    override func restage(after domain: DomainIdentity?) { stageInForce(after: domain) }
    override func adoptInForce(isStored: Bool, at key: SettingKey, in engine: Engine) {
        installInForce(isStored: isStored, at: key, in: engine)
    }
    override func catchUp() { stageFollowed() }
    override func stageUnedited() { removeEdit() }
    override var isDirty: Bool { isDirtyInDraft }
    override var conflict: EditConflict? { conflictInDraft }
    override func rebase() { rebaseEdit() }
    override func writeFollowed() throws(SettingsError) { try applyEdit() }
    override var visibleOwnValue: (any Sendable)? { existingPlacement.flatMap { visibleOwn(in: $0)?.value } }
    override var visibleValue: any Sendable { value }
    override var visibleValueBelowCover: any Sendable { valueBelowCover }
    override var declaration: any SettingDeclaration { definition }
    override var erasedDefault: any Sendable { defaultValue }
    /// The value in the absence of a stored one.
    var defaultValue: Value { initialDefault?.value ?? definition.defaultValue }

    override func encodeForSaving(_ value: any Sendable) throws -> SettingValue {
        let encoded = try definition.codec.encode(SettingDefinition<Value>.typed(value))
        unknownFields?.keep(within: encoded)
        return unknownFields?.add(to: encoded) ?? encoded
    }

    override func adopt(loaded value: SettingValue) throws {
        let (decoded, fields) = try decode(loaded: value)
        install(decoded)
        unknownFields?.replace(with: fields?.unknown)
    }

    override func check(loaded value: SettingValue) throws {
        _ = try decode(loaded: value)
    }

    override func decode(stored value: SettingValue) throws -> any Sendable { try decodeFields(value).value }

    override func areSame(_ one: SettingValue, _ other: SettingValue) -> Bool {
        guard let one = try? decodeFields(one).value, let other = try? decodeFields(other).value else { return false }
        return isSame(one, other)
    }

    private func decode(loaded value: SettingValue) throws -> (Value, StoredFields?) {
        let (decoded, fields) = try decodeFields(value)
        try definition.rules.check(decoded, key: SettingKey(stored: definition.key ?? ""))
        return (decoded, fields)
    }

    func decodeFields(_ value: SettingValue) throws -> (value: Value, fields: StoredFields?) {
        guard unknownFields != nil else { return (try definition.codec.decode(value), nil) }
        let (decoded, unknown) = try definition.codec.decode(value) { defaultValue }
        return (decoded, StoredFields(unknown: unknown))
    }

    override func adopt(erased value: any Sendable) -> Bool {
        guard let value = value as? Value else { return false }
        install(value)
        return true
    }

    override func frozen(asPublished: Bool) -> AnySettingBox {
        let source = has(.frozen) ? self : resolved
        return SettingBox(asPublished ? source.published : source.value, of: resolved)
    }

    override func followed(in draft: any DraftSource) -> AnySettingBox {
        SettingBox(valueBelowCover, of: self, in: draft)
    }

    override func adoptInitialWrite() {
        guard let slot = existingPlacement?.slot, slot.isStored else { return }
        initialDefault = StagedValue(published, isStored: false)
    }

    override var defaultViolation: SettingsError? {
        do {
            try definition.check(defaultValue, key: SettingKey(stored: definition.key ?? ""))
            return nil
        } catch {
            return error
        }
    }
}
