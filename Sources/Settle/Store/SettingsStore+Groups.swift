extension SettingsStore {
    /// Opens a group: its settings get their stored values, and from now on this store publishes and saves them.
    ///
    /// Opening the same group at the same path again gives the same settings. The same type may be opened at several
    /// paths. A stored value that can't be used (wrong type, or against the setting's rule) is replaced by the default for
    /// that key alone, reported on ``issues``, and kept in the storage until someone writes the key.
    ///
    /// If a writer is at work, its end is waited for without blocking the caller's actor.
    ///
    /// - Parameters:
    ///   - type: The group's type.
    ///   - path: The dotted path below which the group's keys lie; empty for the top level.
    /// - Throws: ``SettingsError`` if two settings have one key, one's key lies within another's, a key is not valid, a
    ///   default breaks its rule, or the store has been closed. Then nothing has been opened.
    public func group<Group: SettingsGroup>(_ type: Group.Type = Group.self, at path: String = "") async throws -> Group
    {
        let core = try open(key: path.isEmpty ? nil : path)
        let path = path.isEmpty ? nil : SettingKey(stored: path)
        // Made here, because an `init` may want to run where the app has called.
        let group = Group()
        if try core.open(group, at: path, waiting: false) { return group }
        _ = try await runBlocking { () throws(SettingsError) in try core.open(group, at: path, waiting: true) }
        return group
    }
}
