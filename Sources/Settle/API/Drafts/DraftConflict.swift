/// A setting that was written in a draft and has changed in the original since.
public struct DraftConflict: Sendable {
    /// The full key, such as `passcode.attemptCount`.
    public let key: String
    /// The original's value when the draft first wrote the setting, even of a secret. Like the other values, it has the
    /// setting's type.
    public let originalValue: any Sendable
    /// The original's value now.
    public let currentValue: any Sendable
    /// The draft's value.
    public let draftValue: any Sendable
    /// Whether the setting's type is a ``SecretValue``, so that descriptions and `dump` don't show its values.
    public let isSecret: Bool

    init?(of box: AnySettingBox) {
        guard let conflict = box.conflict, let slot = box.existingPlacement?.slot else { return nil }
        key = slot.key.description
        originalValue = conflict.original
        currentValue = conflict.current
        draftValue = conflict.draft
        isSecret = slot.isSecret
    }

    private func spelled(_ value: any Sendable) -> Redacted<any Sendable> { Redacted(value, isSecret: isSecret) }

    /// The text for an error.
    var difference: String {
        "\(SettingsError.quoted(key)) was \(spelled(originalValue).short), is \(spelled(currentValue).short) now, and is "
            + "\(spelled(draftValue).short) in the draft"
    }
}

extension DraftConflict: CustomStringConvertible, CustomReflectable {
    /// A description such as `attemptCount: 1 → 2, in the draft 3`, without secrets.
    public var description: String {
        "\(key): \(spelled(originalValue)) → \(spelled(currentValue)), in the draft \(spelled(draftValue))"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "key": key, "originalValue": spelled(originalValue).reflected,
                "currentValue": spelled(currentValue).reflected, "draftValue": spelled(draftValue).reflected,
            ], displayStyle: .struct)
    }
}
