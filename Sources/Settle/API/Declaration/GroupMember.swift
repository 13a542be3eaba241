/// A property of a group. Nothing else looks at a group's mirror to find its settings.
struct GroupMember {
    enum Kind {
        case setting(AnySettingBox)
        case group(any SettingsGroup)
        case other(Any)
    }

    /// The property's label in the mirror; `nil` if a group's own mirror gives none.
    let label: String?
    let kind: Kind

    /// In the order of declaration, and one at a time: whoever has found enough looks at no more.
    static func all(in group: any SettingsGroup) -> some Sequence<GroupMember> {
        Mirror(reflecting: group).children.lazy.map { label, value in
            if let setting = value as? any AnySetting { return Self(label: label, kind: .setting(setting.erasedBox)) }
            if let inner = value as? any SettingsGroup { return Self(label: label, kind: .group(inner)) }
            return Self(label: label, kind: .other(value))
        }
    }

    /// What a group is in place of a struct, such as `an enum`; `nil` for a struct.
    static func otherKind(of group: any SettingsGroup) -> String? {
        if type(of: group) is AnyClass { return "a class" }
        return Mirror(reflecting: group).displayStyle == .enum ? "an enum" : nil
    }

    /// The name of a setting: the wrapper of the property `x` is stored as `_x`.
    static func settingName(_ label: String) -> String {
        label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
}

/// A `Setting` of any type.
protocol AnySetting {
    var erasedBox: AnySettingBox { get }
}
