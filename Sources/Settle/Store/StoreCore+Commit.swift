extension SettingsGroup {
    /// Runs a transaction, and returns when it is on stable storage.
    ///
    /// Commits are serialized, even with those of other processes: the storage stays locked from merging external
    /// changes until it has the closure's writes. No write comes in between, so the closure sees the newest values and
    /// runs exactly once. On a storage without such a lock it runs again if others were faster, 16 times at most.
    /// Commits that arrive together share one write and one sync. The closure of an actor's method runs on the actor;
    /// any other may run on another thread than the caller's, which waits.
    ///
    /// - Throws: As `update`; ``SettingsError`` if the storage can't be locked, before the closure has run; and
    ///   ``SettingsError`` if saving fails. What was surely not stored, such as for lack of room, is undone then. What
    ///   may have been stored, such as after a failed sync, stands, and the store keeps trying to save it.
    @discardableResult
    public func commit<Result: Sendable>(
        by author: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        guard let engine else { return try body() }
        guard let store = engine as? StoreCore else {
            throw engine.isUnopened ? SettingsError.notOpened(Self.self) : .uncommittedDraft(Self.self)
        }
        return try await store.commit(by: author, body)
    }

    /// Runs a transaction, as ``commit(by:_:)-(_,()->Result)`` does, with the group as the closure's argument.
    @discardableResult
    public func commit<Result: Sendable>(
        by author: String? = nil, _ body: (Self) throws -> Result
    ) async throws -> Result {
        try await commit(by: author) { try body(self) }
    }
}

extension StoreCore {
    /// Runs a transaction, and returns when it is on stable storage.
    func commit<Result: Sendable>(by author: String?, _ body: () throws -> Result) async throws -> Result {
        let isolation: (any Actor)? = #isolation
        guard isolation != nil else {
            // On the persister's queue, which saves two thread switches.
            return try await withoutActuallyEscaping(body, do: CommitCrossing<Result>(store: self, author: author).run)
        }
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
                revision = log.lock.withLock { log.changes.revision }
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
