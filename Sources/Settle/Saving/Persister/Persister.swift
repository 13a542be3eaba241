import Dispatch

/// Saves what a store has published, and merges what others have stored.
///
/// Carries out what ``PersisterStateMachine`` decides. Each append takes all changes as of one revision, so what is
/// stored is always a complete revision, and an older one never replaces a newer one.
///
/// All storage calls run on one queue of its own, one piece of work after the other; see ``WorkQueue``. The queue never
/// blocks on the store's writer lock, since the thread that holds it may be about to wait for this queue.
actor Persister {
    let executor = QueueExecutor()
    private let works = WorkQueue()
    let storage: any Storage
    let limits: StorageLimits
    /// The storage, if others change it too.
    let shared: (any SharedStorage)?
    /// The storage, if it has a history.
    let history: (any HistoryStorage)?
    /// The storage, if it has a resting form.
    let checkpointing: (any CheckpointingStorage)?
    /// The store's entry among the open stores, if the storage is shared within this process.
    private let registration: (any StoreRegistration)?
    let log: MutationLog
    let time: TimeSource
    let report: @Sendable (SettingsError) -> Void
    var machine: PersisterStateMachine
    /// The pending timers. A timer that an earlier one overtakes stays and fires once too often: cheaper than ending
    /// and starting a task each time.
    private var timers: [(due: Duration, task: Task<Void, Never>)] = []
    /// How often the clock had gone back when the timers were set.
    private var knownJumps = 0
    private var isJumpWatched = false
    /// Whether a due checkpoint was put off because a transaction holds the storage's lock.
    private var isActionOwed = false
    /// The store; `nil` once its last reference is gone.
    weak var store: Engine?

    /// Whether the storage's history may have more than those who follow it were told.
    var isFeedBehind = false
    /// Why the past could not be read, until it could.
    var lastPastError: StorageError?
    var backlog = Backlog()
    /// The storage has accepted everything encodable up to this revision.
    var lastHandedOver: UInt64 = 0
    /// The transactions up to here are in the storage's history, so far as they have something for it.
    var lastListed: UInt64 = 0
    /// How many transactions had something for the storage, up to ``lastListed``, and up to the last collection.
    var listedCount: UInt64 = 0
    var collectedCount: UInt64 = 0
    /// Whether to call the storage even without changes, because its last call failed.
    var mustRepeat = false
    /// Whether anything appended is not on stable storage yet.
    var hasUnsynced = false
    /// What others have stored is known up to here.
    var position: StoragePosition
    var migrations: KnownMigrations
    /// Whether others have stored something behind `position`.
    var mustFetch = false

    // State after a failure; see `Persister+Retrying.swift`.
    var failedSaves = FailedSaves()
    /// The first value that was given up since the last flush.
    var untoldLoss: SettingsError?

    // External changes that the store has not merged, because a writer is active or the store is closing. The storage
    // counts them as delivered.
    var undelivered: [ExternalChange] = []
    /// How far the store has come in the storage's history, once all of these are merged; see `Persister+Place.swift`.
    var newestPlace: ChangeToken?
    let reached: LockedValue<ChangeToken?>
    var lastExternalError: StorageError?
    /// Why the file's latest unusable edit could not be merged.
    var lastUnusable: StorageError?

    // The round of commits and flushes being collected; see `Persister+Rounds.swift`.
    var joined: [SaveRequest] = []
    var isFinishScheduled = false
    var exclusion = Exclusion.none

    // Transactions waiting for a writer to unlock, and visits running elsewhere; see `Persister+Transactions.swift`.
    var transactions: [SaveRequest] = []
    var isTurnAwaited = false
    var visitors = 0
    /// Callers that close the store or write its file, waiting for the last visit to end.
    var visitorsLeft: [UnsafeContinuation<Void, Never>] = []

    // Named locks; see `Persister+NamedLocks.swift`.
    var lockQueues = LockQueues()
    var lockWaiters: [LockQueues.Ticket: CheckedContinuation<Void, any Error>] = [:]
    var lockPauses: [LockQueues.Ticket: Task<Void, Never>] = [:]
    /// The leases of the locks that tasks of this store hold.
    var heldLocks: [String: StorageLease] = [:]
    /// The tasks that renew them.
    var renewals: [String: Task<Void, Never>] = [:]
    /// Those who are told when the lease of a lock has ended on its own.
    var lockLosses: [String: LockLoss] = [:]

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
        history = storage as? any HistoryStorage
        checkpointing = storage as? any CheckpointingStorage
        self.position = position
        newestPlace = token
        reached = LockedValue(token)
        self.migrations = migrations
        self.registration = registration
        self.log = log
        self.time = time
        self.report = report
        machine = PersisterStateMachine(
            retryDelay: retryDelay, savePolicy: savePolicy, preservesWaiting: storage.preservesWaiting)
    }

    // MARK: From outside

    /// A writer has published a change that the persister does not know of. Called without any lock.
    nonisolated func changesArrived() {
        enqueue { await $0.doWhatIsDue() }
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
        switch works.add(work) {
        case .nothing: break
        case .resumption(let continuation): continuation.resume()
        // Detached: what the writer has in its task locals is none of the storage's business.
        case .task: Task.detached(executorPreference: executor.forTasks) { await self.works.run(on: self) }
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

    /// Makes a call of the storage, which may take as long as the storage's limits say.
    func call<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        try await limits.call(time, body)
    }

    /// Runs work that must not come into the middle of a visit's transaction.
    func performBetweenVisits(_ work: @escaping @Sendable (isolated Persister) async throws -> Void) async throws {
        while true {
            while visitors > 0 { await withUnsafeContinuation { visitorsLeft.append($0) } }
            // A visit may have begun before this piece of work.
            let isDone = try await perform { persister in
                guard persister.visitors == 0 else { return false }
                try await work(persister)
                return true
            }
            if isDone { return }
        }
    }

    /// Saves everything and closes the storage.
    func close() async throws {
        // New transactions are refused already, so the visits end soon.
        try await performBetweenVisits { persister in
            guard !persister.isClosed else { return }
            try await persister.closeStorage()
        }
    }

    // MARK: What is due

    /// What is due, and the changes that wait. The time is taken first: a change that comes in between may make a
    /// checkpoint due later, and must not make it due at once.
    private func next() -> (action: PersisterStateMachine.Action, changes: WaitingChanges) {
        let now = time.elapsed()
        let found = log.measureWaits(time)
        return (machine.next(found, now: now), found)
    }

    /// Does what is due, then schedules what comes next.
    func doWhatIsDue() async {
        guard !isClosed else { return }
        if isReleased {
            await closeReleased()
            return
        }
        var (action, found) = next()
        if case .checkpoint = action, exclusion != .none {
            // A checkpoint now would write the file in the middle of a transaction. Until it has ended, append to the
            // journal instead.
            isActionOwed = true
            if !found.waiting.isEmpty { await perform(.append(.synced)) }
            return
        }
        if case .wait = action {
        } else {
            await perform(action)
            action = next().action
        }
        // Re-enqueue what is due again instead of recursing: a flush gets its turn, and the stack does not grow.
        if case .wait(let due) = action { wait(until: due) } else { enqueue { await $0.doWhatIsDue() } }
    }

    private func perform(_ action: PersisterStateMachine.Action) async {
        do {
            switch action {
            case .wait: break
            case .append(let durability): try await append(durability, retryingEncoding: durability == .synced)
            case .preserve: await preserve()
            case .checkpoint(let reason): try await checkpoint(for: reason)
            case .fetch: await deliver()
            case .readPast: readPastAgain()
            }
        } catch {
            // Reported already; the machine schedules the retry.
        }
    }

    /// The storage was opened without an up-to-date resting form.
    func openedUnsettled() {
        machine.openedUnsettled(now: time.elapsed())
        waitForNext()
    }

    func changedOutside() {
        machine.changedOutside(isAtRest: isAtRest, now: time.elapsed())
        waitForNext()
    }

    /// The storage has reported external changes, or failed to.
    func fetchEnded(hasFailed: Bool) {
        if hasFailed {
            machine.fetchFailed(now: time.elapsed())
        } else {
            guard machine.outside != .current else { return }
            machine.fetched(now: time.elapsed())
        }
        waitForNext()
    }

    /// The past could not be read for somebody.
    func pastFailed() {
        machine.pastFailed(now: time.elapsed())
        waitForNext()
    }

    /// The storage signals that something has happened to it.
    func storageSignalled() {
        // The storage's own saves signal too, so most calls change nothing.
        if machine.storageSignalled(now: time.elapsed()) { waitForNext() }
    }

    /// Does what was put off while a transaction held the storage's lock.
    func resumeOwedAction() {
        guard isActionOwed else { return }
        isActionOwed = false
        enqueue { await $0.doWhatIsDue() }
    }

    private func waitForNext() {
        guard !isClosed else { return }
        // Re-enqueue what is due already, so that other work gets its turn.
        if case .wait(let due) = next().action {
            wait(until: due)
        } else {
            enqueue { await $0.doWhatIsDue() }
        }
    }

    private func wait(until due: Duration?) {
        guard let due, !isClosed else { return }
        if !time.isSystem { watchForJumps() }
        guard timers.allSatisfy({ $0.due > due }) else { return }
        let task = Task { [time] in
            guard (try? await time.sleep(due)) != nil else { return }
            self.enqueue { await $0.timerFired(due) }
        }
        timers.append((due, task))
    }

    /// Cancels timers that would sleep until a clock that was set back catches up. Checks once a second in real time,
    /// since no other event may ever come.
    private func watchForJumps() {
        let jumps = time.jumps()
        if jumps != knownJumps {
            knownJumps = jumps
            for timer in timers { timer.task.cancel() }
            timers = []
        }
        guard !isJumpWatched else { return }
        isJumpWatched = true
        executor.queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            self?.enqueue { persister in
                persister.isJumpWatched = false
                if !persister.timers.isEmpty { await persister.doWhatIsDue() }
            }
        }
    }

    private func timerFired(_ due: Duration) async {
        timers.removeAll { $0.due == due }
        await doWhatIsDue()
    }

    // MARK: The end

    private func closeReleased() async {
        guard !isClosed else { return }
        do {
            try await closeStorage()
        } catch {
            // Reported already. No value is missing, only the storage's resting form, which the next opening writes
            // too: it need not wait.
            registration?.end()
            // The timer calls `doWhatIsDue`, which tries again.
            if case .fetch = next().action { await deliver() }
            if case .wait(let due) = next().action { wait(until: due) }
        }
    }

    private func closeStorage() async throws {
        try await endExclusion()
        do {
            try await checkpoint(for: .closing)
        } catch let error as SettingsError where error.code == .encodingFailed {
            // Reported already. Once the store has been deallocated, no caller is left to replace the value.
            guard isReleased else { throw error }
        } catch {
            // Reported already. Without its resting form the storage is still complete; the next opening writes it. As
            // above, an encoding error counts only while a caller can replace the value.
            do {
                try await append(.synced, retryingEncoding: !isReleased, verifying: true)
            } catch {
                // What an older program has not saved by now it never will.
                guard migrations.refusal != nil else { throw error }
            }
        }
        // The last time: what is held up now is merged no more.
        if isFeedBehind, isHistoryFollowed { await fillFeed() }
        isClosed = true
        machine.close()
        for timer in timers { timer.task.cancel() }
        timers = []
        endLockWaits()
        // Closing now would end named locks that are still in use. The last `releaseLock` closes the storage.
        if heldLocks.isEmpty { await storage.close() }
        registration?.end()
        resumeJoined(with: .success(()), flushes: .success(()))
        endTransactions(with: SettingsError.closed(key: nil))
    }
}
