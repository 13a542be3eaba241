import Dispatch

/// Transactions that run while others can't append, or that run again if others were faster.
///
/// With a lock, others are excluded from the moment their changes are merged until the transaction's own are appended.
/// Nothing can get in between. All commits of a group share one lock, and their closures run one after the other.
///
/// ```
///   waiting ──▶ lock the storage ──▶ take the writer lock ──▶ run ──▶ the group's append and sync
///      ▲                                 │ not free within 20 ms           │ conflict, where there is no lock
///      ├──writer unlocks──── unlock the storage                            │
///      └───────────────────────────── undo, merge ◀───────────────────────┘
/// ```
///
/// So other processes never wait for a writer of this one. Writers hand over their lock; see ``RecursiveLock``.
extension Persister {
    /// How long the queue waits for the writer lock while it holds the storage's lock.
    static let writerPatience = Duration.milliseconds(20)
    /// The pause before a transaction runs again: random, so that stores that conflict do not keep conflicting.
    static let contentionPause = BackOff(.milliseconds(1) ... .milliseconds(100), jitter: 1)
    /// How long transactions may begin on their callers' actors while others run under the storage's lock. Other
    /// processes wait for that lock for 10 s.
    private static let admissionTime = Duration.seconds(1)

    /// Reads what a transaction has to know of the storage, while others are excluded and before it runs. An error that
    /// it throws ends the transaction.
    typealias Preparation = @Sendable (isolated Persister) async throws -> Void

    /// A request that is about to be resumed.
    private typealias EndedRequest = (request: SaveRequest, result: Result<Void, any Error>)

    /// Runs a transaction, and returns once it is on stable storage.
    ///
    /// - Throws: What the closure throws, after undoing everything. Before the closure runs: `CancellationError` if the
    ///   task is cancelled, an error of the storage's lock, or what the preparation throws.
    nonisolated func commit(
        in store: Engine, preparing prepare: Preparation? = nil, _ body: @escaping () throws -> Void
    ) async throws {
        try await submit(SaveRequest(.transaction, in: store, preparing: prepare, body))
    }

    /// Excludes others and merges their changes, so that a transaction can run on its caller's actor.
    ///
    /// - Returns: The request to end.
    nonisolated func beginActorTransaction(
        in store: Engine, preparing prepare: Preparation? = nil
    ) async throws -> SaveRequest {
        let visitor = SaveRequest(.actorTransaction, in: store, preparing: prepare)
        try await submit(visitor, isHere: file?.hasPendingChecks == false)
        return visitor
    }

    /// Ends a transaction that ran on its caller's actor, and saves its changes, even if the task has been cancelled
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - reads: The keys that it has read, if the store records reads; `nil` for any key.
    ///   - isReading: Whether it has changed nothing.
    nonisolated func endActorTransaction(
        _ visitor: SaveRequest, savingRevision revision: UInt64, reading reads: Set<SettingKey>?, isReading: Bool
    ) async throws {
        try await SaveRequest(.save, in: visitor.store, revision: revision).waitUncancellably { request in
            enqueue { persister in
                persister.ended(visitor)
                request.fences = visitor.fences
                request.reads = reads
                request.isReading = isReading
                await persister.accept([request])
            }
        }
    }

    /// Ends a transaction on its caller's actor that has nothing to save, because it was undone or never began.
    nonisolated func abandonActorTransaction(_ visitor: SaveRequest) {
        enqueue { persister in
            persister.ended(visitor)
            await persister.endIsolationIfUnused()
            await persister.runTransactions()
        }
    }

    private func ended(_ visitor: SaveRequest) {
        guard group.end(visitor) else { return reportImpossible("a transaction has ended twice") }
        guard group.visitors.isEmpty else { return }
        if group.awaitsVisitors { scheduleGroupEnd() }
        for waiter in transactions.takeIdleWaiters() { waiter.resume() }
    }

    /// Accepts requests that have come one after the other. The transactions among them run together, once.
    func accept(_ requests: [SaveRequest]) async {
        guard !isClosed else {
            for request in requests { request.end(.failure(SettingsError.closed(key: nil))) }
            return
        }
        let saves = requests.filter { $0.kind == .save }
        for request in saves { join(request) }
        guard saves.count < requests.count else { return }
        transactions.add(saves.isEmpty ? requests : requests.filter { $0.kind != .save })
        await runTransactions()
    }

