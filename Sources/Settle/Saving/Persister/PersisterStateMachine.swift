/// Decides what the persister does next. Has no clock, lock, task or storage: it receives events and returns actions.
///
/// Five regions are independent of each other until the store closes:
///
/// ```
///   saving      working ──failed──▶ failing ──stable, retry time or not──▶ working
///               failing ──change──▶ failing, preserved
///
///   checkpoint  reached ──change──▶ settling ──written──▶ reached
///               settling ──written, not at rest──▶ refused ──change, or a signal of the storage──▶ settling
///               reached ──change by others, not at rest──▶ leftToOthers ──due──▶ reached, refused
///
///   outside     current ──failed──▶ failing ──fetched──▶ current
///
///   history     current ──failed──▶ failing ──due, or fetched──▶ trying ──read──▶ current
///                                      ▲──────────failed──────────┘
///
///   reversion   idle ──due──▶ running ──ended──▶ idle
///                 ▲              └──failed──▶ failing ──due──▶ running
/// ```
///
/// An append, a sync and a checkpoint are each one uninterrupted call and need no state. After a failure the persister
/// still has every value that was to be saved, and the storage has the values that it had before.
struct PersisterStateMachine {
    typealias Waiting = DebouncedChanges.Waiting

    enum Action: Equatable {
        /// Check again at an elapsed time; without one, when a writer calls.
        case wait(until: Duration?)
        case append(StorageDurability)
        /// Let the storage preserve the pending values, because appends fail.
        case preserve
        /// A checkpoint of everything, including what has not been appended yet.
        case checkpoint(CheckpointReason)
        /// Fetch external changes again, because the last attempt failed.
        case fetch
        /// Retry followers whose history read failed.
        case readHistory
        /// Revert the unconfirmed commit, because its time is over.
        case revert
    }

    /// The state of saving changed values.
    enum Saving: Equatable {
        /// Until `paceEnd`, new changes alone cause no append, so that a burst is collected.
        case working(paceEnd: Duration)
        case failing(BackOff)
    }

    /// The state of the storage's readable form, such as the readable file.
    enum Checkpoint: Equatable {
        case reached
        /// Changes that the readable form lacks are on stable storage; the first and the newest of them came at these
        /// times.
        case settling(first: Duration, last: Duration, after: Rest)
        /// The storage could not update the readable form. It is asked once more at `due`, and then only after a
        /// change.
        case refused(due: Duration?)
        /// Another process has made a change, and the checkpoint is left to it until `due`.
        case leftToOthers(due: Duration)
    }

    /// Whether the readable form was complete after the last checkpoint.
    enum Rest: Equatable {
        case reached, refused
    }

    /// The state of fetching external changes.
    enum Outside: Equatable {
        case current
        case failing(BackOff)
    }

    /// The state of reading the history for its followers.
    enum History: Equatable {
        case current
        case failing(BackOff)
        case trying(BackOff)
    }

    /// The state of reverting an unconfirmed commit.
    enum Reversion: Equatable {
        case idle
        case running(BackOff)
        case failing(BackOff)
    }

    enum State: Equatable {
        case open
        case closed
    }

    private(set) var state = State.open
    private(set) var saving = Saving.working(paceEnd: .zero)
    private(set) var checkpoint = Checkpoint.reached
    private(set) var outside = Outside.current
    private(set) var history = History.current
    private(set) var reversion = Reversion.idle
    /// The back-off from the first failed checkpoint until one succeeds.
    private var checkpointRetry: BackOff?

    private let preservesWaiting: Bool
    private var preserveDue = Duration.zero
    private let delays: ClosedRange<Duration>
    /// A checkpoint is due after `quiet` without a change, and `longest` after the first change at the latest.
    private let settling: (quiet: Duration, longest: Duration)

    /// The time for which a burst of changes is collected.
    static let pace = Duration.milliseconds(2)
    /// The minimum delay before a retry, so that a failing storage does not keep the queue busy.
    static let shortestRetry = Duration.milliseconds(1)
    /// The time without changes after which the storage may do expensive work.
    static let rest = Duration.seconds(10)

    /// - Parameter preservesWaiting: Whether the storage preserves pending values.
    init(
        retryDelay: ClosedRange<Duration>, savePolicy: SavePolicy = .debounced(), preservesWaiting: Bool = false
    ) {
        self.preservesWaiting = preservesWaiting
        let shortest = max(Self.shortestRetry, retryDelay.lowerBound.bounded)
        delays = shortest...max(shortest, retryDelay.upperBound.bounded)
        let (quiet, longest) = savePolicy.delays ?? SavePolicy.standardDelays
        settling = (quiet.bounded, longest.bounded)
    }

    // MARK: The next action

