/// The change that a transaction of the history made to one key.
public struct HistoryChange: Sendable, Hashable {
    /// The full key.
    public var key: String
    /// The value stored before; `nil` if nothing was stored, or if the setting is a secret.
    public var oldValue: SettingValue?
    /// The value stored after; `nil` if nothing was stored, or if the setting is a secret.
    public var newValue: SettingValue?
    /// Whether the setting is a secret, so that it is only known that it has changed.
    public var isSecret: Bool

    package init(_ mutation: StoredMutation) {
        key = mutation.key.description
        oldValue = mutation.oldValue
        newValue = mutation.newValue
        isSecret = mutation.isWithheld
    }
}

extension HistoryChange: Codable {
    private enum CodingKeys: CodingKey {
        case key, oldValue, newValue, isSecret
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // A null is a value, unlike one that is absent.
        func value(_ key: CodingKeys) throws -> SettingValue? {
            container.contains(key) ? try container.decode(SettingValue.self, forKey: key) : nil
        }
        key = try container.decode(String.self, forKey: .key)
        oldValue = try value(.oldValue)
        newValue = try value(.newValue)
        isSecret = try container.decode(Bool.self, forKey: .isSecret)
    }
}

extension HistoryChange: CustomStringConvertible {
    /// A description such as `limit: 5 → 6`, or `token: ••••` for a secret.
    public var description: String {
        isSecret ? "\(key): \(spelled(nil))" : "\(key): \(spelled(oldValue)) → \(spelled(newValue))"
    }

    private func spelled(_ value: SettingValue?) -> String {
        value == nil && !isSecret ? "nothing" : Redacted(value ?? .null, isSecret: isSecret).literal
    }
}
