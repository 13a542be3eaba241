extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// The storage loads on a thread of its own, so neither the caller's actor nor a thread of the concurrency runtime
    /// is blocked.
    ///
    /// - Parameters:
    ///   - storage: The storage of the application's domain.
    ///   - searching: The domains to search for a value. Default: the application's only. The list should give the
    ///     locations of the standard domains: a storage has no name from which they could be derived.
    ///   - configuration: The behavior of the store.
    ///   - migrations: As for ``open(at:format:searching:configuration:migrations:)``. A storage with a lock for
    ///     transactions is locked meanwhile; a storage that others change without such a lock must check
    ///     ``StorageBatch/Condition/at(_:)``.
    /// - Throws: ``SettingsError`` if the stored values can't be read or migrated. Nothing is written over them then.
    public static func open(
        storage: any Storage, searching: SearchList = [.application], configuration: Configuration = Configuration(),
        migrations: [SettingsMigration]? = nil
    ) async throws -> SettingsStore {
        let domains = try SearchedDomains(searching, DomainLocations(id: "app", file: nil))
        let opening = StoreOpening(
            makeStorage: { storage }, domains: domains, configuration: configuration, migrations: migrations)
        return try await runBlocking { () throws(SettingsError) in try await opening.open() }
    }
}
