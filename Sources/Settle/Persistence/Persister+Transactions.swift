import Dispatch

/// Transactions that run while the storage is locked.
///
/// The storage stays locked from the moment external changes are taken in until the transaction's changes are appended.
/// Nothing can get in between, so the closure runs exactly once. All commits of a round share one lock of the storage;
/// their closures run one after the other.
///
/// ```
///   waiting ──▶ lock the storage ──▶ take the writer lock ──▶ run ──▶ the round's append and sync
///      ▲                                 │ not free within 20 ms
///      └──writer unlocks──── unlock the storage
/// ```
///
/// So other processes never wait for a writer of this one. Writers give way to a waiting turn; see ``RecursiveLock``.
extension Persister {
    /// How long the queue waits for the writer lock while it holds the storage's lock.
    static let writerPatience = Duration.milliseconds(20)

    /// Runs a transaction, and returns once it is on stable storage.
    ///
    /// - Throws: What the closure throws, after undoing everything. Before the closure runs: `CancellationError` if the
    ///   task is cancelled, or an error of the storage's lock.
    nonisolated func commit(in store: StoreCore, _ body: @escaping () throws -> Void) async throws {
        try await SaveRequest(.transaction, in: store, body).wait { request in
            enqueue { $0.take(request) }
        }
    }

    /// Locks the storage and takes in external changes, so that a transaction can run outside the persister's queue.
    nonisolated func beginVisit(of store: StoreCore) async throws {
        try await SaveRequest(.visit, in: store).wait { request in
            enqueue { $0.take(request) }
        }
    }

    /// Ends a visit and saves what it has written, even if the task has been cancelled meanwhile.
    nonisolated func endVisit(of store: StoreCore, savingRevision revision: UInt64) async throws {
        try await SaveRequest(.save, in: store, revision: revision).waitUncancellably { request in
            enqueue { persister in
                persister.leaveVisit()
                persister.take(request)
            }
        }
    }

    /// Ends a visit that has nothing to save, because its transaction was undone or never began.
    func abandonVisit() {
        leaveVisit()
        endRoundIfUnused()
    }

    private func leaveVisit() {
        visitors -= 1
        guard visitors == 0 else { return }
        for waiter in visitorsLeft { waiter.resume() }
        visitorsLeft = []
    }

    func take(_ request: SaveRequest) {
        guard !isClosed else { return request.end(.failure(SettingsError.closed(key: nil))) }
        switch request.kind {
        case .save: join(request)
        case .transaction, .visit:
            transactions.append(request)
            if !isTurnAwaited { runTransactions() }
        }
    }

    /// Runs all waiting transactions. If a writer is active, runs none and waits for its turn.
    private func runTransactions() {
        transactions.removeAll(where: \.hasEnded)
        guard let store = transactions.first?.store else { return }
        do {
            try lockStorage()
        } catch {
            return endTransactions(with: error)
        }
        if failedSaves.isRetry {
            // Drop lost values first: a transaction must not build on them.
            _ = take(false)
            settleFailedSaves()
        }
        guard store.writer.tryLock(within: Self.writerPatience) else {
            endRoundIfUnused()
            return awaitTurn(of: store.writer)
        }
        mergeUndelivered()
        // This queue saves what the transactions write, so they need not wake it.
        log.attend()
        let ready = transactions.filter { $0.begin() }
        transactions = []
        // Resume them after unlocking: an executor may run arbitrary code when it resumes a task.
        var ended: [(request: SaveRequest, result: Result<Void, any Error>)] = []
        for request in ready {
            if case .visit = request.kind {
                visitors += 1
                ended.append((request, .success(())))
                continue
            }
            do {
                try request.perform()
                request.revision = log.lock.withLock { log.revision }
                join(request)
            } catch {
                ended.append((request, .failure(error)))
            }
        }
        store.writer.unlock()
        endRoundIfUnused()
        for (request, result) in ended { request.end(result) }
    }

    func endTransactions(with error: any Error) {
        let ended = transactions
        transactions = []
        for request in ended { request.end(.failure(error)) }
    }

    func endRoundIfUnused() {
        guard joined.isEmpty, visitors == 0, !isClosed else { return }
        // The append reports its error; no caller waits for it here.
        _ = try? unlockStorage()
        look()
    }

    private func lockStorage() throws {
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        guard !isStorageLocked else { return }
        do {
            try storage.lock()
            do {
                try fetchExternalChanges()
            } catch {
                storage.unlock()
                throw error
            }
        } catch {
            throw SettingsError.commitNotBegun(error)
        }
        isStorageLocked = true
    }

    // MARK: Turns

    /// Continues with waiting deliveries and transactions once the writer unlocks.
    func awaitTurn(of writer: RecursiveLock) {
        guard !isTurnAwaited else { return }
        isTurnAwaited = true
        writer.wantTurn { [weak self] in self?.enqueue { $0.turnCame(of: writer) } }
        checkTurnLater(of: writer)
    }

    private func turnCame(of writer: RecursiveLock) {
        isTurnAwaited = false
        guard !isClosed else { return writer.openGate() }
        if !tryToDeliver(within: Self.writerPatience) { awaitTurn(of: writer) }
        if !isTurnAwaited { runTransactions() }
        if !isTurnAwaited { writer.openGate() }
    }

    /// Fallback poll: unlocking and `wantTurn` are ordered by the processor only, so a request for a turn may go
    /// unseen.
    private func checkTurnLater(of writer: RecursiveLock) {
        executor.queue.asyncAfter(deadline: DispatchTime.now() + .milliseconds(50)) { [weak self] in
            self?.assumeIsolated { persister in
                guard persister.isTurnAwaited else { return }
                writer.checkTurn()
                persister.checkTurnLater(of: writer)
            }
        }
    }
}
