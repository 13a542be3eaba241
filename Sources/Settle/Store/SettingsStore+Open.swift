extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// The storage loads on a thread of its own, so neither the caller's actor nor a thread of the concurrency runtime waits for it.
    ///
    /// - Throws: ``SettingsError`` if what is stored can't be read. Nothing is written over it then.
    public static func open(
        storage: any Storage, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        let keeper = try await StoreCore.load(storage, configuration: configuration)
        guard let store = SettingsStore(joining: keeper) else { throw SettingsError.closed(key: nil) }
        return store
    }
}

extension StoreCore {
    /// A store with what a storage has, which follows what others change there.
    static func load(
        _ storage: any Storage, configuration: SettingsStore.Configuration, file: OpenFile? = nil
    ) async throws(SettingsError) -> StoreKeeper {
        let contents: StorageContents
        do {
            contents = try await runBlocking { () throws(StorageError) in try storage.load() }
        } catch {
            throw .storage(error)
        }
        let core = StoreCore(configuration: configuration, storage: storage, contents: contents, file: file)
        let keeper = StoreKeeper(of: core)
        core.persister?.follow(for: core)
        return keeper
    }
}
