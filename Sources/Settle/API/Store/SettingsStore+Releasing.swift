extension SettingsStore {
    /// Releases the groups at and below a path, such as those of a user who has logged out.
    ///
    /// Pending changes there are saved first. Then the declarations are forgotten: the settings are no longer listed,
    /// their streams end, and copies of the groups that are still in use keep their last values and refuse writes.
    /// Stored values stay stored; values of groups that are in memory only are lost. Opening a group there again
    /// declares it again.
    ///
    /// - Parameter path: The path at which the groups were opened; empty for all groups of the store. The `changes` of
    ///   a group at the top level are those of the store, and continue.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/unknownKey`` if no group is open at or below the path, and
    ///   if pending changes can't be saved, or the store is closed. Then nothing has been released.
    public func release(at path: some SettingKeyConvertible) async throws {
        let path = SettingKey(path: path)
        try await GroupRelease(at: path, of: open(key: path?.description)).run()
    }
}
