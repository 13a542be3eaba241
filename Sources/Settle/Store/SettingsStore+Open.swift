extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// - Throws: ``SettingsError`` if what is stored can't be read. Nothing is written over it then.
    public static func open(
        storage: any Storage, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        try make(storage: storage, configuration: configuration)
    }

    static func make(storage: any Storage, configuration: Configuration) throws -> SettingsStore {
        let contents: StorageContents
        do {
            contents = try storage.load()
        } catch {
            throw SettingsError.storage(error)
        }
        let store = SettingsStore(configuration: configuration, storage: storage, contents: contents)
        store.persister?.follow(for: store)
        return store
    }
}
