extension StoreCore {
    /// Runs a transaction, and returns when it is on stable storage.
    func commit<Result: Sendable>(by writer: String?, _ body: () throws -> Result) async throws -> Result {
        guard let persister else { return try transact(origin: .local, writer: writer, body) }
        let isolation: (any Actor)? = #isolation
        if isolation == nil { return try await commitOnQueue(writer, body) }
        // The closure may use the state of the actor, which does not stand still while this task waits: it stays here.
        while true {
            try await persister.beginVisit(of: self)
            guard !Task.isCancelled else {
                await persister.abandonVisit()
                throw CancellationError()
            }
            // A writer that takes long must not keep the storage from other processes.
            guard self.writer.tryLock(within: Persister.writerPatience) else {
                await persister.abandonVisit()
                continue
            }
            let (result, revision): (Result, UInt64)
            do {
                defer { self.writer.unlock() }
                result = try transact(origin: .local, writer: writer, body)
                revision = log.lock.withLock { log.revision }
            } catch {
                await persister.abandonVisit()
                throw error
            }
            try await persister.endVisit(of: self, savingRevision: revision)
            return result
        }
    }

    /// Runs a commit whose closure no actor isolates on the persister's queue, which spares two changes of threads.
    private func commitOnQueue<Result: Sendable>(
        _ writer: String?, _ body: () throws -> Result
    ) async throws -> Result {
        try await withoutActuallyEscaping(body, do: CommitCrossing<Result>(store: self, writer: writer).run)
    }

    func flush() async throws {
        guard let persister else { return }
        try await persister.flush()
    }

    func flushToFile() async throws {
        guard let persister else { return }
        try await persister.flushToFile()
    }

    /// The same, also in a task that has been cancelled.
    func flushAtEnd() async throws {
        guard let persister else { return }
        try await persister.flush(isCancellable: false)
    }

    func flushAndWait() throws {
        guard !writer.isHeldByCurrentThread else {
            throw SettingsError(
                .flushInsideWrite,
                "flushAndWait() can't be called while this thread writes a setting or runs an update or a commit: call it "
                    + "afterwards.")
        }
        try persister?.flushSynchronously()
    }

    /// Saves everything and closes the store. If that fails it is open again.
    func close() async throws {
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

    func run() async throws {
        let waiter = Waiter(countedIn: nil)
        while !Task.isCancelled, !(log.lock.withLock { log.isFinished }) {
            await log.wait(on: log.lifetime, with: waiter) { false }
        }
        guard !isClosed else { return }
        try await flushAtEnd()
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
    let store: StoreCore
    let writer: String?

    func run(_ body: @escaping () throws -> Result) async throws -> Result {
        guard let persister = store.persister else { return try store.transact(origin: .local, writer: writer, body) }
        let outcome = CommitOutcome<Result>()
        try await persister.commit(in: store) {
            outcome.result = try store.transact(origin: .local, writer: writer, body)
        }
        // There is one: the commit returns without an error only after its closure has.
        guard let result = outcome.result else { throw CancellationError() }
        return result
    }
}

/// Where a commit's closure leaves its result.
private final class CommitOutcome<Result: Sendable>: @unchecked Sendable {
    // Sendable: written on the persister's queue before the task is resumed that reads it.
    var result: Result?
}
