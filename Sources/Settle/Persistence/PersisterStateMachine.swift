/// Decides what the persister does next. It has no clock, lock, task or storage: it is told what has happened and says what
/// to do.
///
/// ```
///   a change ──at once, then at a pace──▶ append ──settled──▶ checkpoint ──not at rest, quiet for long──▶ resting
///      │                                    │                    │
///      └──no wait, or its time has come──▶ stable append ────────┤
///                                           │ failed             │ failed
///                                           ▼                    ▼
///                                        failing ──retry time or flush──▶ stable append
///   any ──close──▶ closed
///
///   a look at the outside ──failed──▶ looked again, with back-off ──told──▶ what fails is saved at once
/// ```
///
/// An append, a sync and a checkpoint are one call without interruption each, so there is no state for them. What a failure
/// leaves behind: the persister still has every value that was to be saved, the storage has what it had before, and
/// `failing` knows when to try again.
struct PersisterStateMachine {
    /// A class of settings with changes that are not on stable storage.
    struct Waiting: Equatable {
        var quiet: Duration
        var longest: Duration
        /// How long ago the first change came.
        var sinceFirst: Duration
        /// How long ago the newest change came.
        var sinceLast: Duration

        /// How long it may still wait.
        var remaining: Duration { remaining(quiet: quiet, longest: longest) }

        func remaining(quiet: Duration, longest: Duration) -> Duration {
            min(quiet - sinceLast, longest - sinceFirst)
        }
    }

    /// What the log says.
    struct Look: Equatable {
        var waiting: [Waiting] = []
        /// Whether there are changes that the storage has not been given yet.
        var hasNew = false
    }

    enum State: Equatable {
        case healthy
        /// The last `attempts` saves have failed; the next try is due at an elapsed time.
        case failing(attempts: Int, due: Duration)
        case closed
    }

    enum Action: Equatable {
        /// Look again at an elapsed time, or, without one, when a writer says so.
        case wait(until: Duration?)
        case append(StorageDurability)
        /// A checkpoint of everything, also of what has not been appended yet.
        case checkpoint(CheckpointMoment)
        /// Ask the storage what others have changed, because it could not tell last time.
        case lookOutside
    }

    /// Changes that are stable and that the storage's resting form may not have yet: elapsed times of the first and the
    /// newest of them.
    private struct Unsettled {
        var first: Duration
        var last: Duration
    }

    private(set) var state = State.healthy
    private let retryDelay: ClosedRange<Duration>
    /// After how long without a change, and at the latest after how long, a checkpoint is due.
    private let settling: (quiet: Duration, longest: Duration)
    private var unsettled: Unsettled?
    /// Before this time no changes are handed to the storage for their own sake.
    private var paceEnd = Duration.zero
    /// When a storage that was not at rest is asked again, if nothing changes.
    private var restDue: Duration?
    /// Whether the storage has its resting form, as far as is known.
    private var isAtRest = true
    /// How often a checkpoint has failed since the last that did not, and when the next may be tried.
    private var checkpointFailures = 0
    private var nextCheckpoint = Duration.zero
    /// How often the storage could not tell what others have changed since it last could, and when it is asked again.
    private var failedLooks = 0
    private var nextLook: Duration?

    /// How long a burst of changes is collected.
    static let pace = Duration.milliseconds(2)
    /// A failed save is not tried again sooner, so that a failing storage is not all that there is to do.
    static let shortestRetry = Duration.milliseconds(1)
    /// How long nothing must have changed before the storage may do what is expensive.
    static let rest = Duration.seconds(10)

    init(retryDelay: ClosedRange<Duration>, durability: Durability = .debounced()) {
        let shortest = max(Self.shortestRetry, retryDelay.lowerBound.bounded)
        self.retryDelay = shortest...max(shortest, retryDelay.upperBound.bounded)
        if case .debounced(let quiet, let longest) = durability {
            settling = (quiet.bounded, longest.bounded)
        } else {
            settling = (.milliseconds(250), .seconds(2))
        }
    }

    // MARK: What to do

    func next(_ look: Look, now: Duration) -> Action {
        switch state {
        case .closed: return .wait(until: nil)
        case .healthy, .failing: break
        }
        if let nextLook, nextLook <= now { return .lookOutside }
        if case .failing(_, let due) = state {
            return now >= due ? .append(.stable) : .wait(until: min(due, nextLook ?? due))
        }
        // A save that is due at the same moment as the checkpoint is the checkpoint alone.
        let checkpointDue = checkpointDue(look, now: now)
        if let checkpointDue, checkpointDue <= now { return .checkpoint(.settled) }
        let stableDue = look.waiting.map { now + $0.remaining }.min()
        if let stableDue, stableDue <= now { return .append(.stable) }
        if look.hasNew, paceEnd <= now { return .append(.process) }
        let isQuiet = look.waiting.isEmpty && unsettled == nil
        if isQuiet, let restDue, restDue <= now { return .checkpoint(.resting) }
        let dues = [checkpointDue, stableDue, look.hasNew ? paceEnd : nil, isQuiet ? restDue : nil, nextLook]
        return .wait(until: dues.compactMap { $0 }.min())
    }

