extension SettingsStore {
    /// Runs a transaction, and returns when it is on stable storage; see ``SettingsGroup/commit(by:_:)-(_,()->Result)``.
    @discardableResult
    public func commit<Result: Sendable>(
        by writer: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        guard let persister else { return try update(by: writer, body) }
        let isolation: (any Actor)? = #isolation
        if isolation == nil { return try await commitOnQueue(writer, body) }
        // The closure may use the state of the actor, which does not stand still while this task waits: it stays here.
        try await persister.beginVisit(of: self)
        let result: Result
        do {
            result = try update(by: writer, body)
        } catch {
            try await persister.endVisit(mustSave: false)
            throw error
        }
        try await persister.endVisit(mustSave: true)
        return result
    }

    /// Runs a commit whose closure no actor isolates on the persister's queue, which spares two changes of threads.
    private func commitOnQueue<Result: Sendable>(
        _ writer: String?, _ body: () throws -> Result
    ) async throws -> Result {
        try await withoutActuallyEscaping(body, do: CommitCrossing<Result>(store: self, writer: writer).run)
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
    ///
    /// - Throws: ``SettingsError`` if it could not be saved, or if it is called inside of a write of this store, such as the
    ///   closure of `update`: what that writes is not published yet, and the save may have to wait for its end.
    public func flushAndWait() throws {
        guard !writer.isHeldByCurrentThread else {
            throw SettingsError(
                .flushInsideWrite,
                "flushAndWait() can't be called while this thread writes a setting or runs an update or a commit: call it "
                    + "afterwards.")
        }
        try persister?.flushSynchronously()
    }

    /// Saves everything and closes the store: its streams end, and every later write is refused. Closing again does nothing.
    ///
    /// - Throws: ``SettingsError`` if the last save failed. The store is open then, with everything still in it.
    public func close() async throws {
        // Not only for the first caller: the others return when it is closed too.
        beginClosing()
        do {
            try await persister?.close()
        } catch {
            closingFailed()
            // What others have stored meanwhile was not taken in.
            persister?.storageChanged()
            throw error
        }
        Self.act(on: log.finish(), log: log)
        issueBoard.finish()
    }

    /// Waits until the task is cancelled or the store is closed, then saves everything and returns.
    ///
    /// This is the `run()` of a service: give it to a service group, which cancels it at shutdown.
    public func run() async throws {
        let waiter = Waiter(countedIn: nil)
        while !Task.isCancelled, !(log.lock.withLock { log.isFinished }) {
            await log.wait(on: log.lifetime, with: waiter) { false }
        }
        guard !isClosed else { return }
        try await flush()
    }

    private func beginClosing() {
        writer.lock()
        defer { writer.unlock() }
        closers += 1
        mode = .closed
    }

    /// Somebody else who is closing the store at the same time may have more success.
    private func closingFailed() {
        writer.lock()
        defer { writer.unlock() }
        closers -= 1
        if closers == 0 { mode = .direct }
    }

    var isClosed: Bool {
        writer.lock()
        defer { writer.unlock() }
        return mode == .closed
    }
}

/// Takes a closure to the persister's queue. A method rather than a closure, because the compiler takes the parameter of a
/// closure for something that may be used at the same time elsewhere.
private struct CommitCrossing<Result: Sendable>: Sendable {
    let store: SettingsStore
    let writer: String?

    func run(_ body: @escaping () throws -> Result) async throws -> Result {
        guard let persister = store.persister else { return try store.update(by: writer, body) }
        let commit = Commit(writer: writer, body: body)
        return try await persister.commit(commit, in: store)
    }
}
