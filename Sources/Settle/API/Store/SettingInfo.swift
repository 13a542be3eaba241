/// A setting's declaration and state at run time, for a command line, a settings page or an API.
public struct SettingInfo: Sendable, Hashable {
    /// The full key, such as `passcode.attemptCount`.
    public let key: String
    /// The declared type as it is written in Swift, such as `Int` or `Date?`.
    public let type: String
    /// The form of the type's values where they are stored; ``ValueShape/Kind/any`` if a codec of the declaration
    /// decides.
    public let shape: ValueShape
    /// The display name in the declaration, if there is one.
    public let title: String?
    /// The text that explains what the setting does, if the declaration has one.
    public let help: String?
    /// The unit of a number, such as "seconds", if the declaration has one.
    public let unit: String?
    /// The current value in stored form; `nil` for a secret, and for a value that can't be encoded.
    public let value: SettingValue?
    /// The value of the setting while no domain has one; `nil` for a secret, and for a value that can't be encoded.
    public let defaultValue: SettingValue?
    /// The setting's rules. For an enumeration that lists its cases, the first rule is the list.
    public let rules: [RuleDescription]
    /// The source of the current value.
    public let origin: ValueOrigin
    /// The domain that the current value comes from.
    public let domain: DomainName
    /// Whether no domain has a value, so that the default is used.
    public var isDefault: Bool { domain == .declaration }
    /// Whether a domain above the application's has a value, so that a write is saved but not in force.
    public let isCovered: Bool
    /// The source of the lock on the setting, such as a file with its line, which makes a write throw; `nil` if there
    /// is none.
    public let lock: String?
    /// Whether the type is a ``SecretValue``.
    public let isSecret: Bool
    /// The code that may write the setting.
    public let access: SettingsAccess
    /// Whether it is meant for users, or is only state that the program remembers.
    public let category: SettingsCategory
    /// The reason why the stored value is not in force, such as a wrong edit of the file; `nil` if it is.
    public let problem: Problem?
    /// The key as the group declares it, whichever spelling is stored.
    package let declaredKey: String
    /// The position in the declarations of the store.
    package let position: DeclarationPosition?

    /// A stored value that can't be used.
    public struct Problem: Sendable, Hashable {
        /// The problem with the value, and the value in force instead, in sentences.
        public let description: String
        /// The value; `nil` for a secret.
        public let stored: SettingValue?
        /// The rule that it breaks, if that is the reason.
        public let rule: String?
    }
}

extension SettingInfo: CustomStringConvertible {
    /// A description such as `passcode.attemptCount = 3, from application`.
    public var description: String {
        let spelled =
            isSecret ? "\(Redacted<SettingValue>(shown: nil))" : value.map { Redacted($0, isSecret: false).literal }
        let lock = lock.map { ", locked by \($0)" } ?? ""
        let problem = problem.map { ". \($0.description)" } ?? ""
        return "\(key) = \(spelled ?? "nothing"), from \(domain)\(lock)\(problem)"
    }
}
