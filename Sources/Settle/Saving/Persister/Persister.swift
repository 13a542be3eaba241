import Dispatch
import Synchronization

/// Saves the values that a store has published, and merges those that others have stored.
///
/// Carries out the decisions of ``PersisterStateMachine`` about when to act. ``BatchWriter`` decides what is saved.
/// Each append takes all changes as of one revision, so the stored state is always a complete revision, and an older
/// one never replaces a newer one.
///
/// All storage calls run on one queue of its own, one piece of work after the other; see ``WorkQueue``. The queue never
/// blocks on the store's writer lock, because the thread that holds it may be about to wait for this queue.
actor Persister {
    nonisolated let executor = QueueExecutor(isPreferred: true)
    nonisolated let works = WorkQueue()
    /// The number of calls of ``keep(_:)`` that the storage has not received yet.
    nonisolated let waitingKeeps = Atomic(0)
    let storage: any Storage
    let limits: StorageLimits
    /// The storage, if others change it too.
    let shared: (any SharedStorage)?
    /// The storage, if it is a file.
    nonisolated let file: FileStorage?
    /// The storage, if it has a readable form.
    let checkpointing: (any CheckpointingStorage)?
    /// The store's entry among the open stores, if the storage is shared within this process.
    private let registration: (any StoreRegistration)?
    let log: MutationLog
    let time: TimeSource
    let report: @Sendable (SettingsError) -> Void
    /// The reporter for errors of fetching what others have stored, and of the feed.
    let errors: ErrorReporter
    /// The reporter for failed saves, each of which is tried again.
    let saveErrors: ErrorReporter
    var machine: PersisterStateMachine
    private var timers = SaveTimers()
    /// Whether a due checkpoint was put off because a transaction holds the storage's lock.
    private var isActionOwed = false
    /// The store; `nil` once its last reference is gone.
    weak var store: Engine?

    let writer: BatchWriter
    let history: HistoryReader
    nonisolated let locks: NamedLocks
    /// Whether an unconfirmed commit is reverted here. A store that only reads leaves it to others.
    let takesBack: Bool
    var group = CommitGroup()
    var transactions = TransactionQueue()
    /// When the storage's lock was taken last.
    var lockTime = Duration.zero
    /// How often others were faster recently.
    var contention = Persister.contentionPause
    /// A token that the store's values are not older than; `nil` if there is none yet.
    private let publishedToken: LockedValue<ChangeToken?>

    private var isReleased = false
    private(set) var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        storage: any Storage, position: StoragePosition, token: ChangeToken?, migrations: KnownMigrations,
        registration: (any StoreRegistration)?, log: MutationLog, time: TimeSource,
        retryDelay: ClosedRange<Duration>, savePolicy: SavePolicy, report: @escaping @Sendable (SettingsError) -> Void
    ) {
        self.storage = storage
        limits = storage.limits
        shared = storage as? any SharedStorage
        file = storage as? FileStorage
        checkpointing = storage as? any CheckpointingStorage
        self.registration = registration
        self.log = log
        self.time = time
        self.report = report
        publishedToken = LockedValue(token)
        errors = ErrorReporter(report)
        saveErrors = ErrorReporter(report)
        writer = BatchWriter(
            storage, external: ExternalChanges(position: position, token: publishedToken, migrations: migrations),
            log: log, time: time, report: report)
        history = HistoryReader(storage, log: log, time: time, errors: errors, report: report)
        locks = NamedLocks(storage, time: time)
        takesBack = file?.isReader != true
        machine = PersisterStateMachine(
            retryDelay: retryDelay, savePolicy: savePolicy, preservesWaiting: storage.preservesWaiting)
    }

    nonisolated var token: ChangeToken? { publishedToken.withLock { $0 } }

    var migrations: KnownMigrations { writer.external.migrations }

    // MARK: Calls from outside

    /// Called by a writer that has published a change which the persister does not know of. Called without any lock.
    nonisolated func changesArrived() {
        enqueue(.due)
    }

    /// Saves everything and closes the storage, because the store has been deallocated.
    nonisolated func release() {
        enqueue { persister in
            persister.isReleased = true
            await persister.closeReleased()
        }
    }

    /// Runs work on the queue, behind all earlier work.
    nonisolated func enqueue(_ work: @escaping WorkQueue.Work) {
        enqueue(.work(work))
    }

    /// Adds a piece of work to the queue.
    ///
    /// - Parameter isHere: Whether it may run on the calling thread, if the queue is idle; see
    ///   ``QueueExecutor/visit(_:)``.
    @inline(never) nonisolated func enqueue(_ piece: WorkQueue.Piece, isHere: Bool = false) {
        switch works.add(piece) {
        case .nothing: break
        // A visit begins after the one before it has ended.
        case .resumption(let continuation, _) where isHere && !executor.isCurrent:
            executor.visit { continuation.resume() }
        case .resumption(let continuation, endsVisit: true): executor.resumeBehindVisit(continuation)
        case .resumption(let continuation, endsVisit: false): continuation.resume()
        // Made on the queue, because making a task takes as long as several system calls, and the caller may just be
        // opening the store. Detached: the writer's task locals are none of the storage's business.
        case .task:
            executor.queue.async {
                Task.detached(executorPreference: self.executor.forTasks) { await self.works.run(on: self) }
            }
        }
    }

    /// Hands a request over, and waits for it to end.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the request has begun.
    nonisolated func submit(_ request: SaveRequest, isHere: Bool = false) async throws {
        do {
            try await request.wait { enqueue(.request($0), isHere: isHere) }
        } catch let error as CancellationError {
            works.remove(request)
            throw error
        }
    }

    /// Runs work as `enqueue` does, and waits for its result.
    nonisolated func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable (isolated Persister) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<Value, Failure>, Never>) in
            enqueue { persister in
                do throws(Failure) {
                    continuation.resume(returning: .success(try await work(persister)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Runs work that must not interrupt a transaction on its caller's actor. Those that have not begun wait for it: if
    /// they overlapped without end, it would never begin.
    func performBetweenTransactions(_ work: @escaping @Sendable (isolated Persister) async throws -> Void) async throws
    {
        transactions.barriers += 1
        defer {
            transactions.barriers -= 1
            if !transactions.waiting.isEmpty { enqueue { await $0.runTransactions() } }
        }
        while true {
            while !group.visitors.isEmpty { await waitForVisitor() }
            // A transaction may have begun before this piece of work.
            let isDone = try await perform { persister in
                guard persister.group.visitors.isEmpty else { return false }
                try await work(persister)
                return true
            }
            if isDone { return }
        }
    }

    /// Waits until the last transaction on its caller's actor has ended.
    private func waitForVisitor() async {
        await withUnsafeContinuation { continuation in
            // It may have ended since the caller looked: a task that prefers another executor leaves the queue for this
            // call.
            if group.visitors.isEmpty { continuation.resume() } else { transactions.waitUntilIdle(continuation) }
        }
    }

    /// Saves everything and closes the storage.
    func close() async throws {
        // New transactions are refused already, so those that run end soon.
        try await performBetweenTransactions { persister in
            guard !persister.isClosed else { return }
            try await persister.closeStorage()
        }
    }

    /// Reports an event that only a bug in the library can cause, and ends a debug build.
    nonisolated func reportImpossible(_ event: String) {
        assertionFailure(event)
        report(SettingsError(.storage, "Internal error in Settle: \(event)."))
    }

    // MARK: What is due

    /// Returns the due action, and the pending changes. The time is taken first: a change that comes in between may
    /// make a checkpoint due later, and must not make it due at once.
    private func next() -> (action: PersisterStateMachine.Action, changes: WaitingChanges) {
        let now = time.elapsed()
        let found = log.measureWaits(time)
        // Once the store is gone, the next opening reverts an unconfirmed commit.
        let unconfirmed = isReleased ? nil : unconfirmedDue(now: now)
        return (machine.next(found, unconfirmed: unconfirmed, now: now), found)
    }

    /// Performs the due action, then schedules the next one.
    func doWhatIsDue() async {
        guard !isClosed else { return }
        if isReleased {
            await closeReleased()
            return
        }
        var (action, found) = next()
        if case .checkpoint = action, writer.isolation != .none {
            // A checkpoint now would write the file in the middle of a transaction. Until the transaction has ended,
            // append to the journal instead.
            isActionOwed = true
            if !found.waiting.isEmpty { await perform(.append(.synced)) }
            return
        }
        if case .append = action, !group.visitors.isEmpty, writer.isIsolationOver {
            isActionOwed = true
            return
        }
        if case .wait = action {
        } else {
            await perform(action)
            action = next().action
        }
        // Re-enqueue a due action instead of recursing: a flush gets its turn, and the stack does not grow.
        if case .wait(let due) = action { wait(until: due) } else { enqueue(.due) }
    }

    private func perform(_ action: PersisterStateMachine.Action) async {
        do {
            switch action {
            case .wait: break
            case .append(let durability): try await append(durability, retryingEncoding: durability == .synced)
            case .preserve: await preserve()
            case .checkpoint(let reason): try await checkpoint(for: reason)
            case .fetch: await deliver()
            case .readHistory: retryHistory()
            case .revert: takeBackUnconfirmed()
            }
        } catch {
            // Reported already; the machine schedules the retry.
        }
    }

    /// Performs the action that was put off while a transaction held the storage's lock.
    func resumeOwedAction() {
        guard isActionOwed else { return }
        isActionOwed = false
        enqueue(.due)
    }

    /// Sets the timer for the next action, after an event that may make it due sooner.
    func waitForNext() {
        guard !isClosed else { return }
        // Re-enqueue an action that is due already, so that other work gets its turn.
        if case .wait(let due) = next().action {
            wait(until: due)
        } else {
            enqueue(.due)
        }
    }

    private func wait(until due: Duration?) {
        guard let due, !isClosed else { return }
        if !time.isSystem { watchForJumps() }
        guard timers.areAllAfter(due) else { return }
        let task = Task { [time] in
            guard (try? await time.sleep(due)) != nil else { return }
            self.enqueue { persister in
                persister.timers.fired(due)
                await persister.doWhatIsDue()
            }
        }
        timers.add(due, task)
    }

    /// Cancels timers that would sleep until a clock that was set back catches up. Checks once a second in real time,
    /// because no other event may ever come.
    private func watchForJumps() {
        timers.cancel(afterJumps: time.jumps())
        guard !timers.isJumpWatched else { return }
        timers.isJumpWatched = true
        executor.queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            self?.enqueue { persister in
                persister.timers.isJumpWatched = false
                if !persister.timers.isEmpty { await persister.doWhatIsDue() }
            }
        }
    }

    // MARK: The end

    private func closeReleased() async {
        guard !isClosed else { return }
        do {
            try await closeStorage()
        } catch {
            // Reported already. No value is missing, only the storage's readable form, which the next opening writes
            // too: it need not wait.
            registration?.end()
            if case .preserve = next().action { await preserve() }
            if case .fetch = next().action { await deliver() }
            if case .readHistory = next().action { retryHistory() }
            // The timer calls `doWhatIsDue`, which tries again.
            if case .wait(let due) = next().action { wait(until: due) }
        }
    }

    /// Closes the storage. The order matters. The transactions' values come first, then everything is made stable, and
    /// only then no new work is accepted: an earlier failure leaves the store open, so that its caller can close it
    /// again.
    private func closeStorage() async throws {
        try await saveIsolated()
        do {
            try await checkpoint(for: .closing)
        } catch let error as SettingsError where error.code == .encodingFailed {
            // Reported already. Once the store has been deallocated, no caller is left to replace the value.
            guard isReleased else { throw error }
        } catch {
            // Reported already. Without its readable form the storage is still complete; the next opening writes it. As
            // above, an encoding error counts only while a caller can replace the value.
            do {
                try await append(.synced, retryingEncoding: !isReleased, verifying: true)
            } catch {
                // Values that an older program has not saved by now will never be saved.
                guard migrations.refusal != nil else { throw error }
            }
        }
        // The last time: changes that are held up now are no longer merged.
        if history.isFeedBehind, log.isHistoryFollowed { await history.fillFeed() }
        isClosed = true
        machine.close()
        timers.cancel()
        await locks.close()
        registration?.end()
        if isReleased { log.forgetUnencodable() }
        resumeGroup(with: .success(()), flushes: .success(()))
        endTransactions(with: SettingsError.closed(key: nil))
        endDeliveries(with: .failure(SettingsError.closed(key: nil)))
    }
}
