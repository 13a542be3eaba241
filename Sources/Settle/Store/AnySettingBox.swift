public import Synchronization

/// Where a setting's value lives, without its type.
///
/// Copies of a group share its boxes. A box belongs to a store from the first moment in which that matters: the store
/// that opened its group, or a store of its own in memory if nobody opened it.
@usableFromInline
package class AnySettingBox: @unchecked Sendable {
    // Sendable: constants and atomics, but for `attachments` (guarded by `Detachment.lock` or not shared yet) and
    // `alias` (set before the box is shared).

    @usableFromInline package let node = ObservationNode()
    /// `isStaged` and `isAlias`; 0 in a box that a reader may read without another thought.
    @usableFromInline let flags = Atomic<UInt>(0)
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
    /// The box's places so far. Earlier ones are kept for threads that have just read them.
    private var attachments: [Attachment] = []
    /// The box that really has the value, if this one was made for a key that a living box has already.
    private(set) var alias: AnySettingBox?

    @usableFromInline static var isStaged: UInt { 1 }
    @usableFromInline static var isAlias: UInt { 2 }
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

    // MARK: Belonging to a store

    /// The box that has the value: this one, unless it is an alias.
    var original: AnySettingBox { alias ?? self }

    /// The box that has the value which is read by this one.
    var holder: AnySettingBox { flags.load(ordering: .relaxed) & Self.isFrozen == 0 ? original : self }

    var attachment: Attachment? {
        current.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Puts the box into a store. The caller makes sure that nobody writes meanwhile.
    func attach(to attachment: Attachment) {
        attachments.append(attachment)
        current.store(.passUnretained(attachment), ordering: .releasing)
    }

    /// Makes this box, which nobody else has seen yet, another name for `original`.
    func become(aliasOf original: AnySettingBox) {
        alias = original
        flags.store(Self.isAlias, ordering: .releasing)
    }

    /// The place of the value, with the writer's lock of its store taken. A box that has no place gets one of its own.
    @usableFromInline
    final func lockForWriting() -> Attachment {
        if let alias { return alias.lockForWriting() }
        while true {
            let attachment = attachment ?? Detachment.attach(self)
            attachment.store.writer.lock()
            if isAttached(to: attachment) { return attachment }
            attachment.store.writer.unlock()
        }
    }

    private func isAttached(to attachment: Attachment) -> Bool {
        current.load(ordering: .acquiring)?.toOpaque() == Unmanaged.passUnretained(attachment).toOpaque()
    }

    /// Makes this box, which nobody else has seen yet, keep the value that it has in place of `original`, to which all else that is
    /// done with it applies: tracking it, following it and writing it.
    func freeze(inPlaceOf original: AnySettingBox) {
        alias = original
        flags.store(Self.isAlias | Self.isFrozen, ordering: .releasing)
    }

    // MARK: Writing at once

    /// Whether a value can be published at once: no rule, no transaction, no alias, and open. Under the writer's lock.
    @usableFromInline
    final func isDirect(in attachment: Attachment) -> Bool {
        !hasRules && flags.load(ordering: .relaxed) == 0 && attachment.store.mode == .direct
            && isAttached(to: attachment)
    }

    /// Takes the writer's lock if a value can be published at once.
    @usableFromInline
    final func beginDirectWrite() -> Attachment? {
        guard !hasRules, flags.load(ordering: .relaxed) == 0 else { return nil }
        let attachment = lockForWriting()
        if isDirect(in: attachment) { return attachment }
        attachment.store.writer.unlock()
        return nil
    }

    /// Publishes a word as a transaction of its own. False if it can't be published at once.
    ///
    /// This is the path of nearly all writes; it counts no references and allocates nothing.
    @usableFromInline
    final func assign(word new: UInt64) -> Bool {
        guard !hasRules, let unmanaged = current.load(ordering: .acquiring) else { return false }
        return unmanaged._withUnsafeGuaranteedRef { attachment in
            attachment.store.writer.lock()
            guard isDirect(in: attachment) else {
                attachment.store.writer.unlock()
                return false
            }
            publish(word: new, in: attachment)
            return true
        }
    }

    /// Publishes a word as a transaction of its own and lets go of the writer's lock.
    @usableFromInline
    final func publish(word new: UInt64, in attachment: Attachment) {
        let store = attachment.store
        let old = word.load(ordering: .relaxed)
        if old == new || areEqualWords?(old, new) == true {
            store.writer.unlock()
            return
        }
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
    /// Words that complete "it must be …".
    var ruleDescriptions: [String] { abstract() }
    /// The default of the declaration.
    var defaultValue: any Sendable { abstract() }
    /// The staged mutation, with its cost in memory, or `nil` if what is staged equals what is published.
    func stagedMutation() -> (old: any Sendable, new: any Sendable, cost: Int)? { abstract() }
    /// What is staged, for putting it back.
    func stagedState() -> (any Sendable)? { abstract() }
    func restoreStaged(_ state: (any Sendable)?) { abstract() }
    /// Whether the key is to be stored once what is staged is published.
    var stagesStoredValue: Bool { abstract() }
    /// Publishes what is staged. Under both locks.
    func installStaged() { abstract() }
    /// Stages a decoded value. Throws if it does not convert or breaks a rule.
    func stage(decoding value: SettingValue) throws { abstract() }
    /// The same, unless the value equals the published one. A type that is not `Equatable` compares what is stored of it.
    func stageIfDifferent(decoding value: SettingValue) throws { abstract() }
    /// Stages the default of the declaration, for which nothing is stored.
    func stageDefault() { abstract() }
    /// The rule of the declaration that an error of `stage(decoding:)` and its like tells of. A codec may throw anything.
    final func brokenRule(_ error: any Error) -> String? {
        guard let rule = (error as? SettingsError)?.rule, ruleDescriptions.contains(rule) else { return nil }
        return rule
    }

    /// Takes over a value that was loaded, before the box is shared. Throws if it does not convert or breaks a rule.
    func adopt(loaded value: SettingValue) throws { abstract() }
    /// Takes over a value before the box is shared; false if it is not of this setting's type.
    func adopt(erased value: any Sendable) -> Bool { abstract() }
    /// The value as the calling thread sees it.
    var visibleValue: any Sendable { abstract() }
    /// Why the declaration's default breaks the declaration's rule, if it does.
    var defaultViolation: SettingsError? { abstract() }

    private func abstract(_ function: StaticString = #function) -> Never {
        // Proof: the only subclass is SettingBox, which overrides every one of these.
        preconditionFailure("\(function) is not overridden")
    }
}

/// A box's place in a store.
@usableFromInline
package final class Attachment: Sendable {
    @usableFromInline let store: StoreCore
    @usableFromInline let slot: SettingSlot

    init(store: StoreCore, slot: SettingSlot) {
        self.store = store
        self.slot = slot
    }
}
