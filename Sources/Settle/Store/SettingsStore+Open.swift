extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// The storage loads on a thread of its own, so neither the caller's actor nor a thread of the concurrency runtime waits for it.
    ///
    /// - Throws: ``SettingsError`` if what is stored can't be read. Nothing is written over it then.
    public static func open(
        storage: any Storage, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        let core = try await StoreCore.load(storage, configuration: configuration)
        guard let store = SettingsStore(joining: core) else { throw SettingsError.closed(key: nil) }
        return store
    }
}

extension StoreCore {
    /// A core with what a storage has, which follows what others change there.
    static func load(
        _ storage: any Storage, configuration: SettingsStore.Configuration, file: OpenFile? = nil
    ) async throws(SettingsError) -> StoreCore {
        let contents: StorageContents
        do {
            contents = try await runBlocking { () throws(StorageError) in try storage.load() }
        } catch {
            throw .storage(error)
        }
        let core = StoreCore(configuration: configuration, storage: storage, contents: contents, file: file)
        core.persister?.follow(for: core)
        return core
    }
}