    /// Binds the values that a transaction writes to the leases of its task's locks.
    private func fence(_ request: SaveRequest) {
        if shared != nil { request.fences = locks.leases.fences(of: request.locks) }
    }

    /// Whether the waiting transactions may run now.
    private enum Admission {
        /// Others are excluded, their changes are merged or about to be, and this queue has the writer lock.
        case granted
        /// None of them can run, because of this error.
        case failed(any Error)
        /// No transaction is left: the preparations have refused them all.
        case refused
        /// Others have replaced a value that a commit of the current group depends on, so the group has to end first.
        case behindGroup
        /// A writer of this process is active.
        case behindWriter
    }

    /// Whether transactions on their callers' actors must not begin now. If they overlapped without end, the storage's
    /// lock would never be released, and its file never be written.
    private var holdsBackVisitors: Bool {
        if transactions.barriers > 0 { return true }
        // Once the last visitor has ended, the group's end still has to release the lock. It then runs what waits.
        guard writer.isolation.holdsOthersUp, !(group.visitors.isEmpty && group.isEmpty) else { return false }
        return time.elapsed() - lockTime > Self.admissionTime
    }

    /// Runs the waiting transactions. If a writer is active, runs none and waits for its hand-off.
    func runTransactions() async {
        // First: cancelled requests would pile up while the others wait.
        transactions.remove(where: \.hasEnded)
        guard !transactions.isHandOffAwaited, !transactions.isPaused, !group.awaitsVisitors else { return }
        let holdsBackVisitors = holdsBackVisitors
        guard let store = transactions.waiting.first(where: { !holdsBackVisitors || $0.kind == .transaction })?.store
        else { return }
        if executor.isVisited, !isolateAtOnce() { await executor.endVisit() }
        // Resume them after unlocking: an executor may run arbitrary code when it resumes a task.
        var ended: [EndedRequest] = []
        switch await admitTransactions(to: store.writer, &ended) {
        case .granted:
            runAdmitted(in: store, &ended)
            store.writer.unlock()
            await endIsolationIfUnused()
        case .failed(let error):
            if writer.isolation != .none { await endIsolationIfUnused() }
            deliverFetched()
            endTransactions(with: error is StorageError ? SettingsError.commitNotBegun(error) : error)
        case .refused:
            await endIsolationIfUnused()
            deliverFetched()
        case .behindGroup:
            enqueue { await $0.runTransactions() }
        case .behindWriter:
            await endIsolationIfUnused()
            awaitHandOff(of: store.writer)
        }
        for (request, result) in ended { request.end(result) }
    }

    /// Excludes others, prepares the transactions, and takes the writer lock.
    ///
    /// The order matters. A transaction that read before others were excluded could overwrite their changes, and they
    /// would notice. A transaction that ran before contested values were given up would depend on values that are about
    /// to vanish, and its own caller would notice.
    private func admitTransactions(to writerLock: RecursiveLock, _ ended: inout [EndedRequest]) async -> Admission {
        do {
            guard !isClosed else { throw SettingsError.closed(key: nil) }
            if writer.isolation == .none {
                // Published changes get their position in the history before that is read. A failure is reported where
                // appends are; a change that is not appended still counts as one.
                if transactions.needsPreparation { _ = try? await append(.buffered, retryingEncoding: false) }
                try await isolate()
            }
            if let refusal = migrations.refusal { throw refusal }
        } catch {
            return .failed(error)
        }
        ended = await prepareTransactions()
        guard !transactions.waiting.isEmpty else { return .refused }
        // Values that a transaction on its caller's actor has published and not handed over yet belong to a commit too.
        let isFirst = group.visitors.isEmpty && !group.hasCommits
        // Encoding runs the program's code, so nothing is collected during a visit: not even a value that is published
        // just now, which comes together with the transaction's.
        if executor.isVisited, log.lock.withLock({ log.unsaved.hasUnaccepted }) { await executor.endVisit() }
        if !executor.isVisited, isFirst || writer.pending.isRetry, log.hasUncollected {
            _ = writer.collect(retryingEncoding: false)
        }
        if writer.pending.isRetry {
            guard writer.conflict(of: group) == nil else { return .behindGroup }
            giveUpContested()
        }
        if isFirst { writer.pending.beginCommits(after: log.lock.withLock { log.unsaved.lastCollected }) }
        if executor.isVisited {
            if writerLock.tryLock() { return .granted }
            await executor.endVisit()
        }
        return writerLock.tryLock(within: Self.writerPatience) ? .granted : .behindWriter
    }

