extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// The storage loads on a thread of its own, so neither the caller's actor nor a thread of the concurrency runtime
    /// is blocked.
    ///
    /// - Parameters:
    ///   - storage: Where the application's domain is kept.
    ///   - searching: The domains that are asked for a value. By default the application's only. The list should give
    ///     the places of the standard domains: a storage has no name that they could be derived from.
    ///   - configuration: How the store behaves.
    ///   - migrations: As for ``open(at:format:searching:configuration:migrations:)``. A storage with a lock for
    ///     transactions is locked meanwhile; one that others change without such a lock must check
    ///     ``StorageBatch/Condition/at(_:)``.
    /// - Throws: ``SettingsError`` if what is stored can't be read or migrated. Nothing is written over it then.
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
