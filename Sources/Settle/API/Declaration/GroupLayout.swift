/// The settings of a group and of the groups within it, as declared.
struct GroupLayout {
    struct Declared {
        /// The key relative to the opened group, such as `passcode.attemptCount`.
        var key: SettingKey
        /// The key in the declaration, once `key` is the setting's key in a store.
        var declaredKey: SettingKey?
        /// The path of the group around the setting; `nil` at the top level.
        let group: SettingKey?
        /// The name in errors, such as `PasscodeSettings.attemptCount`.
        let name: String
        let savePolicy: SavePolicy
        let access: SettingsAccess
        let category: SettingsCategory
        /// The number of settings that are declared before it.
        let index: Int
        let box: AnySettingBox

        /// The key in the declaration.
        var spelledKey: SettingKey { declaredKey ?? key }
    }

    /// A property of a group that is neither a setting nor a group.
    struct Other {
        let group: any SettingsGroup.Type
        let label: String
        /// Whether it is most likely a setting without its `@Setting`.
        let isForgotten: Bool
        let value: Any

        /// The name with the group's type, such as `Shelf.items`.
        var name: String { "\(group).\(label)" }
    }

    /// The name of the group's type.
    let typeName: String
    var settings: [Declared] = []
    private(set) var others: [Other] = []
    /// The names of variables with groups, such as `AppSettings.passcode`.
    private(set) var variableGroups: [String] = []
    /// The groups whose declarations say how a page shows them.
    private(set) var presented: [OpenedGroup.Presented] = []
    /// The groups that are not structs, or that have a name by which snapshots and drafts do not show them.
    private(set) var refusedGroups: [SettingsError] = []

    init(_ group: any SettingsGroup, at path: SettingKey? = nil, savePolicy: SavePolicy = .inherited) {
        typeName = GroupShape.name(of: type(of: group))
        add(group, typeName, path: path, savePolicy: savePolicy, access: .open, category: .configuration)
    }

    private mutating func add(
        _ group: any SettingsGroup, _ typeName: String, path: SettingKey?, savePolicy inherited: SavePolicy,
        access outer: SettingsAccess, category outerCategory: SettingsCategory
    ) {
        let type = type(of: group)
        if let kind = GroupMember.otherKind(of: type) { refusedGroups.append(.groupNotStruct(type, kind)) }
        let savePolicy = type.savePolicy == .inherited ? inherited : type.savePolicy
        let access = outer == .owner ? .owner : type.access
        let category = outerCategory == .state ? .state : type.category
        if let path, type.presentation != .page() {
            presented.append(OpenedGroup.Presented(key: path, presentation: type.presentation))
        }
        for member in GroupMember.all(in: group) {
            let label = member.label
            switch member.kind {
            case .setting(let setting):
                let box = setting.erasedBox
                let name = GroupMember.settingName(label)
                let key = box.declaration.key.map(SettingKey.init(stored:)) ?? SettingKey(name: name)
                settings.append(
                    Declared(
                        key: Self.join(path, key), group: path, name: "\(typeName).\(name)", savePolicy: savePolicy,
                        access: access, category: category, index: settings.count, box: box))
            case .group(let inner):
                if member.isVariable, !member.hasHiddenName { variableGroups.append("\(typeName).\(label)") }
                if let owner = Self.memberNames[label] {
                    refusedGroups.append(.hidden(group: "\(typeName).\(label)", as: label, by: owner))
                }
                add(
                    inner, GroupShape.name(of: Swift.type(of: inner)), path: Self.join(path, SettingKey(name: label)),
                    savePolicy: savePolicy, access: access, category: category)
            case .other(let value):
                let isForgotten = member.isVariable && !member.hasHiddenName
                others.append(Other(group: type, label: label, isForgotten: isForgotten, value: value))
            }
        }
    }

    /// Returns the boxes of `settings`, in the same order, for callers that need neither keys nor names.
    static func boxes(of group: any SettingsGroup) -> [AnySettingBox] {
        var boxes: [AnySettingBox] = []
        GroupShape.forEachBox(in: group) { box in
            boxes.append(box)
            return true
        }
        return boxes
    }

    /// Returns the first setting, without examining the others.
    static func firstBox(of group: any SettingsGroup) -> AnySettingBox? {
        var first: AnySettingBox?
        GroupShape.forEachBox(in: group) { box in
            first = box
            return false
        }
        return first
    }

    /// Returns the topic of a group whose settings are all in one store.
    static func topic(of group: any SettingsGroup) -> Topic? {
        var common: Topic?
        for member in GroupMember.all(in: group) {
            switch member.kind {
            case .setting(let setting):
                // A setting's parent is its group.
                if let parent = setting.erasedBox.original.existingPlacement?.slot.parent { return parent }
            case .group(let inner):
                // For a group without settings of its own, use the topic around those of the groups within it.
                guard let found = topic(of: inner) else { continue }
                common = common.map { Topic.common($0, found) } ?? found
            case .other: break
            }
        }
        return common
    }

    static func join(_ path: SettingKey?, _ key: SettingKey) -> SettingKey {
        path?.appending(key) ?? key
    }
}
