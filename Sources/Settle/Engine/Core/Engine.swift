import Synchronization

/// What a box and a write need of a store: the writer lock, the log, and the transaction in progress.
///
/// By itself it is a store in memory, for the groups that no store has opened. `StoreCore` adds what saves.
@usableFromInline
package class Engine: @unchecked Sendable {
    // Sendable: `mode`, `transaction`, `writesElsewhere`, `reports` and `refusal` are guarded by `writer`; the rest is
    // Sendable, and constant once the store is shared.

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

    /// Why nothing may be written, although changes from elsewhere still come in; `nil` almost always.
    final var refusal: SettingsError?

    /// The refusal of an assignment, which could not throw it: the next call that saves does.
    final let refusedAssignment = LockedValue<SettingsError?>(nil)

    /// What a write has to do.
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

    /// Refuses all writes from now on, or none any more. Under the writer's lock, outside of transactions.
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

    // MARK: What a storage adds

    /// Whether this is the store of groups that no store has opened.
    var isUnopened: Bool { true }

    /// How many keys a transaction may write.
    var keyLimit: Int { .max }

    /// How many bytes the values that a transaction writes may have together.
    var byteLimit: Int { .max }

    /// There are changes to be saved. Called without the log's lock.
    func saveChanges() {}

    /// Finds what has come after a place in the storage's history.
    func readHistory(after token: ChangeToken?) async -> HistoryFinding { .closed }

    /// Tells the storage which values are in force although what is stored can't be used.
    func keep(_ values: [SettingKey: SettingValue?]) {}

    /// The values that the storage keeps because a stored one can't be used, the last good one first.
    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue) -> [SettingValue] { [] }

    /// Takes the unconfirmed commit back if its time is over.
    func revertIfDue() async throws {}

    // MARK: What a draft adds

    /// Whether values come from another store, so that the log does not tell when they change.
    var readsThrough: Bool { false }

    /// A setting is about to be followed.
    func beginFollowing() {}

    /// A value has been refused, or, if there is no error, accepted.
    func judge(_ slot: SettingSlot, _ error: SettingsError?) {}

    /// A draft has changed a setting, or has taken that back. Under both locks.
    func draftChanged() {}

    /// Where a domain has a value, for people.
    func place(of key: SettingKey, in domain: DomainIdentity) -> String { "the domain “\(domain.name)”" }

    /// Saves what is left, because nothing uses the store any more.
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

    // MARK: Unlocking

    /// Wakes tasks once this thread has released the writer's lock altogether. Under that lock.
    final func actAfterUnlock(on wakeUps: PendingWakeUps) {
        writer.afterUnlock { [self] in
            wakeUps.resumeTasks(of: log)
            if wakeUps.wakesPersister { saveChanges() }
        }
    }

    /// Reports an error once this thread has released the writer's lock altogether. Under that lock.
    final func reportAfterUnlock(_ error: SettingsError) {
        writer.afterUnlock { [issueBoard] in issueBoard.report(error) }
    }

    /// Releases the writer's lock, then the entries that have left the log, which may run foreign code.
    @inline(__always)
    final func unlock(releasing dropped: DroppedEntries) {
        guard dropped.isEmpty else { return unlockAndRelease(dropped) }
        writer.unlock()
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
