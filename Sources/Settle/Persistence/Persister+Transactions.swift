import Dispatch

/// Transactions that run while the storage is locked.
///
/// From taking in what others have stored until the append of what the transaction has written, the storage is locked for others.
/// Nothing can get in between, so the closure runs exactly once. The lock of the storage goes to all commits of a round; their
/// closures run one after the other.
///
/// ```
///   waiting ──▶ lock the storage ──▶ take the writer's lock ──▶ run ──▶ the round's append and sync
///      ▲                                 │ not free within 20 ms
///      └──the writer ends── unlock the storage
/// ```
///
/// So other processes never wait for a writer of this one. Writers give way to who waits, see ``RecursiveLock``.
extension Persister {
    /// How long the queue waits for a writer with the storage locked.
    static let writerPatience = Duration.milliseconds(20)

    /// Runs a transaction, and returns when it is on stable storage.
    ///
    /// - Throws: What the closure throws, with everything undone. Before the closure has run: `CancellationError` if the task is
    ///   cancelled, and an error of the storage's lock.
    nonisolated func commit(in store: StoreCore, _ body: @escaping () throws -> Void) async throws {
        try await SaveRequest(.transaction, in: store, body).wait { request in
            enqueue { $0.take(request) }
        }
    }

    /// Lets a transaction run elsewhere while the storage is locked and the changes of others are taken in.
    nonisolated func beginVisit(of store: StoreCore) async throws {
        try await SaveRequest(.visit, in: store).wait { request in
            enqueue { $0.take(request) }
        }
    }

    /// Ends a visit, and saves what it has written. The task may have been cancelled meanwhile.
    nonisolated func endVisit(of store: StoreCore, savingRevision revision: UInt64) async throws {
        try await SaveRequest(.save, in: store, revision: revision).waitUncancellably { request in
            enqueue { persister in
                persister.leaveVisit()
                persister.take(request)
            }
        }
    }

    /// Ends a visit without anything to save, because the transaction was undone or has not begun.
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

    /// Runs all transactions that wait, or none if a writer is at work: then they wait for it.
    private func runTransactions() {
        transactions.removeAll(where: \.hasEnded)
        guard let store = transactions.first?.store else { return }
        do {
            try lockStorage()
        } catch {
            return endTransactions(with: error)
        }
        if failedSaves.isRetry {
            // A transaction must not build on what is lost.
            _ = take(false)
            settleFailedSaves()
        }
        guard store.writer.tryLock(within: Self.writerPatience) else {
            endRoundIfUnused()
            return awaitTurn(of: store.writer)
        }
        takeInUndelivered()
        // Whatever is written now: this queue looks after it. That spares the transactions a call.
        log.attend()
        let ready = transactions.filter { $0.begin() }
        transactions = []
        // Told without the lock: an executor may run anything when a task is resumed.
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
        // An error is reported by the append; there is nothing here that waits for it.
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

    /// Has what waits for the writer's lock go on once the writer has ended.
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

    /// Unlocking a lock and wanting a turn of it are ordered by the processor only. Should they miss each other, this finds it out.
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
