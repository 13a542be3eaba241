extension SettingsStore {
    /// Runs a transaction, and returns when it is on stable storage; see ``SettingsGroup/commit(by:_:)-(_,()->Result)``.
    @discardableResult
    public func commit<Result: Sendable>(
        by writer: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        let result = try update(by: writer, body)
        try await flush()
        return result
    }

    /// Saves everything that has been written so far; returns when it is on stable storage.
    ///
    /// - Throws: ``SettingsError`` if it could not be saved. Nothing is lost: the store goes on trying.
    public func flush() async throws {
        guard let persister else { return }
        try await persister.flush()
    }

    /// Saves everything that has been written so far, for a caller that can't wait asynchronously. It blocks the calling
    /// thread, and works even if every thread of the concurrency runtime is blocked.
    public func flushAndWait() throws {
        try persister?.flushSynchronously()
    }

    /// Saves everything and closes the store: its streams end, and every later write is refused. Closing again does nothing.
    ///
    /// - Throws: ``SettingsError`` if the last save failed. The store is open then, with everything still in it.
    public func close() async throws {
        // Not only for the first caller: the others return when it is closed too.
        _ = setClosed(true)
        do {
            try await persister?.close()
        } catch {
            _ = setClosed(false)
            throw error
        }
        Self.act(on: log.finish(), log: log)
        issueBoard.finish()
    }

    /// Waits until the task is cancelled or the store is closed, then saves everything and returns.
    ///
    /// This is the `run()` of a service: give it to a service group, which cancels it at shutdown.
    public func run() async throws {
        let waiter = Waiter()
        while !Task.isCancelled, !(log.lock.withLock { log.isFinished }) {
            await log.wait(on: log.lifetime, with: waiter) { false }
        }
        guard !isClosed else { return }
        try await flush()
    }

    /// False if it was so already.
    private func setClosed(_ closed: Bool) -> Bool {
        writer.lock()
        defer { writer.unlock() }
        guard (mode == .closed) != closed else { return false }
        mode = closed ? .closed : .direct
        return true
    }

    var isClosed: Bool {
        writer.lock()
        defer { writer.unlock() }
        return mode == .closed
    }
}
