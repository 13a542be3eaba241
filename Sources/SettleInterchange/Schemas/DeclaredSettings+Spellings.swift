package import Settle

/// The spellings of declared keys. A program also reads a setting whose last names are one name with dots in the file,
/// such as `{"limits.token": …}` for `limits.token`; such a name takes precedence over the path.
extension DeclaredSettings {
    /// Returns the setting whose value is at a key, or has it as a part, and the key's own spelling of its key.
    package func declaration(around key: SettingKey) -> (setting: DeclaredSetting, spelling: SettingKey)? {
        for key in [key] + key.parents {
            if let setting = setting(at: key) { return (setting, key) }
        }
        return nil
    }

    /// Returns the keys under which a tree may have a setting, in their order of precedence.
    package func spellings(of setting: DeclaredSetting) -> [SettingKey] {
        setting.key.literals.filter { self.setting(at: $0)?.key == setting.key } + [setting.key]
    }

    /// Returns the value of a setting in a tree.
    package func value(of setting: DeclaredSetting, in tree: SettingTree) -> SettingValue? {
        spellings(of: setting).lazy.compactMap { tree[$0] }.first
    }

    /// Returns a key with the declared key of its setting in place of another spelling.
    package func declaredKey(of key: SettingKey) -> SettingKey {
        guard let (setting, spelling) = declaration(around: key) else { return key }
        return setting.key.appending(key.components.dropFirst(spelling.depth))
    }

    /// Returns a key with the spelling under which a tree has its setting; with the declared key if the tree lacks it.
    package func storedKey(of key: SettingKey, in tree: SettingTree) -> SettingKey {
        guard let (setting, spelling) = declaration(around: key) else { return key }
        let stored = spellings(of: setting).first { tree[$0] != nil } ?? setting.key
        return stored.appending(key.components.dropFirst(spelling.depth))
    }

    /// Returns the keys under which a tree may have the value of a key: that of a setting in every spelling, and that
    /// of a group also under names with dots outside of its dictionary.
    package func keys(at key: SettingKey) -> [SettingKey] {
        if let (setting, spelling) = declaration(around: key) {
            let names = key.components.dropFirst(spelling.depth)
            return spellings(of: setting).map { $0.appending(names) }
        }
        let inner = related(to: key).flatMap { spellings(of: $0) }
        return [key] + inner.filter { !$0.isWithin(key) }
    }

    /// Returns a tree in which each setting has the spelling that another tree uses: of several the one in force.
    ///
    /// - Parameter settings: The settings that the tree may have; all if `nil`.
    package func respelled(
        _ tree: SettingTree, as other: SettingTree, of settings: [DeclaredSetting]? = nil
    ) -> SettingTree {
        var result = tree
        for setting in settings ?? all {
            let keys = spellings(of: setting)
            guard keys.count > 1, let stored = keys.first(where: { other[$0] != nil }),
                let value = value(of: setting, in: tree)
            else { continue }
            for key in keys where result[key] != nil { result[key] = nil }
            result[stored] = value
        }
        return result
    }
}

extension SettingKey {
    fileprivate func appending(_ names: ArraySlice<String>) -> SettingKey {
        names.reduce(self) { $0.appending(component: $1) }
    }
}
