/// The settings of a group and of the groups within it, as declared.
struct GroupLayout {
    struct Declared {
        /// Relative to the opened group, such as `passcode.attemptCount`.
        var key: SettingKey
        /// The key in the declaration, once `key` is the setting's place in a store.
        var declaredKey: SettingKey?
        /// The path of the group around the setting; `nil` at the top level.
        let group: SettingKey?
        /// Such as `PasscodeSettings.attemptCount`.
        let name: String
        let savePolicy: SavePolicy
        let access: SettingsAccess
        let box: AnySettingBox

        /// The key in the declaration.
        var spelledKey: SettingKey { declaredKey ?? key }
    }

    /// A property of a group that is neither a setting nor a group.
    struct Other {
        let group: any SettingsGroup.Type
        let label: String
        let value: Any

        /// Such as `Shelf.items`.
        var name: String { "\(group).\(label)" }
    }

    var settings: [Declared] = []
    private(set) var others: [Other] = []

    init(_ group: any SettingsGroup, at path: SettingKey? = nil, savePolicy: SavePolicy = .inherited) {
        add(group, path: path, savePolicy: savePolicy, access: .open)
    }

    private mutating func add(
        _ group: any SettingsGroup, path: SettingKey?, savePolicy inherited: SavePolicy, access outer: SettingsAccess
    ) {
        let type = type(of: group)
        let savePolicy = type.savePolicy == .inherited ? inherited : type.savePolicy
        let access = outer == .owner ? .owner : type.access
        for child in Mirror(reflecting: group).children {
            guard let label = child.label else { continue }
            if let setting = child.value as? any AnySetting {
                // The wrapper of the property `x` is stored as `_x`.
                let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
                let box = setting.erasedBox
                settings.append(
                    Declared(
                        key: Self.join(
                            path, box.declaration.key.map(SettingKey.init(stored:)) ?? SettingKey(name: name)),
                        group: path, name: "\(type).\(name)",
                        savePolicy: savePolicy, access: access, box: box))
            } else if let inner = child.value as? any SettingsGroup {
                add(inner, path: Self.join(path, SettingKey(name: label)), savePolicy: savePolicy, access: access)
            } else {
                others.append(Other(group: type, label: label, value: child.value))
            }
        }
    }

    /// The first setting, without looking at the others.
    static func firstBox(of group: any SettingsGroup) -> AnySettingBox? {
        for child in Mirror(reflecting: group).children {
            if let setting = child.value as? any AnySetting { return setting.erasedBox }
            if let inner = child.value as? any SettingsGroup, let box = firstBox(of: inner) { return box }
        }
        return nil
    }

    /// The topic of a group whose settings are all in one store.
    static func topic(of group: any SettingsGroup) -> Topic? {
        var common: Topic?
        for child in Mirror(reflecting: group).children {
            let found: Topic?
            if let setting = child.value as? any AnySetting {
                // A setting's parent is its group.
                if let parent = setting.erasedBox.original.existingPlacement?.slot.parent { return parent }
                found = nil
            } else if let inner = child.value as? any SettingsGroup {
                found = topic(of: inner)
            } else {
                found = nil
            }
            guard let found else { continue }
            // For a group without settings of its own, the topic around those of the groups within it.
            common = common.map { Topic.common($0, found) } ?? found
        }
        return common
    }

    static func join(_ path: SettingKey?, _ key: SettingKey) -> SettingKey {
        path?.appending(key) ?? key
    }
}

/// A `Setting` of any type.
protocol AnySetting {
    var erasedBox: AnySettingBox { get }
}
