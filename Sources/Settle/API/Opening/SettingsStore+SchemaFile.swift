extension SettingsStore.File {
    /// Replaces the schema's file, for `SettleInterchange`, which makes the schema.
    package func writeSchema(_ bytes: [UInt8]) async throws -> FilePath {
        try await store.open().persister.writeSchema(bytes)
    }
}

extension Persister {
    /// On the persister's queue, which may wait for a disk.
    fileprivate func writeSchema(_ bytes: [UInt8]) throws(SettingsError) -> FilePath {
        guard !isClosed else { throw .closed(key: nil) }
        guard let file = storage as? FileStorage else {
            throw SettingsError(
                .storage, "The schema can't be written: the settings are not in a file. Use `schema().jsonSchema`.")
        }
        do {
            return try file.writeSchema(bytes)
        } catch {
            throw .storage(error)
        }
    }
}
