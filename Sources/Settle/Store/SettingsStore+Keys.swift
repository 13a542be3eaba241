/// Settings by keys that are known at run time only.
extension SettingsStore {
    /// The value stored for a key, or that of the setting which a group declares for it.
    ///
    /// - Throws: ``SettingsError`` if the value does not convert to the type.
    /// - Returns: `nil` if nothing or null is stored for the key and no group declares it.
    @inlinable
    public func value<Value: Codable & Sendable>(
        forKey key: String, as type: Value.Type = Value.self
    ) throws -> Value? {
        if let stored = log.undeclaredValue(forKey: key), let value = stored.plain(as: Value.self) { return value }
        return try core.converted(SettingKey(stored: key), to: type)
    }

    /// Writes the value of a key, which a group may declare or not.
    ///
    /// If none does, everything within the key is replaced, and a value around it that is no dictionary becomes one.
    ///
    /// - Throws: ``SettingsError`` if the value does not convert, the storage could not hold it, it breaks the declared setting's
    ///   rule, would change a setting that is its owner's (``SettingsAccess/owner``), the key lies around or within a declared
    ///   setting's, or the store is closed.
    public func setValue<Value: Codable & Sendable>(
        _ value: Value, forKey key: String, by writer: String? = nil
    ) throws {
        try open(key: key).setValue(value, forKey: SettingKey(stored: key), by: writer)
    }

    /// Writes the value of a key, which a group may declare or not, as a storage sees it: such as one that was read with
    /// ``SettingValue/init(json:)``. A declared setting takes what it would take from a file, so a string for a date. What is around
    /// and within a key that no group declares is treated as by the other `setValue`.
    ///
    /// - Throws: ``SettingsError`` that names the key and what was expected, if the value does not convert to the declared
    ///   setting's type or breaks its rule; if the storage could not hold it, for a number that is none or too many levels; if
    ///   the write would change a setting that is its owner's; if the key lies around or within a declared setting's; or if the
    ///   store is closed. The old value stays then.
    public func setValue(_ value: SettingValue, forKey key: String, by writer: String? = nil) throws {
        try open(key: key).setValue(value, forKey: SettingKey(stored: key), by: writer)
    }

    /// Removes what is stored for a key, with everything within it. A declared setting goes back to its default.
    ///
    /// - Throws: ``SettingsError`` if the removal would change a setting that is its owner's, the key lies around or within a
    ///   declared setting's, or the store is closed.
    public func removeValue(forKey key: String, by writer: String? = nil) throws {
        try open(key: key).removeValue(forKey: SettingKey(stored: key), by: writer)
    }
}
