extension Setting where Value: Codable & SecretValue {
    /// Creates a secret with a default value that is stored apart from other settings, such as
    /// `@Setting(storedIn: .secrets) var token = Secret("")`.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no secret is stored.
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    ///   - storage: Where the value is stored; see ``SettingStorage/secrets``.
    ///   - rules: The conditions on the value.
    ///   - title: The setting's display name.
    ///   - help: A text that explains what the setting does.
    public init(
        wrappedValue: Value, _ key: String? = nil, storedIn storage: SettingStorage, rules: [SettingRule<Value>] = [],
        title: String? = nil, help: String? = nil
    ) {
        self.init(wrappedValue, key, rules, SettingDetails(title: title, help: help, unit: nil, storage: storage))
    }
}

extension Setting where Value: Codable & SecretValue & ExpressibleByNilLiteral {
    /// Creates an optional secret, `nil` by default, that is stored apart from other settings, such as
    /// `@Setting(storedIn: .secrets) var token: Secret<String>?`.
    ///
    /// - Parameters:
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    ///   - storage: Where the value is stored; see ``SettingStorage/secrets``.
    ///   - rules: The conditions on the value.
    ///   - title: The setting's display name.
    ///   - help: A text that explains what the setting does.
    public init(
        _ key: String? = nil, storedIn storage: SettingStorage, rules: [SettingRule<Value>] = [],
        title: String? = nil, help: String? = nil
    ) {
        self.init(nil, key, rules, SettingDetails(title: title, help: help, unit: nil, storage: storage))
    }
}
