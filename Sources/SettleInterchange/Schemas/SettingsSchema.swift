public import Settle

/// The declarations of a store, for programs that don't know the declaring one: a settings page, an editor, a tool.
///
/// ```swift
/// let schema = store.file.schema()
/// for setting in schema.settings { print(setting.key, setting.type, setting.title ?? "") }
/// let data = try schema.jsonSchema.json()
/// ```
///
/// It contains no stored values. Two schemas of the same declarations are equal, whatever the order in which the groups
/// were opened.
public struct SettingsSchema: Sendable, Hashable, Codable {
    /// The settings, sorted by key.
    public let settings: [Entry]

    /// One setting, as declared.
    public struct Entry: Sendable, Hashable, Codable {
        /// The full key, such as `passcode.attemptCount`.
        public let key: String
        /// The declared type as written in Swift, such as `Int` or `Date?`.
        public let type: String
        /// The shape of the type's values in storage.
        public let shape: ValueShape
        /// The value while none is stored; `nil` for a secret, and for a value that can't be encoded.
        public let defaultValue: SettingValue?
        /// The setting's rules. For an enumeration that lists its cases, the first rule is the list.
        public let rules: [RuleDescription]
        /// The setting's title, if the declaration gives one.
        public let title: String?
        /// The setting's help text, if the declaration gives one.
        public let help: String?
        /// The unit of a number, if the declaration gives one.
        public let unit: String?
        /// Whether the type is a `SecretValue`.
        public let isSecret: Bool
        /// The code that may write the setting.
        public let access: SettingsAccess
        /// Whether the setting is for users, or only state that the program remembers.
        public let category: SettingsCategory

        init(_ info: SettingInfo) {
            (key, type, shape) = (info.key, info.type, info.shape)
            (defaultValue, rules) = (info.defaultValue, info.rules)
            (title, help, unit) = (info.title, info.help, info.unit)
            (isSecret, access, category) = (info.isSecret, info.access, info.category)
        }
    }
}
