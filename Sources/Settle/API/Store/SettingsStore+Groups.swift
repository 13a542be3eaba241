extension SettingsStore {
    /// Opens a group: its settings get their stored values, and from now on this store publishes and saves them.
    ///
    /// Opening the same group at the same path again returns the same settings. The same type may be opened at several
    /// paths. A declaration stays until the store closes, whether the group is in use or not, or until
    /// ``release(at:)``.
    ///
    /// A stored value that can't be used (wrong type, or against the setting's rule) is replaced for that key alone: by
    /// the last good value, if an edit has replaced that, and otherwise by the default. That is reported on ``issues``,
    /// and the stored value is kept until the key is written.
    ///
    /// If a write is in progress, this waits for its end without blocking the caller's actor.
    ///
    /// - Parameters:
    ///   - type: The group's type.
    ///   - path: The dotted path below which the group's keys lie; empty for the top level.
    /// - Throws: ``SettingsError`` if two settings have the same key, one's key lies within another's, a key is not
    ///   valid, a default breaks its rule, or the store has been closed. Then nothing has been opened.
    public func group<Group: SettingsGroup>(
        _ type: Group.Type = Group.self, at path: some SettingKeyConvertible = ""
    ) async throws -> Group {
        let path = SettingKey(path: path)
        let core = try open(key: path?.description)
        // Created here, because an `init` may have to run on the caller's actor.
        let group = GroupOpening.make(type, keeping: keeper)
        do {
            try await Self.open(group, at: path, in: core)
        } catch let error as SettingsError where error.code == .duplicateKey {
            // A key that was written or removed at run time is no obstacle once it is saved, so save and try again.
            let isWritten = core.log.lock.withLock { core.log.stored.slots.hasUndeclared }
            if isWritten, (try? await core.persister.flush()) == nil { throw error }
            try await Self.open(group, at: path, in: core)
        }
        return group
    }

    private static func open(_ group: some SettingsGroup, at path: SettingKey?, in core: StoreCore) async throws {
        if try core.open(group, at: path, waiting: false) { return }
        _ = try await runBlocking { () throws(SettingsError) in try core.open(group, at: path, waiting: true) }
    }
}
