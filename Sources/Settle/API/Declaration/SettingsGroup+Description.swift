// What `print`, `dump` and the debugger show. The stored property of a setting is a `Setting`, so the protocol provides
// a group's description, and the settings and parts provide theirs. A group keeps the standard mirror, by which a store
// finds its settings.

extension SettingsGroup {
    /// The group's keys and values, without secrets, such as
    /// `PasscodeSettings(isPasscodeEnabled: true, attemptCount: 0)`.
    ///
    /// Like all reading of properties, it is tracked by Observation.
    public var description: String {
        let parts = Mirror(reflecting: self).children.compactMap { child -> String? in
            guard let label = child.label else { return nil }
            guard let setting = child.value as? any AnySetting else {
                return "\(label): \(Redacted(child.value, isSecret: false))"
            }
            // The wrapper of the property `x` is stored as `_x`.
            let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
            setting.erasedBox.original.node.access()
            return "\(setting.erasedBox.declaration.key ?? name): \(setting.erasedBox.spelledValue)"
        }
        return "\(type(of: self))(\(parts.joined(separator: ", ")))"
    }
}

extension Setting: CustomStringConvertible, CustomReflectable {
    /// The value, unless it is a secret.
    public var description: String {
        box.original.node.access()
        return box.spelledValue
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SettingReference {
    /// The key and the value, unless the value is a secret, such as `passcode.attemptCount: 3`.
    public var description: String { "\(key): \(box.spelledValue)" }
}

extension ReadableSetting {
    /// The key, the path to a part, and the value, unless that is a secret, such as `window.frame.width: 80`.
    public var description: String { readOnly.source.description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PartSource {
    var description: String {
        let steps = identity.steps.map(\.description).joined()
        return "\(key)\(steps): \(Redacted(value, isSecret: isSecret))"
    }
}