    private func checkpointDue(_ look: Look, now: Duration) -> Duration? {
        // A class that may wait for longer than the store's usual one does.
        var due = look.waiting.map {
            now + $0.remaining(quiet: max($0.quiet, settling.quiet), longest: max($0.longest, settling.longest))
        }.min()
        if let unsettled {
            let settled = min(unsettled.last + settling.quiet, unsettled.first + settling.longest)
            due = min(due ?? settled, settled)
        }
        return due.map { max($0, nextCheckpoint) }
    }

    // MARK: What has happened

    /// The storage has been given everything that there was.
    mutating func appended(now: Duration) {
        paceEnd = now + Self.pace
    }

    /// Everything that had been given to the storage is stable; `waiting` is what that concerns.
    mutating func stabilized(_ waiting: [Waiting], now: Duration) {
        guard state != .closed else { return }
        state = .healthy
        guard let first = waiting.map(\.sinceFirst).max(), let last = waiting.map(\.sinceLast).min() else { return }
        unsettled = Unsettled(
            first: min(now - first, unsettled?.first ?? now), last: max(now - last, unsettled?.last ?? .zero))
    }

    /// A checkpoint of everything has been made, which makes it stable too.
    mutating func checkpointed(_ moment: CheckpointMoment, isAtRest: Bool, now: Duration) {
        guard state != .closed else { return }
        state = .healthy
        unsettled = nil
        checkpointFailures = 0
        nextCheckpoint = .zero
        // A storage that has been asked to rest and does not will not the next time either.
        self.isAtRest = isAtRest
        restDue = isAtRest || moment == .resting ? nil : now + Self.rest
    }

    /// The storage was opened without its resting form, because somebody was killed before he could bring it about.
    mutating func openedUnsettled(now: Duration) {
        unsettled = Unsettled(first: now, last: now)
    }

    /// Somebody else has changed something.
    ///
    /// If the resting form could not be had until now, it may be had when things have settled. Otherwise he brings it about
    /// himself; only if he has not for long, it has to be done for him.
    mutating func changedOutside(isAtRest: Bool, now: Duration) {
        guard state != .closed else { return }
        if !self.isAtRest {
            unsettled = Unsettled(first: unsettled?.first ?? now, last: now)
        } else if !isAtRest {
            restDue = now + Self.rest
        }
    }

    /// An append or a sync has failed.
    mutating func failed(now: Duration) {
        switch state {
        case .healthy: state = .failing(attempts: 1, due: now + delay(after: 1))
        case .failing(let attempts, _):
            state = .failing(attempts: attempts + 1, due: now + delay(after: attempts + 1))
        case .closed: break
        }
    }

    /// A checkpoint has failed. What it was to make stable is tried again as an append, which may still work.
    mutating func checkpointFailed(_ moment: CheckpointMoment, leaves waiting: [Waiting], now: Duration) {
        guard state != .closed else { return }
        checkpointFailures += 1
        nextCheckpoint = now + delay(after: checkpointFailures)
        if moment == .resting {
            restDue = nextCheckpoint
        } else if waiting.isEmpty {
            unsettled = unsettled ?? Unsettled(first: now, last: now)
        } else {
            failed(now: now)
        }
    }

    /// The storage has told what others have changed. If it could not before, it is back, and is given at once what it has not
    /// taken.
    mutating func lookedOutside(now: Duration) {
        guard failedLooks > 0 else { return }
        failedLooks = 0
        nextLook = nil
        retrySoon(at: now)
    }

    /// The storage could not tell what others have changed. Who asks before the next look is due does not put that off.
    mutating func lookFailed(now: Duration) {
        if let nextLook, nextLook > now { return }
        failedLooks += 1
        nextLook = now + delay(after: failedLooks)
    }

    /// The storage says that something has happened to it. That may be the end of what made saves fail. Not at once: it may
    /// also be the trace of a save that has failed. And it may be the end of what kept the resting form from being had, without
    /// any change of values, such as a typing error that somebody has taken back.
    mutating func storageSpoke(now: Duration) {
        if state != .closed, !isAtRest { unsettled = Unsettled(first: unsettled?.first ?? now, last: now) }
        retrySoon(at: now + retryDelay.lowerBound)
    }

    private mutating func retrySoon(at time: Duration) {
        if case .failing(let attempts, let due) = state { state = .failing(attempts: attempts, due: min(due, time)) }
        nextCheckpoint = min(nextCheckpoint, time)
    }

    mutating func close() {
        state = .closed
    }

    /// Twice as long after each failure. The exponent is bounded, so the product can't overflow.
    private func delay(after attempts: Int) -> Duration {
        min(retryDelay.lowerBound * (1 << min(attempts - 1, 30)), retryDelay.upperBound)
    }
}
