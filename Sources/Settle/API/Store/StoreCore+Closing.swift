extension StoreCore {
    /// Saves everything and closes the store. If that fails, the store is open again.
    func close() async throws {
        // For every caller, not only the first: the others return once it is closed, too.
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
        closers += 1
        mode = .closed
    }

    /// Undoes `beginClosing()`. The store stays closed for writes while another close is in progress, which may
    /// succeed.
    private func closingFailed() {
        writer.lock()
        defer { writer.unlock() }
        closers -= 1
        if closers == 0 { mode = idleMode }
    }

    var isClosed: Bool {
        writer.lock()
        defer { writer.unlock() }
        return mode == .closed
    }
}
