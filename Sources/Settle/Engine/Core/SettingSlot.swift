import Synchronization

/// A key's slot in a store: the engine's knowledge of a setting without its type.
///
/// All state is guarded by the lock of the slot's log, so it does without the run-time check for exclusive access.
@usableFromInline
package final class SettingSlot: Topic, @unchecked Sendable {
    // Sendable: see above; `measured` is atomic.
    var key: SettingKey { laterKey == nil ? ownKey : openedKey }
    @inline(never) private var openedKey: SettingKey { laterKey?.withLock { $0 } ?? ownKey }
    private let ownKey: SettingKey
    /// For a group that no store has opened: its settings learn their keys when the group is first used as a whole.
    private let laterKey: LockedValue<SettingKey>?
    /// The declaration, such as `PasscodeSettings.attemptCount`, for errors; `nil` for a key used at run time only.
    let declaration: String?
    /// The index of the slot's save schedule in the log, or `nil` if the setting is kept in memory only.
    let schedule: Int?
    /// The box with the value; `nil` after the store or the group is released, and for a group that no store has
    /// opened.
    private(set) var box: AnySettingBox?
    private let definition: any SettingDeclaration
    private let unknownFields: StoredUnknownFields?
    /// Whether the setting's values must not be shown.
    let isSecret: Bool
    /// See ``SettingDeclaration/isMeasured``.
    let isMeasured: Bool
    // Small, and placed between small properties, because there are many settings.
    private let measured = Atomic<UInt32>(0)
    private let wordConversion: @Sendable (UInt64) -> any Sendable
    /// Whether a value is stored, rather than the declaration's default being used.
    @exclusivity(unchecked) var isStored = false
    @exclusivity(unchecked) var origin = ValueOrigin.default
    /// The stored form of the value in force, if the stored value can't be used and another one is used instead.
    @exclusivity(unchecked) var lastGood: SettingValue?
    /// The code that may write the setting. Once that is the owner, it stays the owner.
    @exclusivity(unchecked) var access: SettingsAccess
    /// The category of the group that was opened last.
    @exclusivity(unchecked) var category: SettingsCategory
    /// The position in the declarations; `nil` without one.
    @exclusivity(unchecked) var position: DeclarationPosition?
    /// Whether there is an unsaved value.
    @exclusivity(unchecked) var isDirty = false
    /// Whether a transaction has written the setting by its key, which no group declares. The index then keeps it until
    /// the transaction ends.
    @exclusivity(unchecked) var isInTransaction = false
    /// Whether the broadcaster is going to notify the observers.
    @exclusivity(unchecked) var isNotifying = false

    init(
        key: SettingKey, declaration: String?, schedule: Int?, access: SettingsAccess = .open,
        category: SettingsCategory = .configuration, isSecret: Bool = false, box: AnySettingBox, keepsBox: Bool = true,
        parent: Topic
    ) {
        ownKey = key
        laterKey = keepsBox ? nil : LockedValue(key)
        self.declaration = declaration
        self.schedule = schedule
        (self.access, self.category) = (access, category)
        self.box = keepsBox ? box : nil
        definition = box.declaration
        unknownFields = box.unknownFields
        self.isSecret = isSecret || definition.isSecret
        isMeasured = definition.isMeasured
        wordConversion = box.wordConversion
        super.init(parent: parent)
    }

    /// Encodes a value of the setting, even without a box.
    var encoder: @Sendable (any Sendable) throws -> SettingValue { definition.encoder(adding: unknownFields) }

    /// See ``SettingDeclaration/isStoredInSecrets``.
    var isStoredInSecrets: Bool { definition.isStoredInSecrets }

    /// Sets the key of a setting in a group that no store has opened.
    func learn(key: SettingKey) {
        laterKey?.withLock { $0 = key }
    }

    /// Gives up the box, to be released by the caller.
    func removeBox() -> AnySettingBox? {
        defer { box = nil }
        return box
    }

    /// The memory that the newest value with a known stored form takes, in bytes; 0 if the type alone determines it.
    var measuredSize: Int { Int(measured.load(ordering: .relaxed)) }

    /// Records the size of the stored form of the value in force, as an estimate of its memory.
    func recordSize(_ size: Int) {
        if isMeasured { measured.store(UInt32(clamping: size), ordering: .relaxed) }
    }

    /// Returns the value that a word of the log represents.
    func value(ofWord word: UInt64) -> any Sendable {
        wordConversion(word)
    }
}

/// A box's placement in a store.
@usableFromInline
package final class Placement: Sendable {
    @usableFromInline let engine: Engine
    @usableFromInline let slot: SettingSlot

    init(in engine: Engine, slot: SettingSlot) {
        self.engine = engine
        self.slot = slot
    }
}
