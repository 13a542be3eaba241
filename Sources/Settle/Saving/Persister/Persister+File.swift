/// Flushing to the readable file, and exporting.
extension Persister {
    /// Saves everything published so far, and updates the storage's readable form.
    ///
    /// - Throws: Also if that form is not complete afterwards.
    nonisolated func flushToFile(for reason: CheckpointReason = .requested) async throws {
        try await flush()
        // In the middle of a transaction on its caller's actor the file would receive half of it.
        try await performBetweenTransactions { persister in
            guard !persister.isClosed else { throw SettingsError.closed(key: nil) }
            try await persister.saveIsolated()
            guard try await persister.checkpoint(for: reason) else { throw SettingsError.fileIsBehind }
        }
    }

    /// Returns whether a key or one within it has a value, or had one as far as the storage still shows it.
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

    /// Returns all stored and pending values, as of one moment.
    ///
    /// - Throws: ``SettingsError`` that names each key whose value can't be encoded.
    nonisolated func everything() async throws(SettingsError) -> SettingTree {
        // On the queue, which alone takes values: so each is either in the tree or still pending in the log.
        try await perform { (persister) throws(SettingsError) in try persister.log.everything() }
    }
}

extension MutationLog {
    /// Returns all stored and pending values. Called on the persister's queue.
    fileprivate func everything() throws(SettingsError) -> SettingTree {
        var (tree, unsaved) = lock.withLock { (stored.tree, self.unsaved.all) }
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
