extension StoreCore {
    /// Saves everything and closes the store. If that fails, the store is open again.
    func close() async throws {
        beginClosing()
        do {
            try await persister.close()
        } catch {
            closingFailed()
            // External changes in the meantime were not merged.
            persister.fetchAndDeliver()
            throw error
        }
        await domains.end()
        log.finish().resumeTasks(of: log)
        issueBoard.finish()
    }

    private func beginClosing() {
        writer.lock()
        defer { writer.unlock() }
        mode = .closed
    }

    /// Undoes `beginClosing()`. No other close is in progress: only that of the last handle gets here.
    private func closingFailed() {
        writer.lock()
        defer { writer.unlock() }
        mode = idleMode
    }

    var isClosed: Bool {
        writer.lock()
        defer { writer.unlock() }
        return mode == .closed
    }
}
