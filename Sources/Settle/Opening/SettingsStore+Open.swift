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
    /// - Throws: ``SettingsError`` if what is stored can't be read. Nothing is written over it then.
    public static func open(
        storage: any Storage, searching: SearchList = [.application], configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        let domains = try SearchedDomains(searching, SearchPlaces(id: "app", file: nil))
        let keeper = try await runBlocking { await LoadedStorage(storage, domains, configuration: configuration) }
            .startStore(configuration: configuration)
        guard let store = SettingsStore(joining: keeper) else { throw SettingsError.closed(key: nil) }
        return store
    }
}

/// A storage with its contents, or the reason why it could not be loaded.
struct LoadedStorage: Sendable {
    private let storage: any Storage
    private let contents: Result<StorageContents, StorageError>
    private let searched: SearchedDomains
    private let domains: Result<[(domain: StoreDomain, contents: Result<DomainContents, StorageError>?)], SettingsError>

    /// Loads the storage and the domains, which may block for long.
    init(
        _ storage: any Storage, _ searched: SearchedDomains = .none, configuration: SettingsStore.Configuration?
    ) async {
        self.storage = storage
        self.searched = searched
        do throws(SettingsError) {
            domains = .success(try await searched.loaded())
        } catch {
            domains = .failure(error)
        }
        do throws(StorageError) {
            let load = { @Sendable () async throws(StorageError) in try await storage.load() }
            contents = .success(try await storage.limits.call(TimeSource((configuration ?? .init()).clock), load))
        } catch {
            contents = .failure(error)
        }
    }

    /// Starts a store with the contents of the storage, which follows external changes there.
    func startStore(
        configuration: SettingsStore.Configuration, registration: OpenFile? = nil
    ) throws(SettingsError) -> StoreKeeper {
        let contents: StorageContents
        do {
            contents = try self.contents.get()
        } catch {
            throw .storage(error)
        }
        let domains = try domains.get()
        let core = StoreCore(
            configuration: configuration, storage: storage, contents: contents, registration: registration)
        let keeper = StoreKeeper(of: core)
        core.add(domains, languages: searched.languages)
        core.persister.follow(for: core)
        for (domain, _) in domains { core.follow(domain) }
        return keeper
    }
}
