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
    static func all(in group: any SettingsGroup) -> some Sequence<GroupMember> { all(in: Mirror(reflecting: group)) }

    /// The same, of the group's mirror.
    static func all(in mirror: Mirror) -> some Sequence<GroupMember> {
        mirror.children.lazy.map { label, value in
            if let setting = value as? any AnySetting { return Self(label: label, kind: .setting(setting.erasedBox)) }
            if let inner = value as? any SettingsGroup { return Self(label: label, kind: .group(inner)) }
            return Self(label: label, kind: .other(value))
        }
    }

    /// The kind of a group's type if it is not a struct, such as `an enum`.
    static func otherKind(of type: any SettingsGroup.Type, _ mirror: Mirror) -> String? {
        if type is AnyClass { return "a class" }
        return mirror.displayStyle == .enum ? "an enum" : nil
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
