extension StoreCore {
    /// The outcome of a commit.
    struct Committed<Result: Sendable>: Sendable {
        var result: Result
        /// The transaction's number; `nil` if it has changed nothing.
        var revision: UInt64?
    }

    /// Runs a transaction, and returns when it is on stable storage.
    ///
    /// - Parameters:
    ///   - confirmation: The terms, if the commit is taken back unless it is confirmed.
    ///   - prepare: As below.
    func commit<Result: Sendable>(
        author: String?, confirming confirmation: CommitConfirmation? = nil,
        preparing prepare: Persister.Preparation? = nil,
        _ body: () throws -> Result
    ) async throws -> Result {
        guard let confirmation else { return try await commit(author: author, preparing: prepare, body).result }
        return try await commit(author: author, preparing: prepare) {
            let result = try body()
            try stageUnconfirmed(confirmation, author: author)
            return result
        }.result
    }

    /// - Parameter prepare: Examines the storage once others are excluded. An error that it throws ends the commit.
    func commit<Result: Sendable>(
        author: String?, preparing prepare: Persister.Preparation?, _ body: () throws -> Result
    ) async throws -> Committed<Result> {
        let isolation: (any Actor)? = #isolation
        guard isolation != nil else {
            // On the persister's queue, which saves two thread switches.
            let crossing = CommitCrossing<Result>(store: self, author: author, prepare: prepare)
            return try await withoutActuallyEscaping(body, do: crossing.run)
        }
        // Stay on the caller's actor, which is not blocked while this task waits: the closure may use its state.
        var repetitions = Repetitions()
        while true {
            let visitor = try await persister.beginActorTransaction(in: self, preparing: prepare)
            guard !Task.isCancelled else {
                persister.abandonActorTransaction(visitor)
                throw CancellationError()
            }
            // A long write must not keep the storage locked for other processes.
            guard self.writer.tryLock(within: Persister.writerPatience) else {
                persister.abandonActorTransaction(visitor)
                continue
            }
            let (committed, newest, reads): (Committed<Result>, UInt64, Set<SettingKey>?)
            do {
                defer { self.writer.unlock() }
                committed = try transactToCommit(author: author, body)
                newest = log.lock.withLock { log.changes.revision }
                reads = readsOfLast
            } catch {
                persister.abandonActorTransaction(visitor)
                throw error
            }
            do {
                try await persister.endActorTransaction(
                    visitor, savingRevision: newest, reading: reads, isReading: committed.revision == nil)
                return committed
            } catch let error as SettingsError where error.isConflict {
                // Others were faster. The transaction has been undone, and their changes are merged.
                if repetitions.mayRunAgain(now: persister.time.elapsed()) { continue }
                throw SettingsError.commitUndone(.others, attempts: repetitions.attempts)
            }
        }
    }

    /// Requires the writer's lock.
    fileprivate func transactToCommit<Result: Sendable>(
        author: String?, _ body: () throws -> Result
    ) throws -> Committed<Result> {
        let before = log.lock.withLock { log.changes.revision }
        let result = try transact(origin: .local, author: author) {
            transaction?.isCommit = true
            return try body()
        }
        let after = log.lock.withLock { log.changes.revision }
        return Committed(result: result, revision: after > before ? after : nil)
    }
}

/// Carries a closure to the persister's queue. A method rather than a closure, because the compiler assumes that the
/// parameter of a closure may be used concurrently elsewhere.
private struct CommitCrossing<Result: Sendable>: Sendable {
    let store: StoreCore
    let author: String?
    let prepare: Persister.Preparation?

    func run(_ body: @escaping () throws -> Result) async throws -> StoreCore.Committed<Result> {
        let outcome = CommitOutcome<Result>()
        try await store.persister.commit(in: store, preparing: prepare) {
            outcome.committed = try store.transactToCommit(author: author, body)
        }
        // Never missing: the commit returns without an error only after its closure has.
        guard let committed = outcome.committed else { throw CancellationError() }
        return committed
    }
}

/// Carries the result of a commit's closure.
private final class CommitOutcome<Result: Sendable>: @unchecked Sendable {
    // Sendable: written on the persister's queue before the task that reads it is resumed.
    var committed: StoreCore.Committed<Result>?
}
