public import Settle

extension SettingsStore.Keys {
    /// Returns the key for a name, where names are single keys with or without dots, as in `UserDefaults` and in a
    /// ``SettingsBundle``.
    ///
    /// A declared setting comes first, by its key with dots. Otherwise the name is one key, including dots, unless only
    /// the path of its parts has a value.
    ///
    /// - Returns: `nil` for an empty name.
    public func key(named name: String) -> SettingKey? {
        guard !name.isEmpty else { return nil }
        let literal = SettingKey.path(name)
        if let declared = setting(forKey: literal) { return SettingKey(declared.key) }
        // Backslashes are part of the name.
        let names = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard names.count > 1, let path = SettingKey(components: names) else { return literal }
        let isOnlyPath = self[literal] == nil && self[path] != nil
        return isOnlyPath ? path : literal
    }
}
