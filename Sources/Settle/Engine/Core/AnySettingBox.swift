public import Synchronization

/// Storage of a setting's value, without its type.
///
/// Copies of a group share its boxes. A box belongs to the store that opened its group, which keeps the box as long as
/// the store is open. Otherwise it belongs, once it needs a store, to that of all groups that no store has opened.
@usableFromInline
package class AnySettingBox: @unchecked Sendable {
    // Sendable: constants and atomics, except `placements` (guarded by the lock of `UnopenedGroups`, or set before the
    // box is shared), `link` (an alias is set before the box is shared; what another domain holds is written under the
    // writer's and the log's lock and read under either), `staged` and `stagings` (guarded by the writer's lock).

    /// In a snapshot or a draft, the node of the original.
    @usableFromInline package let node: ObservationNode
    @usableFromInline let flags: Atomic<BoxFlags>
    /// Rises by two with each published value; odd while a word is being replaced.
    @usableFromInline let version = Atomic<UInt64>(0)
    /// The published value, if its type fits into a word.
    @usableFromInline let word: Atomic<UInt64>
    /// Whether two different words represent equal values; `nil` if there are no such words.
    private let areEqualWords: (@Sendable (UInt64, UInt64) -> Bool)?
    /// The value that a word represents.
    let wordConversion: @Sendable (UInt64) -> any Sendable
    /// Whether an assignment has to be checked: there are rules for its value, or for where that is stored, or its type
    /// has values without a stored form.
    let hasRules: Bool
    /// Only for types that have fields.
    final let unknownFields: StoredUnknownFields?
    /// The newest of `placements`, which keeps it alive.
    let current = Atomic<Unmanaged<Placement>?>(nil)
    /// The box's placements so far. There is a second one if the group's initializer has written the setting before the
    /// group was opened.
    private var placements: [Placement] = []
    /// The value written by the transaction in progress.
    @exclusivity(unchecked) private(set) final var staged: AnyStagedValue?
    /// The number of values staged so far.
    @exclusivity(unchecked) private(set) final var stagings: UInt64 = 0
    @exclusivity(unchecked) private var link = Link.none

    /// All kinds share one property, because there are many settings.
    private enum Link {
        case none
        /// The box that holds the value, because this one was made for a key that already has a living box.
        case alias(AnySettingBox)
        /// The value comes from another domain than the application's.
        case held(HeldValue)
        /// The box is a draft's.
        case following(FollowedSetting)
    }

    init(
        hasRules: Bool, unknownFields: StoredUnknownFields?, word: UInt64,
        areEqualWords: (@Sendable (UInt64, UInt64) -> Bool)?,
        wordConversion: @escaping @Sendable (UInt64) -> any Sendable
    ) {
        node = ObservationNode()
        flags = Atomic(.unopened)
        self.unknownFields = unknownFields
        self.hasRules = hasRules
        self.word = Atomic(word)
        self.areEqualWords = areEqualWords
        self.wordConversion = wordConversion
    }

    /// A box with a value of its own for the same setting: in a snapshot, where everything else, such as tracking,
    /// following and writing, applies to `original`; or in a draft, which follows `original`.
    init(of original: AnySettingBox, word: UInt64, in draft: (any DraftSource)?) {
        node = original.node
        unknownFields = nil
        hasRules = original.hasRules
        self.word = Atomic(word)
        areEqualWords = original.areEqualWords
        wordConversion = original.wordConversion
        if let draft {
            flags = Atomic(.following)
            link = .following(FollowedSetting(original, in: draft))
        } else {
            flags = Atomic([.alias, .frozen])
            link = .alias(original)
        }
    }

    deinit {
        if isUnopened, let slot = existingPlacement?.slot { UnopenedGroups.end(slot) }
    }

    // MARK: Flags

    final func has(_ flag: BoxFlags) -> Bool { flags.load(ordering: .acquiring).contains(flag) }

    /// Requires the writer's lock, unless the box is not shared yet.
    private final func set(_ flag: BoxFlags, to isSet: Bool) {
        let known = flags.load(ordering: .relaxed)
        flags.store(isSet ? known.union(flag) : known.subtracting(flag), ordering: .releasing)
    }

    // MARK: Belonging to a store

    /// The box that holds the value: this one, unless it is an alias.
    var original: AnySettingBox { alias ?? self }

    /// The box that this one is another name for.
    final var alias: AnySettingBox? {
        guard has(.alias), case .alias(let box) = link else { return nil }
        return box
    }

    /// The box's own placement; `nil` in a group that no store has opened and nothing has used yet.
    final var existingPlacement: Placement? {
        if let current = current.load(ordering: .acquiring) { return current.takeUnretainedValue() }
        return isFollowing ? placementInDraft : nil
    }

    /// The placement in the draft's own engine, which is made if necessary.
    @inline(never)
    private final var placementInDraft: Placement? {
        followed?.draft.open()
        return current.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// The value's placement. A box of a group that no store has opened gets its placement now.
    final var placement: Placement {
        let box = original
        return box.existingPlacement ?? UnopenedGroups.placement(of: box)
    }

    /// Puts the box into a store. The caller makes sure that nothing is written in the meantime.
    func attach(to placement: Placement) {
        placements.append(placement)
        current.store(.passUnretained(placement), ordering: .releasing)
    }

    /// Puts the box, which must not be shared yet, into the store that opens its group.
    func open(at placement: Placement) {
        attach(to: placement)
        set(.unopened, to: false)
        // Assigning the value in force also moves it to the secret store, which may lack it, or is refused.
        if placement.engine.log.recordsReads || declaration.isStoredInSecrets { set(.recorded, to: true) }
    }

    /// Marks the group as released: the value stays as it is. Requires the writer's lock.
    func release() {
        set(.released, to: true)
    }

    /// Reverts a release that has failed. Requires the writer's lock.
    func reopen() {
        set(.released, to: false)
    }

    final var isReleased: Bool { has(.released) }
    final var isUnopened: Bool { has(.unopened) }

    /// Throws if the group was released.
    final func checkRelease() throws(SettingsError) {
        guard isReleased, let placement = existingPlacement else { return }
        throw .released(key: placement.slot.key)
    }

    /// A mark that changes whenever the value does, even within a transaction. Requires the writer's lock.
    @usableFromInline
    final var changeMark: UInt64 { version.load(ordering: .relaxed) &+ stagings }

    /// Stages a value in place of the staged one. Requires the writer's lock.
    ///
    /// - Returns: The value staged before, to be released by the caller: that may run foreign code.
    final func exchangeStaged(_ new: AnyStagedValue?) -> AnyStagedValue? {
        stagings &+= 1
        var value = new
        swap(&staged, &value)
        set(.staged, to: new != nil)
        return value
    }

    /// Makes this box, which must not be shared yet, an alias of `original`.
    func become(aliasOf original: AnySettingBox) {
        link = .alias(original)
        flags.store(.alias, ordering: .releasing)
    }

    /// Takes the writer's lock of the value's store, and returns the value's placement.
    @usableFromInline
    final func lockForWriting() -> Placement {
        let placement = placement
        placement.engine.lockWriter()
        return placement
    }

    /// Records that the commit in progress on this thread, if any, has read the setting.
    final func recordRead() {
        guard has(.recorded), let placement = existingPlacement else { return }
        placement.engine.recordRead(of: placement.slot.key)
    }

    // MARK: Other domains

    /// The value of another domain that is in force for the setting. Requires the writer's lock or the log's.
    final var held: HeldValue? {
        guard has(.held) else { return nil }
        return switch link {
        case .held(let held): held
        case .following(let followed): followed.held
        case .none, .alias: nil
        }
    }

    /// Whether another domain has a value for the setting, in force or not. Requires the writer's lock.
    final var isLayered: Bool { has(.layered) }

    /// Requires the writer's lock, unless the box is not shared yet.
    final func markLayered(_ isLayered: Bool) { set(.layered, to: isLayered) }

    /// Whether a write has to be saved even if it changes nothing in force. Requires the writer's lock.
    final var savesEqual: Bool { has(.savesEqual) }

    /// Requires the writer's lock, unless the box is not shared yet.
    final func markSavesEqual(_ savesEqual: Bool) { set(.savesEqual, to: savesEqual) }

    /// Exchanges the value of another domain. Requires both locks, unless the box is not shared yet.
    ///
    /// - Returns: The one before, to be released by the caller: that may run foreign code.
    final func exchangeHeld(_ new: HeldValue?) -> HeldValue? {
        let old = held
        guard new != nil || old != nil else { return nil }
        if case .following(let followed) = link {
            followed.held = new
        } else {
            link = new.map { .held($0) } ?? .none
        }
        set(.held, to: new != nil)
        return old
    }

    // MARK: Drafts

    /// The setting that a draft's box follows.
    final var followed: FollowedSetting? {
        guard has(.following), case .following(let followed) = link else { return nil }
        return followed
    }

    final var isFollowing: Bool { has(.following) }

    // MARK: Writing directly

    /// Returns whether a value can be published directly: no rule, no transaction, no alias, and open. Requires the
    /// writer's lock.
    final func isDirect(in placement: Placement) -> Bool {
        !hasRules && flags.load(ordering: .relaxed).isDisjoint(with: .unwritable) && placement.engine.mode == .direct
    }

    /// Takes the writer's lock if a value can be published directly.
    @usableFromInline
    final func beginDirectWrite() -> Placement? {
        guard !hasRules, flags.load(ordering: .relaxed).isDisjoint(with: .unwritable) else { return nil }
        let placement = lockForWriting()
        if isDirect(in: placement) { return placement }
        placement.engine.unlockWriter()
        return nil
    }

    /// Publishes a word as a transaction of its own. Returns false if it can't be published directly.
    ///
    /// Nearly all writes take this path; it counts no references and allocates nothing.
    @usableFromInline
    final func assign(word new: UInt64) -> Bool {
        guard !hasRules, let unmanaged = current.load(ordering: .acquiring) else { return false }
        return unmanaged._withUnsafeGuaranteedRef { placement in
            placement.engine.lockWriter()
            guard isDirect(in: placement) else {
                placement.engine.unlockWriter()
                return false
            }
            publish(word: new, in: placement)
            return true
        }
    }

    /// Publishes a word as a transaction of its own and releases the writer's lock.
    final func publish(word new: UInt64, in placement: Placement) {
        let engine = placement.engine
        let old = word.load(ordering: .relaxed)
        if old == new || areEqualWords?(old, new) == true {
            engine.unlockWriter()
            return
        }
        RunningUpdates.countWrite(to: engine)
        let time = engine.time.now(isExact: engine.log.isFollowed)
        let wakeUps = engine.log.publish(new, in: self, at: placement.slot, old: old, time: time)
        if wakeUps.isEmpty { engine.unlock(releasing: wakeUps.dropped) } else { engine.unlock(actingOn: wakeUps) }
    }

    /// Replaces the published word. Requires the writer's lock.
    final func install(word new: UInt64) {
        let before = version.load(ordering: .relaxed)
        version.store(before &+ 1, ordering: .relaxed)
        word.store(new, ordering: .releasing)
        version.store(before &+ 2, ordering: .releasing)
    }

    // MARK: The value without its type

    /// Whether reading, checking and comparing values runs none of the program's code.
    var isPlain: Bool { abstract() }
    /// The published value. Requires the writer's lock or the log's.
    var committedValue: any Sendable { abstract() }
    /// The published value as the calling thread sees it: inside its own transaction, with that transaction's writes.
    var visibleOwnValue: (any Sendable)? { abstract() }
    /// The declaration of the setting.
    var declaration: any SettingDeclaration { abstract() }
    /// Encodes a value about to be saved, which decides which unknown fields are preserved.
    func encodeForSaving(_ value: any Sendable) throws -> SettingValue { abstract() }
    /// The default of the declaration, or the value that the group's initializer has written.
    var erasedDefault: any Sendable { abstract() }
    /// Returns what publishing the staged value would change; `nil` if no value is staged.
    ///
    /// - Parameters:
    ///   - isOutside: Whether it comes from the storage or from another domain, so that nothing has to be saved.
    ///   - savesEqual: Whether it has to be saved even if it changes nothing in force, whatever is stored.
    func stagedMutation(comparing: Bool, isOutside: Bool, savesEqual: Bool) -> StagedMutation? { abstract() }
    /// Publishes the staged value. Requires both locks.
    ///
    /// - Parameter isEvent: Whether the value differs from the published one.
    /// - Returns: The earlier values of other domains for the setting, to be released by the caller.
    func installStaged(isEvent: Bool) -> HeldValue? { abstract() }
    /// Stages the value that is in force now that a domain has changed.
    func restage(after domain: DomainIdentity?) { abstract() }
    /// Adopts the value of the setting that an unedited box of a draft follows.
    func catchUp() { abstract() }
    /// Stages that a draft has not changed the setting.
    func stageUnedited() { abstract() }
    /// Whether applying the draft would change the followed setting. Runs `==`.
    var isDirty: Bool { abstract() }
    /// How the followed setting has changed since the draft first changed it; `nil` if it has not. Runs `==`.
    var conflict: EditConflict? { abstract() }
    /// Compares the followed setting with its current value from now on.
    func rebase() { abstract() }
    /// Writes the draft's change to the followed setting.
    func writeFollowed() throws(SettingsError) { abstract() }
    /// Checks whether the value of a domain can be used. Throws if it does not convert or breaks a rule.
    func check(_ candidate: DomainCandidate) throws { abstract() }
    /// Returns whether a setting gets the same value from a domain as from a stored value. Throws if one can't be used.
    func reads(_ candidate: DomainCandidate, as value: SettingValue) throws -> Bool { abstract() }
    /// Gives a new box the value that is in force, over the value it has adopted. Requires that the box is not shared
    /// yet.
    ///
    /// - Parameter isStored: Whether the application's domain has a usable value.
    func adoptInForce(isStored: Bool, at key: SettingKey, in engine: Engine) { abstract() }
    /// Stages a decoded value. Throws if it does not convert or breaks a rule.
    func stage(decoding value: SettingValue) throws { abstract() }
    /// Stages a decoded value, unless it equals the published one. Types that are not `Equatable` are compared by their
    /// stored form.
    ///
    /// - Returns: Whether the value was staged.
    func stageIfDifferent(decoding value: SettingValue) throws -> Bool { abstract() }
    /// Stages the default of the declaration, which is not stored.
    func stageDefault() { abstract() }
    /// Records that a key around the setting, which no group declares, has replaced it.
    func stageReplaced() { abstract() }
    /// Adopts a loaded value. Requires that the box is not shared yet. Throws if the value does not convert or breaks a
    /// rule.
    func adopt(loaded value: SettingValue) throws { abstract() }

    /// Decodes a stored value, regardless of the rules.
    func decode(stored value: SettingValue) throws -> any Sendable { abstract() }

    /// Returns whether two stored values represent equal ones. Types that are not `Equatable` are compared by their
    /// stored form. Runs foreign code.
    func areSame(_ one: SettingValue, _ other: SettingValue) -> Bool { abstract() }

    /// Checks whether a stored value can be used.
    func check(loaded value: SettingValue) throws { abstract() }
    /// Adopts a value. Requires that the box is not shared yet. Returns false if the value is not of this setting's
    /// type.
    func adopt(erased value: any Sendable) -> Bool { abstract() }
    /// Returns a box for a snapshot, which has the published value, or the one that the calling thread sees.
    func frozen(asPublished: Bool) -> AnySettingBox { abstract() }
    /// Returns a box for a draft, which follows this one.
    func followed(in draft: any DraftSource) -> AnySettingBox { abstract() }
    /// Makes the value written by the group's initializer the default. Requires that the box is not shared yet.
    func adoptInitialWrite() { abstract() }
    /// The value as the calling thread sees it.
    var visibleValue: any Sendable { abstract() }
    /// The value given by the application's domain and those below it, as the calling thread sees it.
    var visibleValueBelowCover: any Sendable { abstract() }
    /// The error if the declaration's default breaks the declaration's rule.
    var defaultViolation: SettingsError? { abstract() }

    private func abstract(_ function: StaticString = #function) -> Never {
        // Proof: the only subclass is SettingBox, which overrides every one of these.
        preconditionFailure("\(function) is not overridden")
    }
}

extension AnySettingBox: CustomReflectable {
    @usableFromInline
    package var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}
