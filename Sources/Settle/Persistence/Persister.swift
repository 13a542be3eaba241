import Dispatch

/// Saves what a store has published, and takes in what others have stored.
///
/// It carries out what ``PersisterStateMachine`` decides. Each append takes everything that has changed, as it was at one
/// revision, so what is stored is always a revision, and a newer one is never replaced by an older one.
///
/// All calls to the storage are made on one queue of its own. It never waits there for the writer's lock of the store, since
/// whoever has that may be about to wait for this queue.
actor Persister {
    let executor = QueueExecutor()
    let storage: any Storage
    /// The store's place among those that are open, if the storage is one that is shared in this process.
    private let registration: (any StoreRegistration)?
    let log: MutationLog
    let time: TimeSource
    let report: @Sendable (SettingsError) -> Void
    var machine: PersisterStateMachine
    /// Until when, and by whom, a look is due. Those that are overtaken look once too often, which is cheaper than to end
    /// and begin a task each time.
    private var timers: [(due: Duration, task: Task<Void, Never>)] = []
    /// How often the clock had gone back when the timers were set.
    private var knownJumps = 0
    private var isJumpWatched = false
    /// Whether a look found something to do that must not be done while a transaction has the storage locked.
    private var isLookOwed = false
    /// The store; `nil` once nobody uses it.
    weak var store: StoreCore?

    // What the storage has not taken: the encoded values of appends that have failed.
    var unsaved: [SettingKey: SettingValue?] = [:]
    /// What is stored at these keys, as far as the store knows. See ``storedUnderUnsaved``.
    var replaced: [SettingKey: SettingValue] = [:]
    var unsavedWriter: String?
    /// Up to which revision the storage has taken everything that could be encoded.
    var lastHandedOver: UInt64
    /// Keeps the store as long as there are such values, so that the storage is not opened again before they are in it.
    var unsavedKeeper: StoreKeeper?
    /// Whether the storage has to be asked even if nothing has changed, because it failed last time.
    var mustRepeat = false
    /// Whether something has been appended that is not stable.
    var hasUnstable = false

    // What becomes of it after a failure; see `Persister+Retrying.swift`.
    var failedSaves = FailedSaves()
    /// Values that were given up, as they have to be stored again: an append that threw may have been done.
    var writtenBack: [SettingKey: SettingValue?] = [:]
    /// The first value that was given up since the last flush.
    var untoldLoss: SettingsError?

    // What others have stored and the store has not taken in, because a writer is at work or it is closing. The storage counts
    // it as told.
    var undelivered: [ExternalChange] = []
    var lastExternalError: StorageError?
    /// Why an edit of the file could not be taken in, the last time that happened.
    var lastUnusable: StorageError?

    // The round of commits and flushes that is being collected; see `Persister+Rounds.swift`.
    var joined: [SaveRequest] = []
    var isFinishScheduled = false
    var isStorageLocked = false

    // Transactions that wait for a writer to end, and those that run elsewhere; see `Persister+Transactions.swift`.
    var transactions: [SaveRequest] = []
    var isTurnAwaited = false
    var visitors = 0
    /// Those who close the store, and wait until all visitors have left.
    var visitorsLeft: [UnsafeContinuation<Void, Never>] = []

    // Exclusive access; see `Persister+ExclusiveAccess.swift`.
    var accessLines = AccessLines()
    var accessWaiters: [AccessLines.Ticket: CheckedContinuation<Void, any Error>] = [:]
    var accessPauses: [AccessLines.Ticket: Task<Void, Never>] = [:]
    /// The names that are reserved for this store.
    var reservedNames: Set<String> = []

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
            retryDelay: configuration.retryDelay, durability: configuration.durability)
    }

    // MARK: From outside

    /// A writer has published a change that the persister does not know of. Without any lock. It costs the writer the waking
    /// of one thread; a task would cost two.
    nonisolated func changesArrived() {
        enqueue { $0.look() }
    }

    /// The store has gone: everything is saved, and the storage is closed.
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
        // Their transactions are refused by now, so they come back soon.
        while visitors > 0 { await withUnsafeContinuation { visitorsLeft.append($0) } }
        guard !isClosed else { return }
        try closeStorage()
    }

    // MARK: Looking

    /// Does what is due, and has itself called again when the next thing is.
    func look() {
        guard !isClosed else { return }
        if isReleased {
            closeReleased()
            return
        }
        let found = log.look(time)
        var action = machine.next(found, now: time.elapsed())
        if case .checkpoint = action, isStorageLocked {
            // It would write the file in the middle of a transaction. Until that has come to its end, the journal has to do.
            isLookOwed = true
            if !found.waiting.isEmpty { perform(.append(.stable)) }
            return
        }
        if case .wait = action {
        } else {
            perform(action)
            action = machine.next(log.look(time), now: time.elapsed())
        }
        // What is due again already takes its turn, so that a flush gets in between and the stack does not grow.
        if case .wait(let due) = action { wait(until: due) } else { enqueue { $0.look() } }
    }

    private func perform(_ action: PersisterStateMachine.Action) {
        do {
            switch action {
            case .wait: break
            case .append(let durability): try append(durability, retryingEncoding: durability == .stable)
            case .checkpoint(let moment): try checkpoint(at: moment)
            case .lookOutside: deliver()
            }
        } catch {
            // Reported, and tried again when the machine says so.
        }
    }

    /// The storage was opened without its resting form.
    func noteUnsettled() {
        machine.openedUnsettled(now: time.elapsed())
        waitForNext()
    }

    /// Others have changed something.
    func noteOutside() {
        machine.changedOutside(isAtRest: storage.isAtRest, now: time.elapsed())
        waitForNext()
    }

    /// The storage has told what others have changed, or could not.
    func noteLook(hasFailed: Bool) {
        if hasFailed {
            machine.lookFailed(now: time.elapsed())
        } else {
            guard machine.outside != .told else { return }
            machine.lookedOutside(now: time.elapsed())
        }
        waitForNext()
    }

    /// The storage says that something has happened to it.
    func noteStorageSpoke() {
        // The storage's own saves are among what happens to it, so this is often, and mostly for nothing.
        if machine.storageSpoke(now: time.elapsed()) { waitForNext() }
    }

    /// The storage is not locked for a transaction any more.
    func noteUnlocked() {
        guard isLookOwed else { return }
        isLookOwed = false
        enqueue { $0.look() }
    }

    private func waitForNext() {
        guard !isClosed else { return }
        // What is due already takes its turn.
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

    /// Lets go of timers that would sleep until a clock that has gone back is there again, and looks for that now and then, in
    /// real time: nothing else may ever happen.
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
    func checkpoint(at moment: CheckpointMoment) throws -> Bool {
        var encodingError: (any Error)?
        do {
            try append(.process, retryingEncoding: true)
        } catch let error as SettingsError where error.code == .encodingFailed {
            encodingError = error
        }
        let waiting = log.look(time).waiting
        // Only this queue takes values, so both are of one moment.
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

    /// Nothing has changed for long, and still the readable file could not be written: not for want of room, but because of what
    /// stands there.
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
            // Reported. What is missing is not a value but the storage's resting form, which an opening brings about too: that
            // need not wait.
            registration?.end()
            // The timer looks again, which comes here again.
            if case .lookOutside = machine.next(log.look(time), now: time.elapsed()) { deliver() }
            if case .wait(let due) = machine.next(log.look(time), now: time.elapsed()) { wait(until: due) }
        }
    }

    private func closeStorage() throws {
        try unlockStorage()
        do {
            try checkpoint(at: .closing)
        } catch let error as SettingsError where error.code == .encodingFailed {
            // It has been reported. If the store has gone, there is nobody left who could replace the value.
            guard isReleased else { throw error }
        } catch {
            // It has been reported. What the storage has is complete without its resting form, which the next to open it makes.
            // As above, a value that can't be encoded counts as long as there is somebody who could replace it.
            try append(.stable, retryingEncoding: !isReleased, verifying: true)
        }
        isClosed = true
        machine.close()
        for timer in timers { timer.task.cancel() }
        timers = []
        endAccessWaits()
        // Otherwise whoever has exclusive access now would lose it. It is closed when the last of them gives it up.
        if reservedNames.isEmpty { storage.close() }
        registration?.end()
        resumeJoined(with: .success(()), flushes: .success(()))
        endTransactions(with: SettingsError.closed(key: nil))
    }
}
