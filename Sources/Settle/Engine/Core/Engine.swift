import Synchronization

/// The parts of a store that boxes and writes need: the writer lock, the log, and the transaction in progress.
///
/// By itself it is a store in memory, for the groups that no store has opened. `StoreCore` adds saving.
@usableFromInline
package class Engine: @unchecked Sendable {
    // Sendable: `mode`, `transaction`, `writesElsewhere`, `reports`, `readsOfLast` and `refusal` are guarded by
    // `writer`; the rest is Sendable, and constant once the store is shared.

    /// One writer at a time. Taken before the log's lock, and held while user code of a write runs.
    @usableFromInline final let writer: RecursiveLock
    @usableFromInline final let log: MutationLog
    @exclusivity(unchecked) final var mode = Mode.direct
    final let time: TimeSource
    final let issueBoard: IssueBoard
    final var transaction: Transaction?
    /// How often the transaction's closure has written to other stores; see ``RunningUpdates``.
    @exclusivity(unchecked) final var writesElsewhere = 0
    final var reports = DomainReports()
    /// The keys that the last transaction has read, if the store records reads; `nil` for any key.
    final var readsOfLast: Set<SettingKey>? = []

    /// The error for all writes, although changes from elsewhere still come in; `nil` almost always.
    final var refusal: SettingsError?

    /// The refusal of an assignment, which could not throw it: the next call that saves does.
    final let refusedAssignment = LockedValue<SettingsError?>(nil)

    /// The action that a write has to take.
    enum Mode: UInt8, Sendable {
        /// Publish immediately.
        case direct
        /// Stage the value until the end of the transaction.
        case transaction
        /// Throw `refusal`.
        case refusing
        /// Refuse.
        case closed
    }

    /// The mode outside of transactions.
    final var idleMode: Mode { refusal == nil ? .direct : .refusing }

    /// Refuses all writes from now on, or accepts them again. Requires the writer's lock, outside of transactions.
    final func refuseWrites(_ refusal: SettingsError?) {
        self.refusal = refusal
        if refusal == nil { refusedAssignment.withLock { $0 = nil } }
        if mode != .closed { mode = idleMode }
    }

    /// - Parameter writer: The lock of another store, to share it.
    init(
        log: MutationLog, time: TimeSource, issueBoard: IssueBoard = IssueBoard(),
        writer: RecursiveLock = RecursiveLock()
    ) {
        self.writer = writer
        self.log = log
        self.time = time
        self.issueBoard = issueBoard
    }

    // MARK: Added by a storage

    /// Whether this is the store of groups that no store has opened.
    var isUnopened: Bool { true }

    /// The maximum number of keys that a transaction may write.
    var keyLimit: Int { .max }

    /// The maximum number of bytes that the values of a transaction may have together.
    var byteLimit: Int { .max }

    /// Called when there are changes to be saved. Called without the log's lock.
    func saveChanges() {}

    /// Finds the transactions after a token in the storage's history.
    func readHistory(after token: ChangeToken?) async -> HistoryFinding { .closed }

    /// Passes the storage the values that are in force although the stored ones can't be used.
    func keep(_ values: [SettingKey: SettingValue?]) {}

    /// Returns the values that the storage has preserved because a stored one can't be used, the last good one first.
    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue) -> [SettingValue] { [] }

    /// Reverts the unconfirmed commit if its time is over.
    func revertIfDue() async throws {}

    // MARK: Added by a draft

    /// Whether values come from another store, so that the log does not show when they change.
    var readsThrough: Bool { false }

    /// Called before a setting is followed.
    func beginFollowing() {}

    /// Called when a value has been refused, or, without an error, accepted.
    func judge(_ slot: SettingSlot, _ error: SettingsError?) {}

    /// Called when a draft has changed a setting, or has reverted that. Requires both locks.
    func draftChanged() {}

    /// Returns where a domain has a value, for people.
    func place(of key: SettingKey, in domain: DomainIdentity) -> String { "the domain “\(domain.name)”" }

    /// Saves the remaining changes, because nothing uses the store any more.
    func release() {}

    // MARK: Ending

    /// Ends the store when nothing uses it any more.
    final func end() {
        // The boxes reference the store, so drop them; outside the lock, because releasing a value may run foreign
        // code.
        let boxes = log.lock.withLock { log.stored.slots.all.map { $0.removeBox() } }
        withExtendedLifetime(boxes) {}
        release()
        issueBoard.finish()
        log.finish().resumeTasks(of: log)
    }

    // MARK: Locking

    // The path of a write takes and releases the lock through these methods: for `engine.writer.lock()`, the compiler
    // counts a reference to the lock around the call.

    /// Takes the writer's lock.
    @inline(__always)
    final func lockWriter() { writer.lock() }

    /// Takes the writer's lock for a change in place.
    @inline(__always)
    final func lockWriterForChange() { writer.lockForChange() }

    /// Releases the writer's lock.
    @inline(__always)
    final func unlockWriter() { writer.unlock() }

    /// Wakes tasks once this thread has released the writer's lock completely. Requires that lock.
    final func actAfterUnlock(on wakeUps: PendingWakeUps) {
        writer.afterUnlock { [self] in act(on: wakeUps) }
    }

    private final func act(on wakeUps: PendingWakeUps) {
        wakeUps.resumeTasks(of: log)
        if wakeUps.wakesPersister { saveChanges() }
    }

    /// Reports an error once this thread has released the writer's lock completely. Requires that lock.
    final func reportAfterUnlock(_ error: SettingsError) {
        writer.afterUnlock { [issueBoard] in issueBoard.report(error) }
    }

    /// Releases the writer's lock, then the entries that have left the log, which may run foreign code.
    @inline(__always)
    final func unlock(releasing dropped: DroppedEntries) {
        guard dropped.isEmpty else { return unlockAndRelease(dropped) }
        writer.unlock()
    }

    /// Releases the writer's lock, wakes tasks, and then releases the entries that have left the log. Unless the write
    /// is inside another one, nothing has to be kept for later, so this allocates nothing.
    @inline(never)
    final func unlock(actingOn wakeUps: PendingWakeUps) {
        guard !writer.isNested else {
            actAfterUnlock(on: wakeUps)
            return unlock(releasing: wakeUps.dropped)
        }
        writer.unlock()
        act(on: wakeUps)
        wakeUps.dropped.release()
    }

    @inline(never)
    private final func unlockAndRelease(_ dropped: DroppedEntries) {
        // Not inside an enclosing write.
        let isNested = writer.isNested
        if isNested { writer.afterUnlock { dropped.release() } }
        writer.unlock()
        if !isNested { dropped.release() }
    }
}

extension Engine: CustomReflectable {
    @usableFromInline
    package var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}