    /// Prepares the waiting transactions.
    ///
    /// - Returns: The refused ones, which no longer wait.
    private func prepareTransactions() async -> [EndedRequest] {
        var refused: [EndedRequest] = []
        for request in transactions.waiting where !request.hasEnded {
            do {
                try await request.prepare?(self)
            } catch {
                refused.append((request, .failure(error)))
            }
        }
        transactions.remove { request in refused.contains { $0.request === request } }
        return refused
    }

    /// Runs the transactions. Requires the writer lock.
    private func runAdmitted(in store: Engine, _ ended: inout [EndedRequest]) {
        if writer.isolation == .none { reportImpossible("a commit runs while others may append") }
        writer.merge(into: store)
        // This queue saves what the transactions write, so they need not wake it.
        log.lock.withLock { log.unsaved.attend() }
        for request in transactions.take(includesVisitors: !holdsBackVisitors) where request.begin() {
            if let lost = request.locks.first(where: { locks.leases[$0] == nil }) {
                ended.append((request, .failure(SettingsError.lockLost(lost))))
                continue
            }
            fence(request)
            if case .actorTransaction = request.kind {
                group.begin(request)
                ended.append((request, .success(())))
                continue
            }
            do {
                let before = log.lock.withLock { log.changes.revision }
                try request.perform()
                let after = log.lock.withLock { log.changes.revision }
                request.revision = after
                request.reads = store.readsOfLast
                request.isReading = after == before
                join(request)
            } catch {
                ended.append((request, .failure(error)))
            }
        }
    }

    func endTransactions(with error: any Error) {
        for request in transactions.take() { request.end(.failure(error)) }
    }

    /// Lets others append again, if no commit waits for the group's end and no transaction runs.
    private func endIsolationIfUnused() async {
        guard group.isEmpty, group.visitors.isEmpty, !isClosed else { return }
        await executor.endVisit()
        // The append reports its error; no caller waits for it here.
        _ = try? await saveIsolated()
        await doWhatIsDue()
    }

    // MARK: The writer's hand-off

    /// Continues with waiting deliveries and transactions once the writer unlocks.
    func awaitHandOff(of writerLock: RecursiveLock) {
        guard !transactions.isHandOffAwaited else { return }
        transactions.isHandOffAwaited = true
        writerLock.requestHandOff { [weak self] in self?.enqueue { await $0.handOffCame(from: writerLock) } }
        offerHandOffLater(of: writerLock)
    }

    private func handOffCame(from writerLock: RecursiveLock) async {
        transactions.isHandOffAwaited = false
        guard !isClosed else { return writerLock.declineHandOff() }
        if tryToDeliver(within: Self.writerPatience) {
            endDeliveries(with: .success(()))
        } else {
            awaitHandOff(of: writerLock)
        }
        await runTransactions()
        if !transactions.isHandOffAwaited { writerLock.declineHandOff() }
    }

    func endDeliveries(with result: Result<Void, any Error>) {
        for request in transactions.deliveries { request.end(result) }
        transactions.deliveries = []
    }

    /// Fallback poll: unlocking and `requestHandOff` are ordered by the processor only, so a request may go unseen.
    private func offerHandOffLater(of writerLock: RecursiveLock) {
        // The poll of an earlier request, which was granted meanwhile, serves this one too.
        guard transactions.schedulePoll() else { return }
        executor.queue.asyncAfter(deadline: DispatchTime.now() + .milliseconds(50)) { [weak self] in
            self?.enqueue { persister in
                persister.transactions.isPollScheduled = false
                guard persister.transactions.isHandOffAwaited else { return }
                writerLock.offerHandOff()
                persister.offerHandOffLater(of: writerLock)
            }
        }
    }
}