    /// - Parameter unconfirmed: When the time of an unconfirmed commit is over, if there is one.
    func next(_ changes: WaitingChanges, unconfirmed: Duration? = nil, now: Duration) -> Action {
        guard state == .open else { return .wait(until: nil) }
        var dues: [Duration] = []
        if let due = reversionDue(unconfirmed) {
            if due <= now { return .revert }
            dues.append(due)
        }
        if case .failing(let retry) = outside {
            if retry.due <= now { return .fetch }
            dues.append(retry.due)
        }
        if case .failing(let retry) = history {
            if retry.due <= now { return .readHistory }
            dues.append(retry.due)
        }
        switch saving {
        case .failing(let retry):
            // A checkpoint would fail as well, so wait for the append to succeed.
            if retry.due <= now { return .append(.synced) }
            dues.append(retry.due)
            if preservesWaiting, changes.hasNew {
                if preserveDue <= now { return .preserve }
                dues.append(preserveDue)
            }
        case .working(let paceEnd):
            // Checkpoint first: when a save is due at the same moment, the checkpoint covers it.
            if let due = checkpointDue(changes, now: now) {
                if due <= now { return .checkpoint(hasSettled(changes, now: now) ? .settled : .changing) }
                dues.append(due)
            }
            if let due = changes.waiting.map({ now + $0.remaining }).min() {
                if due <= now { return .append(.synced) }
                dues.append(due)
            }
            if changes.hasNew {
                if paceEnd <= now { return .append(.buffered) }
                dues.append(paceEnd)
            }
            if changes.waiting.isEmpty, let due = restDue {
                if due <= now { return .checkpoint(.resting) }
                dues.append(due)
            }
        }
        return .wait(until: dues.min())
    }

    private func reversionDue(_ unconfirmed: Duration?) -> Duration? {
        switch reversion {
        case .idle: unconfirmed
        case .running: nil
        case .failing(let retry): unconfirmed.map { max($0, retry.due) }
        }
    }

    private func checkpointDue(_ changes: WaitingChanges, now: Duration) -> Duration? {
        // A class may ask for a longer wait than the store's default; then its changes delay the checkpoint.
        var due = changes.waiting.map {
            now + $0.remaining(quiet: max($0.quiet, settling.quiet), longest: max($0.longest, settling.longest))
        }.min()
        if case .settling(let first, let last, _) = checkpoint {
            let settled = min(last + settling.quiet, first + settling.longest)
            due = min(due ?? settled, settled)
        }
        return due.map { max($0, checkpointRetry?.due ?? .zero) }
    }

    private func hasSettled(_ changes: WaitingChanges, now: Duration) -> Bool {
        if case .settling(_, let last, _) = checkpoint, last + settling.quiet > now { return false }
        return changes.waiting.allSatisfy { $0.sinceLast >= max($0.quiet, settling.quiet) }
    }

    private var restDue: Duration? {
        switch checkpoint {
        case .reached, .settling: nil
        case .refused(let due): due
        case .leftToOthers(let due): due
        }
    }

    // MARK: Events of saving

    /// Records that everything has been appended.
    mutating func appended(now: Duration) {
        switch saving {
        case .working: saving = .working(paceEnd: now + Self.pace)
        case .failing: break
        }
    }

    /// Records that the storage preserves the pending values.
    mutating func preserved(now: Duration) { preserveDue = now + Self.pace }

    /// Records that everything handed to the storage is on stable storage; `waiting` are the classes concerned.
    mutating func synced(_ waiting: [Waiting], now: Duration) {
        guard state == .open else { return }
        saveWorked(now: now)
        guard let first = waiting.map(\.sinceFirst).max(), let last = waiting.map(\.sinceLast).min() else { return }
        settle(first: now - first, last: now - last)
    }

    mutating func failed(now: Duration) {
        guard state == .open else { return }
        var retry =
            switch saving {
            case .working: BackOff(delays)
            case .failing(let retry): retry
            }
        retry.failed(now: now)
        saving = .failing(retry)
    }

    private mutating func saveWorked(now: Duration) {
        if case .failing = saving { saving = .working(paceEnd: now + Self.pace) }
    }

    // MARK: Events of the readable form

    /// Records that the storage was opened without its readable form, because a process was killed before writing it.
    mutating func openedUnsettled(now: Duration) {
        settle(first: now, last: now)
    }

    /// Records that a checkpoint of everything has succeeded, which makes everything stable too.
    mutating func checkpointed(_ reason: CheckpointReason, isAtRest: Bool, now: Duration) {
        guard state == .open else { return }
        saveWorked(now: now)
        checkpointRetry = nil
        if isAtRest {
            checkpoint = .reached
        } else {
            // A storage whose form is not complete after a checkpoint at rest will not complete it the next time
            // either: wait for a change.
            checkpoint = .refused(due: reason == .resting ? nil : now + Self.rest)
        }
    }

