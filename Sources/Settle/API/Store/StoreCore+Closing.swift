extension StoreCore {
    /// Saves everything and closes the store. If that fails, the store is open again.
    func close() async throws {
        await writeOutdatedSchema()
        writer.withLock { mode = .closed }
        do {
            try await persister.close()
        } catch {
            // No other close is in progress: only that of the last handle gets here.
            writer.withLock {
                mode = idleMode
                // Some of them may have ended in the meantime.
                if let domain = domains[.overrides] {
                    try? replace(DomainContents(overrides.tree), in: domain.identity)
                }
            }
            // External changes in the meantime were not merged, nor were those of other domains.
            persister.fetchAndDeliver()
            domains.load()
            throw error
        }
        await domains.end()
        log.finish().resumeTasks(of: log)
        issueBoard.finish()
    }

    var isClosed: Bool { writer.withLock { mode == .closed } }
}
