import Synchronization

/// What all handles and groups of one store share: its settings, who writes them, and what saves them.
///
/// It is open as long as something has its ``StoreKeeper``; what is pending when the last of them goes is still saved.
@usableFromInline
package final class StoreCore: @unchecked Sendable {
    // Sendable: `mode`, `closers`, `transaction` and `writesElsewhere` are guarded by `writer`; the rest is constant and Sendable.

    /// One writer at a time. Taken before the log's lock, and held while user code of a write runs.
    @usableFromInline let writer: RecursiveLock
    @usableFromInline let log: MutationLog
    @exclusivity(unchecked) var mode = Mode.direct
    /// How many are closing the store or have closed it.
    var closers = 0
    let handles = HandleCount()
    let time: TimeSource
    let configuration: SettingsStore.Configuration
    let issueBoard: IssueBoard
    /// See ``SettingsStore/loadOutcome``.
    let loadOutcome: StorageContents.Outcome
    /// `nil` in the store of groups that no store has opened.
    let persister: Persister?
    /// The store's place among those that are open on a file.
    let registration: (any StoreRegistration)?
    var transaction: Transaction?
    /// How often the transaction's closure has written to other stores; see ``RunningUpdates``.
    @exclusivity(unchecked) var writesElsewhere = 0

    /// What a write has to do.
    enum Mode: UInt8, Sendable {
        /// Publish at once.
        case direct
        /// Stage the value, for the end of the transaction.
        case transaction
        /// Refuse.
        case closed
    }

    /// - Parameter registration: What is told when the storage is closed.
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
            storage: storage, registration: registration, log: log, time: time, configuration: configuration,
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
        // All these groups share it, so it is longer than one store's.
        log = MutationLog(historyLimit: 16_384, historyCostLimit: configuration.historyCostLimit)
        persister = nil
    }

    /// Whether this is the store of groups that no store has opened.
    var isUnopened: Bool { persister == nil }

    // MARK: Being kept

    /// What keeps the store open; `nil` once nothing does.
    var keeper: StoreKeeper? { log.keeper }

    /// Before the store is shared.
    func begin(keptBy keeper: StoreKeeper) {
        log.keeper = keeper
    }

    /// Nothing uses the store any more.
    func end() {
        // The boxes have the store. They are let go of after the lock, since a value may run foreign code when it goes.
        let boxes = log.lock.withLock { log.slots.all.map { $0.takeBox() } }
        withExtendedLifetime(boxes) {}
        persister?.release()
        issueBoard.finish()
        Self.act(on: log.finish(), log: log)
    }

    /// Wakes whom a write has to wake, once this thread has given up the writer's lock altogether. Under that lock.
    func actAfterUnlock(on signals: Signals) {
        writer.afterUnlock { [self] in
            Self.act(on: signals, log: log)
            if signals.wakesPersister { persister?.changesArrived() }
        }
    }

    /// Gives the writer's lock up, and then lets go of what has left the log, which may run foreign code.
    @inline(__always)
    func unlock(releasing dropped: DroppedEntries) {
        guard dropped.isEmpty else { return unlockAndRelease(dropped) }
        writer.unlock()
    }

    @inline(never)
    private func unlockAndRelease(_ dropped: DroppedEntries) {
        // Not inside of the write that this one is a part of.
        let isNested = writer.isNested
        if isNested { writer.afterUnlock { dropped.release() } }
        writer.unlock()
        if !isNested { dropped.release() }
    }

    static func act(on signals: Signals, log: MutationLog) {
        switch signals.broadcaster {
        case .none: break
        case .start: ChangeBroadcaster.start(draining: log)
        case .resume(let continuation): continuation.resume()
        }
        switch signals.notifier {
        case .none: break
        case .start: ObserverNotifier.start(draining: log)
        case .resume(let continuation): continuation.resume()
        }
    }
}
