public import Synchronization

/// Where a setting's value lives, without its type.
///
/// Copies of a group share its boxes. A box belongs to the store that opened its group, which keeps it as long as it is open; or,
/// from the first moment in which that matters, to the store of all groups that no store has opened.
@usableFromInline
package class AnySettingBox: @unchecked Sendable {
    // Sendable: constants and atomics, but for `attachments` (guarded by the lock of `UnopenedGroups`, or set before the box is
    // shared), `alias` (set before the box is shared), `staged` and `stagings` (guarded by the writer's lock).

    @usableFromInline package let node = ObservationNode()
    /// `isStaged`, `isAlias`, `isUnopened`, `isReleased` and `isFrozen`; 0 in a box that may be read and written without another thought.
    @usableFromInline let flags = Atomic<UInt>(AnySettingBox.isUnopened)
    /// Rises by two with each published value, and is odd while a word is being replaced.
    @usableFromInline let version = Atomic<UInt64>(0)
    /// The published value, if its type fits into a word.
    @usableFromInline let word: Atomic<UInt64>
    /// Whether two words that differ stand for equal values; `nil` if there are no such words.
    private let areEqualWords: (@Sendable (UInt64, UInt64) -> Bool)?
    /// The value that a word stands for.
    let wordConversion: @Sendable (UInt64) -> any Sendable
    /// The key given in the declaration, or `nil` if the property's name is the key.
    let declaredKey: String?
    /// Whether an assignment has to be checked.
    let hasRules: Bool
    /// The newest of `attachments`, which keeps it alive.
    private let current = Atomic<Unmanaged<Attachment>?>(nil)
    /// The box's places so far: a second one if the group's initializer has written the setting before the group was opened.
    private var attachments: [Attachment] = []
    /// What the transaction in progress has written.
    @exclusivity(unchecked) private(set) final var staged: AnyStagedValue?
    /// How often a value has been staged.
    @exclusivity(unchecked) private(set) final var stagings: UInt64 = 0
    /// The box that really has the value, if this one was made for a key that a living box has already.
    private(set) var alias: AnySettingBox?

    @usableFromInline static var isStaged: UInt { 1 }
    @usableFromInline static var isAlias: UInt { 2 }
    @usableFromInline static var isUnopened: UInt { 4 }
    static var isReleased: UInt { 8 }
    static var isFrozen: UInt { 16 }

    init(
        declaredKey: String?, hasRules: Bool, word: UInt64,
        areEqualWords: (@Sendable (UInt64, UInt64) -> Bool)?,
        wordConversion: @escaping @Sendable (UInt64) -> any Sendable
    ) {
        self.declaredKey = declaredKey
        self.hasRules = hasRules
        self.word = Atomic(word)
        self.areEqualWords = areEqualWords
        self.wordConversion = wordConversion
    }

    deinit {
        if isUnopened, let slot = attachment?.slot { UnopenedGroups.ended(slot) }
    }

    // MARK: Belonging to a store

    /// The box that has the value: this one, unless it is an alias.
    var original: AnySettingBox { alias ?? self }

    /// The box that has the value which is read by this one.
    var holder: AnySettingBox { flags.load(ordering: .relaxed) & Self.isFrozen == 0 ? original : self }

    var attachment: Attachment? {
        current.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// The place of the value, which a box of a group that no store has opened gets now.
    final var place: Attachment {
        let box = original
        return box.attachment ?? UnopenedGroups.place(of: box)
    }

    /// Puts the box into a store. The caller makes sure that nothing is written meanwhile.
    func attach(to attachment: Attachment) {
        attachments.append(attachment)
        current.store(.passUnretained(attachment), ordering: .releasing)
    }

    /// Puts the box, which is not shared yet, into the store that opens its group.
    func open(at attachment: Attachment) {
        attach(to: attachment)
        flags.store(0, ordering: .releasing)
    }

    /// The group has been let go of: the value stays as it is. Under the writer's lock.
    func release() {
        flags.store(Self.isReleased, ordering: .releasing)
    }

    /// The group stays after all. Under the writer's lock.
    func reopen() {
        flags.store(0, ordering: .releasing)
    }

    final var isReleased: Bool { flags.load(ordering: .acquiring) & Self.isReleased != 0 }
    final var isUnopened: Bool { flags.load(ordering: .acquiring) & Self.isUnopened != 0 }

    /// Changes whenever the value does, also within a transaction. Under the writer's lock.
    @usableFromInline
    final var changeMark: UInt64 { version.load(ordering: .relaxed) &+ stagings }

    /// Stages a value in place of what is staged. Under the writer's lock.
    ///
    /// - Returns: What was staged until now, for the caller to let go of: that may run foreign code.
    final func exchangeStaged(_ new: AnyStagedValue?) -> AnyStagedValue? {
        stagings &+= 1
        var value = new
        swap(&staged, &value)
        let others = flags.load(ordering: .relaxed) & ~Self.isStaged
        flags.store(new == nil ? others : others | Self.isStaged, ordering: .releasing)
        return value
    }

    /// Makes this box, which nobody else has seen yet, another name for `original`.
    func become(aliasOf original: AnySettingBox) {
        alias = original
        flags.store(Self.isAlias, ordering: .releasing)
    }

    /// The place of the value, with the writer's lock of its store taken.
    @usableFromInline
    final func lockForWriting() -> Attachment {
        let attachment = place
        attachment.core.writer.lock()
        return attachment
    }

    /// Takes the writer's lock for a change in place. It counts no references, as every `+= 1` comes this way.
    @usableFromInline
    final func beginModifying() -> InPlaceChange {
        guard flags.load(ordering: .relaxed) & Self.isAlias == 0, let place = current.load(ordering: .acquiring) else {
            let place = self.place
            place.core.writer.lockForChange()
            return InPlaceChange(place: .passUnretained(place), mark: original.changeMark)
        }
        place._withUnsafeGuaranteedRef { $0.core.writer.lockForChange() }
        return InPlaceChange(place: place, mark: changeMark)
    }

    /// Ends the program if the setting was written since a change of it in place began: that write would be lost.
    @usableFromInline
    final func checkOverlap(with change: InPlaceChange) {
        let mark = flags.load(ordering: .relaxed) & Self.isAlias == 0 ? changeMark : original.changeMark
        if mark != change.mark { endForOverlappingChange() }
    }

    /// Makes this box, which nobody else has seen yet, keep the value that it has in place of `original`, to which all else that is
    /// done with it applies: tracking it, following it and writing it.
    func freeze(inPlaceOf original: AnySettingBox) {
        alias = original
        flags.store(Self.isAlias | Self.isFrozen, ordering: .releasing)
    }

    /// Parks a subscriber until there is another version than the one that it has seen.
    final func park(_ continuation: UnsafeContinuation<Void, Never>, with waiter: Waiter) {
        let place = place
        place.core.log.park(continuation, on: place.slot, with: waiter) {
            version.load(ordering: .relaxed) != waiter.seen
        }
    }

    // MARK: Writing at once

    /// Whether a value can be published at once: no rule, no transaction, no alias, and open. Under the writer's lock.
    @usableFromInline
    final func isDirect(in attachment: Attachment) -> Bool {
        !hasRules && flags.load(ordering: .relaxed) == 0 && attachment.core.mode == .direct
    }

    /// Takes the writer's lock if a value can be published at once.
    @usableFromInline
    final func beginDirectWrite() -> Attachment? {
        guard !hasRules, flags.load(ordering: .relaxed) == 0 else { return nil }
        let attachment = lockForWriting()
        if isDirect(in: attachment) { return attachment }
        attachment.core.writer.unlock()
        return nil
    }

    /// Publishes a word as a transaction of its own. False if it can't be published at once.
    ///
    /// This is the path of nearly all writes; it counts no references and allocates nothing.
    @usableFromInline
    final func assign(word new: UInt64) -> Bool {
        guard !hasRules, let unmanaged = current.load(ordering: .acquiring) else { return false }
        return unmanaged._withUnsafeGuaranteedRef { attachment in
            attachment.core.writer.lock()
            guard isDirect(in: attachment) else {
                attachment.core.writer.unlock()
                return false
            }
            publish(word: new, in: attachment)
            return true
        }
    }

    /// Publishes a word as a transaction of its own and lets go of the writer's lock.
    @usableFromInline
    final func publish(word new: UInt64, in attachment: Attachment) {
        let store = attachment.core
        let old = word.load(ordering: .relaxed)
        if old == new || areEqualWords?(old, new) == true {
            store.writer.unlock()
            return
        }
        RunningUpdates.noteWrite(to: store)
        let time = store.time.now(isExact: store.log.isFollowed)
        let signals = store.log.publish(new, in: self, at: attachment.slot, old: old, time: time)
        if !signals.isEmpty { store.actAfterUnlock(on: signals) }
        store.unlock(releasing: signals.dropped)
    }

    /// Replaces the published word. Under the writer's lock.
    final func install(word new: UInt64) {
        let before = version.load(ordering: .relaxed)
        version.store(before &+ 1, ordering: .relaxed)
        word.store(new, ordering: .releasing)
        version.store(before &+ 2, ordering: .releasing)
    }

    // MARK: What the engine needs of a value whose type it does not know

    /// The published value. Under the writer's lock or the log's lock.
    var committedValue: any Sendable { abstract() }
    /// Encodes a value of this setting.
    var encoder: @Sendable (any Sendable) throws -> SettingValue { abstract() }
    /// The value's type.
    var valueType: ObjectIdentifier { abstract() }
    /// The name of the value's type.
    var typeName: String { abstract() }
    /// The value's type as people write it.
    var spelledType: String { abstract() }
    /// Whether the value is not to be shown.
    var isSecret: Bool { abstract() }
    /// See ``SettingDefinition/isMeasured``.
    var isMeasured: Bool { abstract() }
    /// Words that complete "it must be …".
    var ruleDescriptions: [String] { abstract() }
    /// The default of the declaration.
    var erasedDefault: any Sendable { abstract() }
    /// What publishing the staged value would change; `nil` if nothing is staged.
    func stagedMutation(comparing: Bool) -> StagedMutation? { abstract() }
    /// Publishes what is staged. Under both locks.
    func installStaged() { abstract() }
    /// Stages a decoded value. Throws if it does not convert or breaks a rule.
    func stage(decoding value: SettingValue) throws { abstract() }
    /// The same, unless the value equals the published one. A type that is not `Equatable` compares what is stored of it.
    ///
    /// - Returns: Whether it was staged.
    func stageIfDifferent(decoding value: SettingValue) throws -> Bool { abstract() }
    /// Stages the default of the declaration, for which nothing is stored.
    func stageDefault() { abstract() }
    /// Stages that something around the setting, which no group declares, stands in its place.
    func stageReplaced() { abstract() }
    /// The rule of the declaration that an error of `stage(decoding:)` and its like tells of. A codec may throw anything.
    final func brokenRule(_ error: any Error) -> String? {
        guard let rule = (error as? SettingsError)?.rule, ruleDescriptions.contains(rule) else { return nil }
        return rule
    }

    /// Takes over a value that was loaded, before the box is shared. Throws if it does not convert or breaks a rule.
    func adopt(loaded value: SettingValue) throws { abstract() }
    /// Takes over a value before the box is shared; false if it is not of this setting's type.
    func adopt(erased value: any Sendable) -> Bool { abstract() }
    /// Makes what the group's initializer has written the default, before the box is shared.
    func adoptInitialWrite() { abstract() }
    /// The value as the calling thread sees it.
    var visibleValue: any Sendable { abstract() }
    /// Why the declaration's default breaks the declaration's rule, if it does.
    var defaultViolation: SettingsError? { abstract() }

    private func abstract(_ function: StaticString = #function) -> Never {
        // Proof: the only subclass is SettingBox, which overrides every one of these.
        preconditionFailure("\(function) is not overridden")
    }
}

/// A change in place that has begun, with the writer's lock taken.
@usableFromInline
struct InPlaceChange: Sendable {
    /// Kept alive by the box.
    @usableFromInline let place: Unmanaged<Attachment>
    /// The setting's mark when the change began.
    let mark: UInt64
}

/// A box's place in a store.
@usableFromInline
package final class Attachment: Sendable {
    @usableFromInline let core: StoreCore
    @usableFromInline let slot: SettingSlot

    init(core: StoreCore, slot: SettingSlot) {
        self.core = core
        self.slot = slot
    }
}
