extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// The storage loads on a thread of its own, so neither the caller's actor nor a thread of the concurrency runtime
    /// is blocked.
    ///
    /// - Throws: ``SettingsError`` if what is stored can't be read. Nothing is written over it then.
    public static func open(
        storage: any Storage, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        let keeper = try await runBlocking { await LoadedStorage(storage, configuration: configuration) }
            .startStore(configuration: configuration)
        guard let store = SettingsStore(joining: keeper) else { throw SettingsError.closed(key: nil) }
        return store
    }
}

/// A storage with its contents, or the reason why it could not be loaded.
struct LoadedStorage: Sendable {
    private let storage: any Storage
    private let contents: Result<StorageContents, StorageError>

    /// Loads the storage, which may block for long.
    init(_ storage: any Storage, configuration: SettingsStore.Configuration?) async {
        self.storage = storage
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
        let core = StoreCore(
            configuration: configuration, storage: storage, contents: contents, registration: registration)
        let keeper = StoreKeeper(of: core)
        core.persister.follow(for: core)
        return keeper
    }
}
