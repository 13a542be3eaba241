/// A property of a group. Nothing else finds the settings of a group.
struct GroupMember {
    enum Kind {
        case setting(any AnySetting)
        case group(any SettingsGroup)
        case other(Any)

        init(of value: Any) {
            if let setting = value as? any AnySetting {
                self = .setting(setting)
            } else if let inner = value as? any SettingsGroup {
                self = .group(inner)
            } else {
                self = .other(value)
            }
        }
    }

    /// The name under which the property is stored.
    let label: String
    let isVariable: Bool
    let kind: Kind

    /// Whether the name marks the property as not to be saved. The stored properties of other property wrappers and of
    /// `lazy` properties have such names.
    var hasHiddenName: Bool { label.hasPrefix("_") || label.hasPrefix("$") }

    /// Returns all properties, in the order of declaration.
    static func all(in group: some SettingsGroup) -> [GroupMember] {
        guard let shape = GroupShape.of(type(of: group)) else {
            // A store refuses such a group, but it works in memory.
            return Mirror(reflecting: group).children.compactMap { label, value in
                label.map { GroupMember(label: $0, isVariable: false, kind: Kind(of: value)) }
            }
        }
        return withUnsafePointer(to: group) { shape.members(at: UnsafeRawPointer($0)) }
    }

    /// Returns the kind of a group's type if it is not a struct, such as `an enum`.
    static func otherKind(of type: any SettingsGroup.Type) -> String? {
        isStruct(type) ? nil : type is AnyClass ? "a class" : "an enum"
    }

    /// Returns the name of a setting: the wrapper of the property `x` is stored as `_x`.
    static func settingName(_ label: String) -> String {
        label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
}

/// A `Setting` of any type.
protocol AnySetting {
    var erasedBox: AnySettingBox { get }

    /// Returns the same setting with another box, which must be of the same type.
    func with(_ box: AnySettingBox, keeping keeper: Keeper?) -> Self
}
