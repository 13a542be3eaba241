import Synchronization

extension SettingsStore.File {
    /// Replaces the schema's file, for `SettleInterchange`, which makes the schema.
    package func writeSchema(_ bytes: [UInt8]) async throws -> FilePath {
        try await store.open().persister.writeSchema(bytes)
    }
}

/// Keeps the schema up to date, if the configuration asks for it.
extension StoreCore {
    /// The time to wait for more groups, so that one schema is written for those that a program opens together.
    private static let schemaDelay = Duration.milliseconds(250)

    /// Schedules writing the schema, after a group has been opened.
    func declarationsChanged() {
        guard configuration.schemaEncoder != nil, persister.storage is FileStorage,
            !isSchemaOutdated.exchange(true, ordering: .relaxed)
        else { return }
        Task.detached { [weak self, time] in
            try? await time.sleep(time.elapsed() + Self.schemaDelay)
            await self?.writeOutdatedSchema()
        }
    }

    /// Writes the schema unless it already has everything that is declared. Reports an error that prevents it.
    func writeOutdatedSchema() async {
        guard let encode = configuration.schemaEncoder, isSchemaOutdated.exchange(false, ordering: .relaxed) else {
            return
        }
        do throws(SettingsError) {
            let bytes = try encode(lookAtAll().map(info))
            try await persister.perform { (persister) throws(SettingsError) in
                // When the store closes, everything left to be written has been written before.
                if !persister.isClosed { _ = try persister.writeSchema(bytes) }
            }
        } catch {
            issueBoard.report(error)
        }
    }
}

extension Persister {
    /// Runs on the persister's queue, which may wait for a disk.
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
