/// Flushing to the readable file, and exporting.
extension Persister {
    /// Saves everything published so far, and brings the storage's resting form up to date.
    ///
    /// - Throws: Also if the storage is not at rest afterwards.
    nonisolated func flushToFile(for reason: CheckpointReason = .requested) async throws {
        try await flush()
        try await writeFile(for: reason)
    }

    private func writeFile(for reason: CheckpointReason) async throws {
        // During a visit elsewhere the file would receive half of its transaction.
        try await performBetweenVisits { persister in
            guard !persister.isClosed else { throw SettingsError.closed(key: nil) }
            try await persister.endExclusion()
            guard try await persister.checkpoint(for: reason) else { throw SettingsError.fileIsBehind }
        }
    }

    /// Whether a key or one within it has a value, or had one as far as the storage still shows it.
    nonisolated func hasTraces(of key: SettingKey) async throws -> Bool {
        if try await everything()[key] != nil { return true }
        return try await perform { persister in
            guard !persister.isClosed else { throw SettingsError.closed(key: nil) }
            do {
                return try await persister.checkpointing?.hasTraces(of: key) ?? false
            } catch {
                throw SettingsError.storage(error)
            }
        }
    }

    /// Everything that is stored or waits to be stored, as of one moment.
    ///
    /// - Throws: ``SettingsError`` that names each key whose value can't be encoded.
    nonisolated func everything() async throws(SettingsError) -> SettingTree {
        try await perform { (persister) throws(SettingsError) in try persister.everythingNow() }
    }

    private func everythingNow() throws(SettingsError) -> SettingTree {
        // Values are taken on this queue only, so each is either in the tree or still waiting in the log.
        let (stored, unsaved) = log.lock.withLock { (log.stored.tree, log.unsaved.all) }
        var tree = stored
        var problems: [SettingsError] = []
        for value in unsaved {
            do {
                tree[value.slot.key] = try value.encoded()
            } catch {
                problems.append(.encodingFailed(key: value.slot.key, isSecret: value.slot.isSecret, error))
            }
        }
        if !problems.isEmpty { throw .several(.encodingFailed, "Not everything can be exported.", problems) }
        return tree
    }
}
