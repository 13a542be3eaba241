/// One recorded write: a key with its value before and after.
public struct Mutation: Sendable, CustomStringConvertible {
    /// The setting's full key, such as `passcode.attemptCount`.
    public let key: String
    /// The value before, even of a secret. It has the setting's declared type, or is a ``SettingValue`` for a key that
    /// no setting declares.
    public let oldValue: any Sendable
    /// The value after, even of a secret. It has the setting's declared type, or is a ``SettingValue`` for a key that
    /// no setting declares.
    public let newValue: any Sendable
    /// The domain that has the value after: the application's, unless the store has a search list. If a domain has lost
    /// its value, this is the next domain that has one; in changes of the application's domain, it is the domain that
    /// covers it.
    public let domain: DomainName
    /// Whether the setting's type is a ``SecretValue``, so that descriptions and `dump` don't show its values.
    public let isSecret: Bool
    /// Encodes a value; `nil` for a key that no setting declares, whose values are already in stored form.
    private let encode: (@Sendable (any Sendable) throws -> SettingValue)?

    init(_ logged: LoggedMutation) {
        key = logged.slot.key.description
        oldValue = logged.old
        newValue = logged.new
        domain = logged.domain?.name ?? .application
        isSecret = logged.slot.isSecret
        encode = logged.slot.encoder
    }

    init(_ mutation: FeedMutation) {
        key = mutation.key.description
        oldValue = mutation.old
        newValue = mutation.new
        domain = .application
        isSecret = mutation.isSecret
        // A value that could not be decoded is already in stored form.
        encode = (mutation.slot?.encoder).map { encode in { try $0 as? SettingValue ?? encode($0) } }
    }

    /// The value before, in stored form; `nil` for a secret, and for a value that can't be encoded. Encoded on each
    /// access.
    public var oldStoredValue: SettingValue? { stored(oldValue) }

    /// The value after, in stored form; `nil` for a secret, and for a value that can't be encoded. Encoded on each
    /// access.
    public var newStoredValue: SettingValue? { stored(newValue) }

    private func stored(_ value: any Sendable) -> SettingValue? {
        if isSecret { return nil }
        return encode.map { encode in try? encode(value) } ?? value as? SettingValue
    }

    public var description: String {
        "\(key): \(Redacted(oldValue, isSecret: isSecret)) → \(Redacted(newValue, isSecret: isSecret))"
    }
}

extension Mutation: CustomReflectable {
    public var customMirror: Mirror {
        let (old, new) = (Redacted(oldValue, isSecret: isSecret), Redacted(newValue, isSecret: isSecret))
        return Mirror(
            self,
            children: ["key": key, "oldValue": old.reflected, "newValue": new.reflected, "isSecret": isSecret],
            displayStyle: .struct)
    }
}

extension LogEntry {
    func mutations(within topic: Topic, of view: ChangeView) -> [Mutation] {
        hasValues ? details.mutations(within: topic, of: view).map(Mutation.init) : []
    }
}
