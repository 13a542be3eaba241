extension SettingsStore {
    /// Reads the sources of all domains again, and merges what others have stored, without waiting for an event.
    /// Returns once the values found are in force.
    ///
    /// A store follows its sources by itself. This is for an explicit request, such as `SIGHUP`, and for sources whose
    /// changes cause no events, such as files on some network file systems. A source that can't be read leaves its last
    /// good values in force, and its error is on ``issues``.
    ///
    /// - Throws: ``SettingsError`` if the store is closed, or its storage can't be asked. `CancellationError` if the
    ///   task is cancelled before the values are in force.
    public func reload() async throws {
        let core = try open()
        // Right after an opening, the persister's queue has yet to begin following the domains in files.
        if !core.domains.areFollowed { await core.persister.perform { _ in } }
        await core.domains.reload()
        try Task.checkCancellation()
        try await core.persister.catchUp()
    }
}
