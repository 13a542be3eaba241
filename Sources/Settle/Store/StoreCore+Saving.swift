extension StoreCore {
    /// Runs a transaction, and returns when it is on stable storage.
    func commit<Result: Sendable>(by author: String?, _ body: () throws -> Result) async throws -> Result {
        let isolation: (any Actor)? = #isolation
        if isolation == nil { return try await commitOnQueue(author, body) }
        // Stay on the caller's actor, which does not stand still while this task waits: the closure may use its state.
        var repetitions = 0
        while true {
            try await persister.beginVisit(of: self)
            guard !Task.isCancelled else {
                persister.abandonVisit()
                throw CancellationError()
            }
            // A long write must not keep the storage locked for other processes.
            guard self.writer.tryLock(within: Persister.writerPatience) else {
                persister.abandonVisit()
                continue
            }
            let (result, revision): (Result, UInt64)
            do {
                defer { self.writer.unlock() }
                result = try transact(origin: .local, author: author, body)
                revision = log.lock.withLock { log.revision }
            } catch {
                persister.abandonVisit()
                throw error
            }
            do {
                try await persister.endVisit(of: self, savingRevision: revision)
                return result
            } catch let error as SettingsError where error.isConflict && repetitions < Persister.attemptLimit {
                // Others were faster. The transaction has been undone, and their changes are merged.
                repetitions += 1
            }
        }
    }

    /// Runs a commit on the persister's queue, which saves two thread switches; for closures that no actor isolates.
    private func commitOnQueue<Result: Sendable>(
        _ author: String?, _ body: () throws -> Result
    ) async throws -> Result {
        try await withoutActuallyEscaping(body, do: CommitCrossing<Result>(store: self, author: author).run)
    }

    func flush() async throws {
        try await persister.flush()
    }

    func flushToFile() async throws {
        try await persister.flushToFile()
    }

    /// The same, even in a cancelled task.
    func flushAtEnd() async throws {
        try await persister.flush(isCancellable: false)
    }

    func flushAndWait() throws {
        guard !writer.isHeldByCurrentThread else {
            throw SettingsError(
                .flushInsideWrite,
                "flushAndWait() can't be called while this thread writes a setting or runs an update or a commit: call it "
                    + "afterwards.")
        }
        try persister.flushSynchronously()
    }

    /// Saves everything and closes the store. If that fails, the store is open again.
    func close() async throws {
        // For every caller, not only the first: the others return once it is closed, too.
        beginClosing()
        do {
            try await persister.close()
        } catch {
            closingFailed()
            // External changes in the meantime were not taken in.
            persister.fetchAndDeliver()
            throw error
        }
        log.finish().resumeTasks(of: log)
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

    /// Undoes `beginClosing()`. The store stays closed for writes while another close is in progress, which may
    /// succeed.
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

/// Carries a closure to the persister's queue. A method rather than a closure, because the compiler assumes that the
/// parameter of a closure may be used concurrently elsewhere.
private struct CommitCrossing<Result: Sendable>: Sendable {
    let store: StoreCore
    let author: String?

    func run(_ body: @escaping () throws -> Result) async throws -> Result {
        let outcome = CommitOutcome<Result>()
        try await store.persister.commit(in: store) {
            outcome.result = try store.transact(origin: .local, author: author, body)
        }
        // Never missing: the commit returns without an error only after its closure has.
        guard let result = outcome.result else { throw CancellationError() }
        return result
    }
}

/// Carries the result of a commit's closure.
private final class CommitOutcome<Result: Sendable>: @unchecked Sendable {
    // Sendable: written on the persister's queue before the task that reads it is resumed.
    var result: Result?
}
