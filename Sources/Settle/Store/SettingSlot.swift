/// A key's place in a store: what the engine knows of a setting without knowing its type.
///
/// All state is guarded by the lock of the log to which the slot belongs, which is why it goes without the run-time check for
/// exclusive access. Slots live as long as their log.
@usableFromInline
package final class SettingSlot: Channel, @unchecked Sendable {
    // Sendable: see above.
    let key: SettingKey
    /// The declaration, such as `PasscodeSettings.attemptCount`, for errors; `nil` for a key used at run time only.
    let declaration: String?
    /// The index of the slot's save schedule in the log, or `nil` if the setting is kept in memory only.
    let schedule: Int?
    /// Where the value lives. Weak, because a store does not keep alive the groups it has given out.
    private(set) weak var box: AnySettingBox?
    /// Encodes a value of the setting, also when there is no box any more.
    let encoder: @Sendable (any Sendable) throws -> SettingValue
    /// Whether the setting's values are not to be shown.
    let isSecret: Bool
    private let valueType: ObjectIdentifier
    private let wordConversion: @Sendable (UInt64) -> any Sendable
    /// Whether a value is stored, rather than the declaration's default being used.
    @exclusivity(unchecked) var isStored = false
    @exclusivity(unchecked) var origin = Origin.default
    /// Who may write the setting. Once it is the owner's, it stays so.
    @exclusivity(unchecked) var access: SettingsAccess
    /// Whether there is something to save.
    @exclusivity(unchecked) var isDirty = false
    /// Whether the broadcaster has been told to notify the observers.
    @exclusivity(unchecked) var isNotifying = false

    init(
        key: SettingKey, declaration: String?, schedule: Int?, access: SettingsAccess = .open, isSecret: Bool = false,
        box: AnySettingBox, parent: Channel
    ) {
        self.key = key
        self.declaration = declaration
        self.schedule = schedule
        self.access = access
        self.box = box
        encoder = box.encoder
        self.isSecret = isSecret || box.isSecret
        valueType = box.valueType
        wordConversion = box.wordConversion
        super.init(parent: parent)
    }

    /// Takes a new box for the same declaration, if the group was let go of and is opened again; who waits for changes of
    /// the slot goes on with it. False if the new box is not of the same kind.
    func reuse(for declared: GroupLayout.Declared, schedule: Int?) -> Bool {
        guard declaration == declared.name, self.schedule == schedule, valueType == declared.box.valueType else {
            return false
        }
        if declared.access == .owner { access = .owner }
        box = declared.box
        return true
    }

    /// The value that a word of the log stands for.
    func value(ofWord word: UInt64) -> any Sendable {
        wordConversion(word)
    }
}
