import Dispatch

/// Transactions that run while others can't append, or that run again if others were faster.
///
/// With a lock, others are excluded from the moment their changes are merged until the transaction's own are appended.
/// Nothing can get in between, so the closure runs exactly once. All commits of a round share one lock; their closures
/// run one after the other.
///
/// ```
///   waiting ──▶ lock the storage ──▶ take the writer lock ──▶ run ──▶ the round's append and sync
///      ▲                                 │ not free within 20 ms           │ conflict, where there is no lock
///      ├──writer unlocks──── unlock the storage                            │
///      └───────────────────────────── undo, merge ◀───────────────────────┘
/// ```
///
/// So other processes never wait for a writer of this one. Writers give way to a waiting turn; see ``RecursiveLock``.
extension Persister {
    /// How long the queue waits for the writer lock while it holds the storage's lock.
    static let writerPatience = Duration.milliseconds(20)
    /// How often a transaction runs if others are faster each time.
    static let attemptLimit = 16

    /// Runs a transaction, and returns once it is on stable storage.
    ///
    /// - Throws: What the closure throws, after undoing everything. Before the closure runs: `CancellationError` if the
    ///   task is cancelled, an error of the storage's lock, or what the preparation throws.
    nonisolated func commit(
        in store: Engine, preparing prepare: Preparation? = nil, _ body: @escaping () throws -> Void
    ) async throws {
        try await SaveRequest(.transaction, in: store, preparing: prepare, body).wait { request in
            enqueue { await $0.accept(request) }
        }
    }

    /// Excludes others and merges their changes, so that a transaction can run outside the persister's queue.
    nonisolated func beginVisit(of store: Engine, preparing prepare: Preparation? = nil) async throws {
        try await SaveRequest(.visit, in: store, preparing: prepare).wait { request in
            enqueue { await $0.accept(request) }
        }
    }

    /// Ends a visit and saves what it has written, even if the task has been cancelled meanwhile.
    nonisolated func endVisit(of store: Engine, savingRevision revision: UInt64) async throws {
        try await SaveRequest(.save, in: store, revision: revision).waitUncancellably { request in
            enqueue { persister in
                persister.leaveVisit()
                await persister.accept(request)
            }
        }
    }

    /// Ends a visit that has nothing to save, because its transaction was undone or never began.
    nonisolated func abandonVisit() {
        enqueue { persister in
            persister.leaveVisit()
            await persister.endRoundIfUnused()
        }
    }

    private func leaveVisit() {
        visitors -= 1
        guard visitors == 0 else { return }
        for waiter in visitorsLeft { waiter.resume() }
        visitorsLeft = []
    }

    func accept(_ request: SaveRequest) async {
        guard !isClosed else { return request.end(.failure(SettingsError.closed(key: nil))) }
        switch request.kind {
        case .save:
            fence(request)
            join(request)
        case .transaction, .visit:
            transactions.append(request)
            if !isTurnAwaited { await runTransactions() }
        }
    }

    /// Runs all waiting transactions. If a writer is active, runs none and waits for its turn.
    private func runTransactions() async {
        transactions.removeAll(where: \.hasEnded)
        guard let store = transactions.first?.store else { return }
        do {
            guard !isClosed else { throw SettingsError.closed(key: nil) }
            if exclusion == .none {
                await appendForPreparations()
                try await exclude()
            }
            if let refusal = migrations.refusal { throw refusal }
        } catch {
            if exclusion != .none { await endRoundIfUnused() }
            deliverFetched()
            return endTransactions(with: error is StorageError ? SettingsError.commitNotBegun(error) : error)
        }
        // Resume them after unlocking: an executor may run arbitrary code when it resumes a task.
        var ended = await prepareTransactions()
        guard !transactions.isEmpty else {
            await endRoundIfUnused()
            deliverFetched()
            for (request, result) in ended { request.end(result) }
            return
        }
        // What a visit has published and not handed over yet is a commit's too.
        let isFirst = visitors == 0 && !joined.contains { $0.revision != nil }
        if isFirst || failedSaves.isRetry { _ = encodeUnsaved(false) }
        // Drop lost values first: a transaction must not build on them.
        if failedSaves.isRetry {
            guard conflictOfCommits() == nil else {
                // The round ends first, which is on its way.
                enqueue { await $0.runTransactions() }
                for (request, result) in ended { request.end(result) }
                return
            }
            settleFailedSaves()
        }
        if isFirst { backlog.beginCommits() }
        guard store.writer.tryLock(within: Self.writerPatience) else {
            await endRoundIfUnused()
            awaitTurn(of: store.writer)
            for (request, result) in ended { request.end(result) }
            return
        }
        mergeUndelivered()
        // This queue saves what the transactions write, so they need not wake it.
        log.lock.withLock { log.unsaved.attend() }
        let ready = transactions.filter { $0.begin() }
        transactions = []
        for request in ready {
            if let lost = request.locks.first(where: { heldLocks[$0] == nil }) {
                ended.append((request, .failure(SettingsError.lockLost(lost))))
                continue
            }
            fence(request)
            if case .visit = request.kind {
                visitors += 1
                ended.append((request, .success(())))
                continue
            }
            do {
                try request.perform(mayRunAgain: exclusion.mayConflict)
                request.revision = log.lock.withLock { log.changes.revision }
                join(request)
            } catch {
                ended.append((request, .failure(error)))
            }
        }
        store.writer.unlock()
        await endRoundIfUnused()
        for (request, result) in ended { request.end(result) }
    }

    func endTransactions(with error: any Error) {
        let ended = transactions
        transactions = []
        for request in ended { request.end(.failure(error)) }
    }

    func endRoundIfUnused() async {
        guard joined.isEmpty, visitors == 0, !isClosed else { return }
        // The append reports its error; no caller waits for it here.
        _ = try? await endExclusion()
        await doWhatIsDue()
    }

    /// Runs commits again that were undone because others were faster.
    func runAgain(_ commits: [SaveRequest], after error: any Error) {
        joined.removeAll { request in commits.contains { $0 === request } }
        for request in commits {
            request.revision = nil
            if !request.prepareToRunAgain(limit: Self.attemptLimit) { request.end(.failure(error)) }
        }
        transactions = commits.filter { !$0.hasEnded } + transactions
        guard !transactions.isEmpty, !isTurnAwaited else { return }
        enqueue { await $0.runTransactions() }
    }

    // MARK: Turns

    /// Continues with waiting deliveries and transactions once the writer unlocks.
    func awaitTurn(of writer: RecursiveLock) {
        guard !isTurnAwaited else { return }
        isTurnAwaited = true
        writer.requestHandOff { [weak self] in self?.enqueue { await $0.turnCame(of: writer) } }
        checkTurnLater(of: writer)
    }

    private func turnCame(of writer: RecursiveLock) async {
        isTurnAwaited = false
        guard !isClosed else { return writer.declineHandOff() }
        if !tryToDeliver(within: Self.writerPatience) { awaitTurn(of: writer) }
        if !isTurnAwaited { await runTransactions() }
        if !isTurnAwaited { writer.declineHandOff() }
    }

    /// Fallback poll: unlocking and `requestHandOff` are ordered by the processor only, so a request for a turn may go
    /// unseen.
    private func checkTurnLater(of writer: RecursiveLock) {
        executor.queue.asyncAfter(deadline: DispatchTime.now() + .milliseconds(50)) { [weak self] in
            self?.enqueue { persister in
                guard persister.isTurnAwaited else { return }
                writer.offerHandOff()
                persister.checkTurnLater(of: writer)
            }
        }
    }
}