    /// Records that a checkpoint has failed. The changes that it should have made stable are retried as an append,
    /// which may still work.
    mutating func checkpointFailed(_ reason: CheckpointReason, leaves waiting: [Waiting], now: Duration) {
        guard state == .open else { return }
        var retry = checkpointRetry ?? BackOff(delays)
        retry.failed(now: now)
        checkpointRetry = retry
        switch (reason, checkpoint) {
        case (.resting, .refused): checkpoint = .refused(due: retry.due)
        case (.resting, .leftToOthers): checkpoint = .leftToOthers(due: retry.due)
        case (.resting, _): break
        case (_, .settling) where waiting.isEmpty: break
        case _ where waiting.isEmpty: settle(first: now, last: now)
        case _: failed(now: now)
        }
    }

    private mutating func settle(first: Duration, last: Duration) {
        switch checkpoint {
        case .reached, .leftToOthers: checkpoint = .settling(first: first, last: last, after: .reached)
        case .refused: checkpoint = .settling(first: first, last: last, after: .refused)
        case .settling(let knownFirst, let knownLast, let rest):
            checkpoint = .settling(first: min(first, knownFirst), last: max(last, knownLast), after: rest)
        }
    }

    // MARK: Events outside

    /// Records that another process has changed something.
    ///
    /// A storage that has refused its readable form may write it once the change has settled. Otherwise the checkpoint
    /// is left to the process that made the change; if that process makes none, this one does after `rest`.
    mutating func changedOutside(isAtRest: Bool, now: Duration) {
        guard state == .open else { return }
        switch checkpoint {
        case .refused, .settling(_, _, after: .refused): settle(first: now, last: now)
        case .reached, .leftToOthers: if !isAtRest { checkpoint = .leftToOthers(due: now + Self.rest) }
        case .settling(_, _, after: .reached): break
        }
    }

    /// Records that external changes were fetched. If that failed before, the storage is back, and unsaved values are
    /// retried immediately.
    mutating func fetched(now: Duration) {
        guard case .failing = outside else { return }
        outside = .current
        retrySoon(at: now)
    }

    /// Records that external changes could not be fetched. An attempt before the retry is due does not postpone it.
    mutating func fetchFailed(now: Duration) {
        var retry = BackOff(delays)
        if case .failing(let known) = outside {
            if known.due > now { return }
            retry = known
        }
        retry.failed(now: now)
        outside = .failing(retry)
    }

    /// Records that the history could not be read for a follower. Attempts of others before the retry is due do not
    /// postpone it.
    mutating func historyFailed(now: Duration) {
        var retry = BackOff(delays)
        switch history {
        case .current: break
        case .trying(let known): retry = known
        case .failing(let known):
            if known.due > now { return }
            retry = known
        }
        retry.failed(now: now)
        history = .failing(retry)
    }

    /// Records that followers whose history read failed try again: the retry is due, or the storage has answered
    /// another call.
    ///
    /// - Returns: Whether there are any.
    mutating func historyRetried() -> Bool {
        guard case .failing(let retry) = history else { return false }
        history = .trying(retry)
        return true
    }

    mutating func historyRead() { history = .current }

    /// Records a signal of the storage. It may have recovered from the cause of failed saves; but the signal may also
    /// come from a failed save itself, so the retry waits for the shortest delay. The cause of a refused readable form
    /// may be gone too, without any change of values: a typing error in the file, corrected by hand.
    ///
    /// - Returns: Whether anything is due sooner than before.
    @discardableResult
    mutating func storageSignalled(now: Duration) -> Bool {
        guard state == .open else { return false }
        let before = (saving, checkpoint, checkpointRetry)
        switch checkpoint {
        case .refused, .settling(_, _, after: .refused): settle(first: now, last: now)
        case .reached, .leftToOthers, .settling(_, _, after: .reached): break
        }
        retrySoon(at: now + delays.lowerBound)
        return before != (saving, checkpoint, checkpointRetry)
    }

    private mutating func retrySoon(at time: Duration) {
        if case .failing(var retry) = saving {
            retry.hurry(to: time)
            saving = .failing(retry)
        }
        checkpointRetry?.hurry(to: time)
    }

    // MARK: Events of an unconfirmed commit

    mutating func reversionBegan() {
        if case .failing(let retry) = reversion {
            reversion = .running(retry)
        } else {
            reversion = .running(BackOff(delays))
        }
    }

    /// - Returns: Whether it is the first failure in a row.
    @discardableResult
    mutating func reversionEnded(hasFailed: Bool, now: Duration) -> Bool {
        guard case .running(var retry) = reversion, hasFailed else {
            reversion = .idle
            return false
        }
        retry.failed(now: now)
        reversion = .failing(retry)
        return retry.attempts == 1
    }

    // MARK: The end

    mutating func close() {
        state = .closed
    }
}
