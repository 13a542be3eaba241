/// A name of a setting at run time: text, such as `passcode.attemptCount`, or a ``SettingKey``.
///
/// `String` and `SettingKey` conform; there is nothing to implement. In text, a dot separates names; a name with dots
/// of its own is escaped with a backslash, or given by ``path(_:_:)``.
public protocol SettingKeyConvertible: Sendable {
    /// The key as text.
    var description: String { get }
}

extension String: SettingKeyConvertible {}

extension SettingKey: SettingKeyConvertible {}

extension SettingKeyConvertible where Self == SettingKey {
    /// The key of these names, from the outside in, whatever they contain: `.path("accounts", "carol@example.com")`.
    ///
    /// An empty name makes a key that no setting can have, so the call that gets it throws.
    public static func path(_ first: String, _ more: String...) -> SettingKey {
        SettingKey(names: [first] + more)
    }
}

extension SettingKey {
    /// Creates the key that a caller has given. Texts are not refused here, so that the call can name them in its
    /// error.
    init(given key: some SettingKeyConvertible) {
        self.init(stored: key.description)
    }

    /// Creates the key that a caller has given for a group; `nil` for empty text, which means the top level.
    init?(path: some SettingKeyConvertible) {
        let text = path.description
        if text.isEmpty { return nil }
        self.init(stored: text)
    }
}
