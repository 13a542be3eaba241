/// Keys and paths given by their names, for names with dots in them, and everything stored at a path.
extension SettingsStore {
    /// Opens a group at a path that is given by its names, such as `.path("accounts", "carol@example.com")`; see
    /// ``group(_:at:)-(_,String)``.
    public func group<Group: SettingsGroup>(
        _ type: Group.Type = Group.self, at path: SettingKey
    ) async throws -> Group {
        try await group(type, at: path.description)
    }

    /// The value of a key that is given by its names; see ``value(forKey:as:)-(String,_)``.
    public func value<Value: Codable & Sendable>(
        forKey key: SettingKey, as type: Value.Type = Value.self
    ) throws -> Value? {
        try value(forKey: key.description, as: type)
    }

    /// Writes the value of a key that is given by its names; see ``setValue(_:forKey:by:)-(Value,String,_)``.
    public func setValue<Value: Codable & Sendable>(
        _ value: Value, forKey key: SettingKey, by author: String? = nil
    ) throws {
        try setValue(value, forKey: key.description, by: author)
    }

    /// Writes the value of a key that is given by its names, as a storage sees it; see
    /// ``setValue(_:forKey:by:)-(Value,String,_)``.
    public func setValue(_ value: SettingValue, forKey key: SettingKey, by author: String? = nil) throws {
        try setValue(value, forKey: key.description, by: author)
    }

    /// Removes what is stored for a key that is given by its names; see ``removeValue(forKey:by:)``.
    public func removeValue(forKey key: SettingKey, by author: String? = nil) throws {
        try removeValue(forKey: key.description, by: author)
    }

    /// The names of the groups that have something stored at a path, declared or not, sorted. An empty path is the top
    /// level.
    ///
    /// ```swift
    /// for name in store.groups(at: "accounts") {
    ///     let account = try await store.group(Account.self, at: .path("accounts", name))
    /// }
    /// ```
    public func groups(at path: String = "") -> [String] {
        core.groups(at: path.isEmpty ? nil : SettingKey(stored: path))
    }

    /// The names of the groups that have something stored at a path given by its names.
    public func groups(at path: SettingKey) -> [String] {
        core.groups(at: path)
    }

    /// Removes everything stored at and within a path, in one transaction: the settings of a group, in use or not,
    /// return to their defaults, and keys that no group declares are removed.
    ///
    /// - Throws: ``SettingsError`` if a setting there is its owner's (``SettingsAccess/owner``), if the path lies
    ///   within the value of a setting, or if the store is closed. Then nothing is removed.
    public func remove(at path: String, by author: String? = nil) throws {
        try open(key: path).remove(at: SettingKey(stored: path), by: author)
    }

    /// Removes everything stored at and within a path given by its names.
    public func remove(at path: SettingKey, by author: String? = nil) throws {
        try open(key: path.description).remove(at: path, by: author)
    }
}
