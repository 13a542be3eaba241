import Dispatch

/// Saves what a store has published, and takes in what others have stored.
///
/// Carries out what ``PersisterStateMachine`` decides. Each append takes all changes as of one revision, so what is
/// stored is always a complete revision, and an older one never replaces a newer one.
///
/// All storage calls run on one queue of its own. The queue never blocks on the store's writer lock, since the thread
/// that holds it may be about to wait for this queue.
actor Persister {
    let executor = QueueExecutor()
    let storage: any Storage
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
    private var isLookOwed = false
    /// The store; `nil` once its last reference is gone.
    weak var store: StoreCore?

    // What the storage has not accepted: encoded values of failed appends.
    var unsaved: [SettingKey: SettingValue?] = [:]
    /// What is stored at the keys in `unsaved`, as far as the store knows. See ``storedUnderUnsaved``.
    var replaced: [SettingKey: SettingValue] = [:]
    var unsavedAuthor: String?
    /// The storage has accepted everything encodable up to this revision.
    var lastHandedOver: UInt64
    /// Keeps the store alive while there are unsaved values, so that the storage is not reopened before it has them.
    var unsavedKeeper: StoreKeeper?
    /// Whether to call the storage even without changes, because its last call failed.
    var mustRepeat = false
    /// Whether anything appended is not stable yet.
    var hasUnstable = false

    // State after a failure; see `Persister+Retrying.swift`.
    var failedSaves = FailedSaves()
    /// Stored values to write back over given-up ones: an append that threw may still have taken effect.
    var writtenBack: [SettingKey: SettingValue?] = [:]
    /// The first value that was given up since the last flush.
    var untoldLoss: SettingsError?

    // External changes that the store has not taken in, because a writer is active or the store is closing. The storage
    // counts them as delivered.
    var undelivered: [ExternalChange] = []
    var lastExternalError: StorageError?
    /// Why the file's latest unusable edit could not be taken in.
    var lastUnusable: StorageError?

    // The round of commits and flushes being collected; see `Persister+Rounds.swift`.
    var joined: [SaveRequest] = []
    var isFinishScheduled = false
    var isStorageLocked = false

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
    /// The names reserved for this store.
    var lockedNames: Set<String> = []

    private var isReleased = false
    private(set) var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        storage: any Storage, registration: (any StoreRegistration)?, log: MutationLog, time: TimeSource,
        configuration: SettingsStore.Configuration, report: @escaping @Sendable (SettingsError) -> Void
    ) {
        self.storage = storage
        self.registration = registration
        self.log = log
        lastHandedOver = log.initialRevision
        self.time = time
        self.report = report
        machine = PersisterStateMachine(
            retryDelay: configuration.retryDelay, savePolicy: configuration.savePolicy)
    }

    // MARK: From outside

    /// A writer has published a change that the persister does not know of. Called without any lock. Enqueuing wakes
    /// one thread; a task would wake two.
    nonisolated func changesArrived() {
        enqueue { $0.look() }
    }

    /// Saves everything and closes the storage, because the store has been deallocated.
    nonisolated func release() {
        enqueue { persister in
            persister.isReleased = true
            persister.closeReleased()
        }
    }

    nonisolated func enqueue(_ work: @escaping @Sendable (isolated Persister) -> Void) {
        executor.queue.async { self.assumeIsolated(work) }
    }

    /// Saves everything and closes the storage.
    func close() async throws {
        // New transactions are refused already, so the visits end soon.
        while visitors > 0 { await withUnsafeContinuation { visitorsLeft.append($0) } }
        guard !isClosed else { return }
        try closeStorage()
    }

    // MARK: Looking

    /// Does what is due, then schedules the next look.
    func look() {
        guard !isClosed else { return }
        if isReleased {
            closeReleased()
            return
        }
        let found = log.look(time)
        var action = machine.next(found, now: time.elapsed())
        if case .checkpoint = action, isStorageLocked {
            // A checkpoint now would write the file in the middle of a transaction. Until it has ended, append to the
            // journal instead.
            isLookOwed = true
            if !found.waiting.isEmpty { perform(.append(.synced)) }
            return
        }
        if case .wait = action {
        } else {
            perform(action)
            action = machine.next(log.look(time), now: time.elapsed())
        }
        // Re-enqueue what is due again instead of recursing: a flush gets its turn, and the stack does not grow.
        if case .wait(let due) = action { wait(until: due) } else { enqueue { $0.look() } }
    }

    private func perform(_ action: PersisterStateMachine.Action) {
        do {
            switch action {
            case .wait: break
            case .append(let durability): try append(durability, retryingEncoding: durability == .synced)
            case .checkpoint(let moment): try checkpoint(at: moment)
            case .lookOutside: deliver()
            }
        } catch {
            // Reported already; the machine schedules the retry.
        }
    }

    /// The storage was opened without an up-to-date resting form.
    func noteUnsettled() {
        machine.openedUnsettled(now: time.elapsed())
        waitForNext()
    }

    func noteOutside() {
        machine.changedOutside(isAtRest: storage.isAtRest, now: time.elapsed())
        waitForNext()
    }

    /// The storage has reported external changes, or failed to.
    func noteLook(hasFailed: Bool) {
        if hasFailed {
            machine.lookFailed(now: time.elapsed())
        } else {
            guard machine.outside != .told else { return }
            machine.lookedOutside(now: time.elapsed())
        }
        waitForNext()
    }

    /// The storage signals that something has happened to it.
    func noteStorageSpoke() {
        // The storage's own saves signal too, so most calls change nothing.
        if machine.storageSpoke(now: time.elapsed()) { waitForNext() }
    }

    /// Runs a look that was put off while a transaction held the storage's lock.
    func noteUnlocked() {
        guard isLookOwed else { return }
        isLookOwed = false
        enqueue { $0.look() }
    }

    private func waitForNext() {
        guard !isClosed else { return }
        // Re-enqueue what is due already, so that other work gets its turn.
        if case .wait(let due) = machine.next(log.look(time), now: time.elapsed()) {
            wait(until: due)
        } else {
            enqueue { $0.look() }
        }
    }

    private func wait(until due: Duration?) {
        guard let due, !isClosed else { return }
        if !time.isSystem { watchForJumps() }
        guard timers.allSatisfy({ $0.due > due }) else { return }
        let task = Task { [time] in
            guard (try? await time.sleep(due)) != nil else { return }
            self.timerFired(due)
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
            self?.assumeIsolated { persister in
                persister.isJumpWatched = false
                if !persister.timers.isEmpty { persister.look() }
            }
        }
    }

    private func timerFired(_ due: Duration) {
        timers.removeAll { $0.due == due }
        look()
    }

    // MARK: Checkpoints

    /// - Returns: Whether the storage is at rest.
    @discardableResult
    func checkpoint(at moment: CheckpointReason) throws -> Bool {
        var encodingError: (any Error)?
        do {
            try append(.buffered, retryingEncoding: true)
        } catch let error as SettingsError where error.code == .encodingFailed {
            encodingError = error
        }
        let waiting = log.look(time).waiting
        // Only this queue takes values, so tree and revision belong to the same moment.
        let (tree, revision) = (stored, log.lock.withLock { log.lastTaken })
        log.savingBegins()
        let isAtRest: Bool
        do {
            isAtRest = try storage.checkpoint(tree, at: moment)
            let now = time.elapsed()
            stabilized(revision, waiting, now: now)
            machine.checkpointed(moment, isAtRest: isAtRest, now: now)
            if isAtRest { log.checkpointSucceeded() } else if moment == .resting { noteBehind() }
        } catch {
            machine.checkpointFailed(moment, leaves: waiting, now: time.elapsed())
            let issue = failed(error)
            log.checkpointFailed(issue, at: time.now())
            throw issue
        }
        deliver()
        if let encodingError { throw encodingError }
        return isAtRest
    }

    func stabilized(_ revision: UInt64, _ waiting: [PersisterStateMachine.Waiting], now: Duration) {
        hasUnstable = false
        machine.stabilized(waiting, now: now)
        StoreCore.act(on: log.saveSucceeded(revision), log: log)
    }

    /// The storage was idle, and still the readable file could not be written: not an I/O error, but what stands in its
    /// place.
    private func noteBehind() {
        let reason = lastUnusable ?? StorageError(.writeFailed, "Somebody else is at work on what is stored.")
        log.checkpointFailed(.storage(reason), at: time.now(), hasFailed: false)
    }

    func failed(_ error: StorageError) -> SettingsError {
        let issue = SettingsError.storage(error)
        log.saveFailed(issue, at: time.now())
        report(issue)
        return issue
    }

    // MARK: The end

    private func closeReleased() {
        guard !isClosed else { return }
        do {
            try closeStorage()
        } catch {
            // Reported already. No value is missing, only the storage's resting form, which the next opening writes
            // too: it need not wait.
            registration?.end()
            // The timer calls `look`, which tries again.
            if case .lookOutside = machine.next(log.look(time), now: time.elapsed()) { deliver() }
            if case .wait(let due) = machine.next(log.look(time), now: time.elapsed()) { wait(until: due) }
        }
    }

    private func closeStorage() throws {
        try unlockStorage()
        do {
            try checkpoint(at: .closing)
        } catch let error as SettingsError where error.code == .encodingFailed {
            // Reported already. Once the store has been deallocated, no caller is left to replace the value.
            guard isReleased else { throw error }
        } catch {
            // Reported already. Without its resting form the storage is still complete; the next opening writes it. As
            // above, an encoding error counts only while a caller can replace the value.
            try append(.synced, retryingEncoding: !isReleased, verifying: true)
        }
        isClosed = true
        machine.close()
        for timer in timers { timer.task.cancel() }
        timers = []
        endLockWaits()
        // Closing now would end named locks that are still in use. The last `releaseLock` closes the storage.
        if lockedNames.isEmpty { storage.close() }
        registration?.end()
        resumeJoined(with: .success(()), flushes: .success(()))
        endTransactions(with: SettingsError.closed(key: nil))
    }
}
