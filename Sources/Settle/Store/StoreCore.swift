import Synchronization

/// The state that all handles and groups of a store share: its settings, its writer lock, and its persister.
///
/// The store is open as long as its ``StoreKeeper`` is referenced; changes that are pending when the last reference
/// goes are still saved.
@usableFromInline
package final class StoreCore: @unchecked Sendable {
    // Sendable: `mode`, `closers`, `transaction` and `writesElsewhere` are guarded by `writer`; the rest is constant
    // and Sendable.

    /// One writer at a time. Taken before the log's lock, and held while user code of a write runs.
    @usableFromInline let writer: RecursiveLock
    @usableFromInline let log: MutationLog
    @exclusivity(unchecked) var mode = Mode.direct
    /// How many closes are in progress or have succeeded.
    var closers = 0
    let handles = HandleCount()
    let time: TimeSource
    let configuration: SettingsStore.Configuration
    let issueBoard: IssueBoard
    /// See ``SettingsStore/loadOutcome``.
    let loadOutcome: StorageContents.Outcome
    /// `nil` in the store of groups that no store has opened.
    let persister: Persister?
    /// The store's entry among those that are open on a file.
    let registration: (any StoreRegistration)?
    var transaction: Transaction?
    /// How often the transaction's closure has written to other stores; see ``RunningUpdates``.
    @exclusivity(unchecked) var writesElsewhere = 0

    /// What a write has to do.
    enum Mode: UInt8, Sendable {
        /// Publish immediately.
        case direct
        /// Stage the value until the end of the transaction.
        case transaction
        /// Refuse.
        case closed
    }

    /// - Parameter registration: Notified when the storage is closed.
    init(
        configuration: SettingsStore.Configuration, storage: any Storage, contents: StorageContents,
        registration: (any StoreRegistration)?
    ) {
        self.registration = registration
        self.configuration = configuration
        let time = TimeSource(configuration.clock)
        self.time = time
        let issueBoard = IssueBoard()
        self.issueBoard = issueBoard
        writer = RecursiveLock()
        let log = MutationLog(
            historyLimit: configuration.historyLimit, historyCostLimit: configuration.historyCostLimit,
            initialRevision: configuration.initialRevision)
        self.log = log
        log.tree = contents.tree
        persister = Persister(
            storage: storage, position: contents.position, registration: registration, log: log, time: time,
            configuration: configuration,
            report: { issueBoard.report($0) })
        loadOutcome = contents.outcome
        switch loadOutcome {
        case .absent, .intact: break
        case .recovered(let description, _): issueBoard.report(SettingsError(.recovered, description))
        case .removed(let description): issueBoard.report(SettingsError(.removed, description))
        }
    }

    /// The store of groups that no store has opened.
    init() {
        configuration = SettingsStore.Configuration()
        registration = nil
        loadOutcome = .absent
        issueBoard = IssueBoard()
        time = TimeSource(ContinuousClock())
        writer = RecursiveLock()
        // Shared by all these groups, so larger than a single store's.
        log = MutationLog(historyLimit: 16_384, historyCostLimit: configuration.historyCostLimit)
        persister = nil
    }

    /// Whether this is the store of groups that no store has opened.
    var isUnopened: Bool { persister == nil }

    // MARK: Lifetime

    /// The keeper of the store; `nil` once nothing uses the store.
    var keeper: StoreKeeper? { log.keeper }

    /// Sets the keeper, before the store is shared.
    func begin(keptBy keeper: StoreKeeper) {
        log.keeper = keeper
    }

    /// Ends the store when nothing uses it any more.
    func end() {
        // The boxes reference the store, so drop them; outside the lock, because releasing a value may run foreign
        // code.
        let boxes = log.lock.withLock { log.slots.all.map { $0.takeBox() } }
        withExtendedLifetime(boxes) {}
        persister?.release()
        issueBoard.finish()
        Self.act(on: log.finish(), log: log)
    }

    /// Wakes tasks once this thread has released the writer's lock altogether. Under that lock.
    func actAfterUnlock(on wakeUps: PendingWakeUps) {
        writer.afterUnlock { [self] in
            Self.act(on: wakeUps, log: log)
            if wakeUps.wakesPersister { persister?.changesArrived() }
        }
    }

    /// Releases the writer's lock, then the entries that have left the log, which may run foreign code.
    @inline(__always)
    func unlock(releasing dropped: DroppedEntries) {
        guard dropped.isEmpty else { return unlockAndRelease(dropped) }
        writer.unlock()
    }

    @inline(never)
    private func unlockAndRelease(_ dropped: DroppedEntries) {
        // Not inside an enclosing write.
        let isNested = writer.isNested
        if isNested { writer.afterUnlock { dropped.release() } }
        writer.unlock()
        if !isNested { dropped.release() }
    }

    static func act(on wakeUps: PendingWakeUps, log: MutationLog) {
        switch wakeUps.broadcaster {
        case .none: break
        case .start: ChangeBroadcaster.start(draining: log)
        case .resume(let continuation): continuation.resume()
        }
        switch wakeUps.notifier {
        case .none: break
        case .start: ObserverNotifier.start(draining: log)
        case .resume(let continuation): continuation.resume()
        }
    }
}
