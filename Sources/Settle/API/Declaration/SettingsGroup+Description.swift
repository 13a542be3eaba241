// The output of `print`, `dump` and the debugger. The stored property of a setting is a `Setting`, so the protocol
// provides a group's description, and the settings and parts provide theirs.

extension SettingsGroup {
    /// The group's keys and values, without secrets, such as
    /// `PasscodeSettings(isPasscodeEnabled: true, attemptCount: 0)`.
    ///
    /// Observation tracks it, like any read of the properties.
    public var description: String {
        let parts = GroupMember.all(in: self).map { member in
            let label = member.label
            switch member.kind {
            case .setting(let setting):
                let box = setting.erasedBox
                box.original.accessNodes()
                return "\(box.declaration.key ?? GroupMember.settingName(label)): \(box.spelledValue)"
            case .group(let inner): return "\(label): \(Redacted(inner, isSecret: false))"
            case .other(let value): return "\(label): \(Redacted(value, isSecret: false))"
            }
        }
        return "\(type(of: self))(\(parts.joined(separator: ", ")))"
    }
}

extension Setting: CustomStringConvertible, CustomReflectable {
    /// The value, unless it is a secret.
    public var description: String {
        box.original.accessNodes()
        return box.spelledValue
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SettingReference {
    /// The key and the value, unless the value is a secret, such as `passcode.attemptCount: 3`.
    public var description: String { "\(key): \(box.spelledValue)" }
}

extension ReadableSetting {
    /// The key, the path to a part, and the value, unless the value is a secret, such as `window.frame.width: 80`.
    public var description: String { readOnly.source.description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PartSource {
    var description: String {
        let steps = identity.steps.map(\.description).joined()
        return "\(key)\(steps): \(Redacted(value, isSecret: isSecret))"
    }
}
