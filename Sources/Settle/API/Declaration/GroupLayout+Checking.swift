extension GroupLayout {
    /// The members of snapshots and drafts, which would hide a setting or a group of the same name.
    static let memberNames = [
        "revision": "Snapshot", "description": "Snapshot", "customMirror": "Snapshot", "settings": "Draft",
        "isDirty": "Draft", "touchedKeys": "Draft", "violations": "Draft", "conflicts": "Draft", "changes": "Draft",
    ]

    /// Throws if two settings have the same key, if the key of one lies within that of another, if a key, a name, a
    /// type or a default is not valid, or if settings are where no store finds them. The error names all of them.
    func check() throws(SettingsError) {
        var errors = refusedGroups
        var names: [SettingKey: String] = [:]
        for setting in settings {
            do throws(SettingsError) {
                try setting.key.check(for: setting.name)
            } catch {
                errors.append(error)
            }
            let dot = setting.name.utf8.lastIndex(of: UInt8(ascii: "."))
            let name = dot.map { String(setting.name[setting.name.utf8.index(after: $0)...]) } ?? setting.name
            if let owner = Self.memberNames[name] { errors.append(.hidden(setting.name, as: name, by: owner)) }
            if let type = setting.box.declaration.mutableClass {
                errors.append(.mutableClass(type, setting.name, key: setting.key))
            }
            let defects = setting.box.hasRules ? setting.box.declaration.ruleDefects : []
            errors += defects.map { .invalidRule(setting.name, key: setting.key, $0) }
            if defects.isEmpty, let violation = setting.box.defaultViolation {
                errors.append(.invalidDefault(setting.name, key: setting.key, violation))
            }
            if let other = names.updateValue(setting.name, forKey: setting.key) {
                errors.append(.duplicateKey(setting.key, other, setting.key, setting.name))
            }
        }
        for setting in settings {
            for parent in setting.key.parents {
                if let other = names[parent] {
                    errors.append(.duplicateKey(setting.key, setting.name, parent, other))
                }
            }
        }
        errors += spelledAlike()
        errors += unreachable()
        if let error = SettingsError.unusable(typeName, errors) { throw error }
    }

    /// The variables whose values are never saved, each with an error that says what to do about it.
    var unsavedVariables: [(name: String, error: SettingsError)] {
        others.filter(\.isForgotten).map { ($0.name, .notASetting($0)) }
            + variableGroups.map { ($0, .variableGroup($0)) }
    }

    /// Finds the unreachable settings. Searches a type of groups until a search has found nothing in it.
    private func unreachable() -> [SettingsError] {
        guard !others.isEmpty else { return [] }
        let known = searchedTypes.withLock { $0 }
        let unknown = others.filter { !known.contains(ObjectIdentifier($0.group)) }
        guard !unknown.isEmpty else { return [] }
        let found = unknown.compactMap(UnreachableSetting.init(in:)).map(SettingsError.unreachable)
        if found.isEmpty { searchedTypes.withLock { $0.formUnion(unknown.map { ObjectIdentifier($0.group) }) } }
        return found
    }

    /// Finds names with dots that equal another setting's key: once stored, they would be mistaken for it.
    private func spelledAlike() -> [SettingsError] {
        guard settings.contains(where: { $0.key.joinedNames != nil }) else { return [] }
        var names: [SettingKey: String] = [:]
        for setting in settings {
            for literal in setting.key.literals { names[literal] = setting.name }
        }
        return settings.compactMap { setting in
            names[setting.key].map { .duplicateKey(setting.key, $0, setting.key, setting.name) }
        }
    }
}

/// The types of groups in which a search has found no unreachable setting.
private let searchedTypes = LockedValue<Set<ObjectIdentifier>>([])

extension SettingDeclaration {
    /// The class whose values could change without a write; `nil` for nearly all types. A declaration with its own
    /// codec vouches for the class.
    fileprivate var mutableClass: MutableClass? {
        isMeasured && details?.hasOwnCodec != true ? MutableClass(in: valueType) : nil
    }
}

extension SettingsError {
    static func groupNotStruct(_ group: any Any.Type, _ kind: String) -> SettingsError {
        SettingsError(
            .invalidType, "\(group) is \(kind), so it can't be a group of settings: declare it as a struct.")
    }

    fileprivate static func mutableClass(_ type: MutableClass, _ setting: String, key: SettingKey) -> SettingsError {
        SettingsError(
            .invalidType,
            "\(setting) can't have values of the class \(type.type): changing its \(type.variables[0]) would not write "
                + "the setting, and the change would never be saved. Make \(type.type) a struct, or a final class "
                + "with `let` properties only.",
            key: key.description)
    }

    fileprivate static func notASetting(_ property: GroupLayout.Other) -> SettingsError {
        SettingsError(
            .notASetting,
            "\(property.name) is never saved: it is a variable, but not a setting. Write `@Setting var \(property.label)`, or "
                + "`let` for a constant. If it is not to be saved, give it a name such as `_\(property.label)`.")
    }

    fileprivate static func variableGroup(_ name: String) -> SettingsError {
        SettingsError(
            .notASetting,
            "\(name) is a group in a variable: a group assigned to it later would never be saved. Declare it with "
                + "`let`."
        )
    }

    fileprivate static func hidden(_ setting: String, as name: String, by owner: String) -> SettingsError {
        SettingsError(
            .invalidName,
            "\(setting) can't have this name: \(owner).\(name) would hide it. Give the property another name; "
                + "@Setting(\"\(name)\") keeps the key.")
    }

    static func hidden(group: String, as name: String, by owner: String) -> SettingsError {
        SettingsError(
            .invalidName,
            "\(group) can't have this name: \(owner).\(name) would hide the group. Give the property another name.")
    }

    fileprivate static func unreachable(_ setting: UnreachableSetting) -> SettingsError {
        SettingsError(.unreachable, "\(setting.place), \(setting.what), would never be saved: \(setting.advice)")
    }
}
