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
    ///   - migrations: As for ``open(at:format:searching:configuration:migrations:)``. A storage with a lock for transactions is
    ///     locked meanwhile; one that others change without such a lock must check ``StorageBatch/Condition/at(_:)``.
    /// - Throws: ``SettingsError`` if what is stored can't be read or migrated. Nothing is written over it then.
    public static func open(
        storage: any Storage, searching: SearchList = [.application], configuration: Configuration = Configuration(),
        migrations: [SettingsMigration]? = nil
    ) async throws -> SettingsStore {
        let domains = try SearchedDomains(searching, DomainLocations(id: "app", file: nil))
        let keeper = try await runBlocking {
            await LoadedStorage(storage, domains, configuration: configuration, migrations: migrations)
        }
        .startStore(configuration: configuration)
        guard let store = SettingsStore(joining: keeper) else { throw SettingsError.closed(key: nil) }
        return store
    }
}

/// A storage with its contents, or the reason why it could not be loaded.
struct LoadedStorage: Sendable {
    private let storage: any Storage
    private let migrations: [SettingsMigration]?
    private let searched: SearchedDomains
    private let loaded: Result<Loaded, SettingsError>

    private struct Loaded: Sendable {
        var contents: StorageContents
        let domains: [LoadedDomain]
    }

    /// Loads the storage and the domains, and migrates what is stored. May block for long.
    init(
        _ storage: any Storage, _ searched: SearchedDomains = .none, configuration: SettingsStore.Configuration?,
        migrations: [SettingsMigration]? = nil
    ) async {
        self.storage = storage
        self.searched = searched
        self.migrations = migrations
        let time = TimeSource((configuration ?? .init()).clock)
        do throws(SettingsError) {
            loaded = .success(try await Self.load(storage, searched, migrations, time))
        } catch {
            loaded = .failure(error)
        }
    }

    @inline(never) private static func load(
        _ storage: any Storage, _ searched: SearchedDomains, _ migrations: [SettingsMigration]?, _ time: TimeSource
    ) async throws(SettingsError) -> Loaded {
        // The domains first: nothing is migrated for a store that can't be opened.
        let domains = try await searched.loaded()
        var contents: StorageContents
        do throws(StorageError) {
            let load = { @Sendable () async throws(StorageError) in try await storage.load() }
            contents = try await storage.limits.call(time, load)
        } catch {
            throw .storage(error)
        }
        guard let migrations else { return Loaded(contents: contents, domains: domains) }
        do {
            try await StorageMigration(storage: storage, list: migrations, time: time).run(on: &contents)
        } catch {
            throw .migrationFailed(error)
        }
        return Loaded(contents: contents, domains: domains)
    }

    /// Closes a storage that was read and could not be migrated: no store will.
    func closeIfNotMigrated() async {
        if case .failure(let error) = loaded, error.code == .migrationFailed { await storage.close() }
    }

    /// Starts a store with the contents of the storage, which follows external changes there.
    func startStore(
        configuration: SettingsStore.Configuration, registration: RegisteredFile? = nil
    ) throws(SettingsError) -> StoreKeeper {
        let loaded = try loaded.get()
        let core = StoreCore(
            configuration: configuration, storage: storage, contents: loaded.contents, registration: registration,
            migrations: migrations?.map(\.name))
        let keeper = StoreKeeper(of: core)
        core.add(loaded.domains, languages: searched.languages, renamed: RenamedKeys(migrations ?? []))
        core.persister.keepHistory(configuration.history)
        core.persister.follow(for: core)
        for (domain, _) in loaded.domains { core.follow(domain) }
        return keeper
    }
}
