/// The declaration of a setting, without the type of its value.
protocol SettingDeclaration: AnyObject, Sendable {
    /// The key given in the declaration, or `nil` if the property's name is the key.
    var key: String? { get }
    var valueType: any Any.Type { get }
    /// Whether a value may take more memory than its type shows, so that only its stored form shows how much.
    var isMeasured: Bool { get }
    /// `nil` if the declaration has none, like most.
    var details: SettingDetails? { get }
    /// Texts that complete "it must be …".
    var ruleTexts: [String] { get }
    /// The rules as data. Runs foreign coders.
    var ruleDescriptions: [RuleDescription] { get }
    /// Sentences about the rules that can't be met, with the reasons.
    var ruleDefects: [String] { get }
    /// Encodes a value of the setting. Throws for one of another type.
    var encoder: @Sendable (any Sendable) throws -> SettingValue { get }
}

extension SettingDeclaration {
    /// Whether the value must not be shown.
    var isSecret: Bool { valueType is any SecretValue.Type }

    /// Whether the value is stored in the secret store, and nowhere else; see ``SettingStorage/secrets``.
    var isStoredInSecrets: Bool { details?.storage == .secrets }

    /// Encodes a value of the setting, with the fields that its type does not know.
    func encoder(adding unknownFields: StoredUnknownFields?) -> @Sendable (any Sendable) throws -> SettingValue {
        let encode = encoder
        guard let unknownFields else { return encode }
        return { unknownFields.add(to: try encode($0)) }
    }

    /// The value's type as written in Swift.
    var spelledType: String { spelling(of: valueType) }
    /// The form of the type's values where they are stored.
    var shape: ValueShape { details?.hasOwnCodec == true ? .any : ValueShape(of: valueType) }
}
