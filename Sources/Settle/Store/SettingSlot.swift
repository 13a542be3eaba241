import Synchronization

/// A key's place in a store: what the engine knows of a setting without knowing its type.
///
/// All state is guarded by the lock of the log to which the slot belongs, which is why it goes without the run-time check for
/// exclusive access.
@usableFromInline
package final class SettingSlot: Channel, @unchecked Sendable {
    // Sendable: see above; `measured` is atomic.
    var key: SettingKey { laterKey?.withLock { $0 } ?? ownKey }
    private let ownKey: SettingKey
    /// For a group that no store has opened: its settings learn their keys when the group is first used as a whole.
    private let laterKey: LockedValue<SettingKey>?
    /// The declaration, such as `PasscodeSettings.attemptCount`, for errors; `nil` for a key used at run time only.
    let declaration: String?
    /// The index of the slot's save schedule in the log, or `nil` if the setting is kept in memory only.
    let schedule: Int?
    /// Where the value lives; `nil` once the store or the group has been let go of, and for a group that no store has opened.
    private(set) var box: AnySettingBox?
    /// Encodes a value of the setting, also when there is no box any more.
    let encoder: @Sendable (any Sendable) throws -> SettingValue
    /// Whether the setting's values are not to be shown.
    let isSecret: Bool
    /// See ``SettingDefinition/isMeasured``.
    let isMeasured: Bool
    // Small, and between others that are, for there are many settings.
    private let measured = Atomic<UInt32>(0)
    private let valueType: ObjectIdentifier
    private let wordConversion: @Sendable (UInt64) -> any Sendable
    /// Whether a value is stored, rather than the declaration's default being used.
    @exclusivity(unchecked) var isStored = false
    @exclusivity(unchecked) var origin = Origin.default
    /// The value in force as it was stored, if what is stored now can't be used and another value is used in its place.
    @exclusivity(unchecked) var lastGood: SettingValue?
    /// Who may write the setting. Once it is the owner's, it stays so.
    @exclusivity(unchecked) var access: SettingsAccess
    /// Whether there is something to save.
    @exclusivity(unchecked) var isDirty = false
    /// Whether a transaction has written the setting by its key, which no group declares. Then the index keeps it until that ends.
    @exclusivity(unchecked) var isInTransaction = false
    /// Whether the broadcaster has been told to notify the observers.
    @exclusivity(unchecked) var isNotifying = false

    init(
        key: SettingKey, declaration: String?, schedule: Int?, access: SettingsAccess = .open, isSecret: Bool = false,
        box: AnySettingBox, keepsBox: Bool = true, parent: Channel
    ) {
        ownKey = key
        laterKey = keepsBox ? nil : LockedValue(key)
        self.declaration = declaration
        self.schedule = schedule
        self.access = access
        self.box = keepsBox ? box : nil
        encoder = box.encoder
        self.isSecret = isSecret || box.isSecret
        isMeasured = box.isMeasured
        valueType = box.valueType
        wordConversion = box.wordConversion
        super.init(parent: parent)
    }

    /// Gives a setting of a group that no store has opened the key that it has in the group.
    func learn(key: SettingKey) {
        laterKey?.withLock { $0 = key }
    }

    /// Gives up the box, for the caller to let go of.
    func takeBox() -> AnySettingBox? {
        defer { box = nil }
        return box
    }

    /// The memory that the newest value takes whose stored form has been seen, in bytes; 0 if the type alone tells.
    var measuredSize: Int { Int(measured.load(ordering: .relaxed)) }

    /// Notes how large the stored form of the value in force is, which stands for the memory that it takes.
    func noteSize(_ size: Int) {
        if isMeasured { measured.store(UInt32(clamping: size), ordering: .relaxed) }
    }

    /// The value that a word of the log stands for.
    func value(ofWord word: UInt64) -> any Sendable {
        wordConversion(word)
    }
}
