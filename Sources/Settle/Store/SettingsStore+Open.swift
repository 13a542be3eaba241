extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// - Throws: ``SettingsError`` if what is stored can't be read. Nothing is written over it then.
    public static func open(
        storage: any Storage, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        let core = try StoreCore.load(storage, configuration: configuration)
        guard let store = SettingsStore(joining: core) else { throw SettingsError.closed(key: nil) }
        return store
    }
}

extension StoreCore {
    /// A core with what a storage has, which follows what others change there.
    static func load(_ storage: any Storage, configuration: SettingsStore.Configuration) throws -> StoreCore {
        let contents: StorageContents
        do {
            contents = try storage.load()
        } catch {
            throw SettingsError.storage(error)
        }
        let core = StoreCore(configuration: configuration, storage: storage, contents: contents)
        core.persister?.follow(for: core)
        return core
    }
}
