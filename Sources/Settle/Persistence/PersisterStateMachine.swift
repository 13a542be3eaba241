/// Decides when to save. It has no clock, lock, task or storage: it is told what happened and says what to do.
///
/// ```
///            changes                 deadline                   saved
///   idle ───────────────▶ waiting ───────────────▶ (save) ───────────────▶ idle, or waiting if more has come
///                            ▲                       │ failed
///                            │                       ▼
///                            │ saved, more       failing ──retry time or flush──▶ (save)
///                            └──────────────────────┘
///   any ──close──▶ closed
/// ```
///
/// A save is one call without interruption, so there is no state for it. What a failure leaves behind: the persister still
/// has every value that was to be saved, the storage has what it had before, and `failing` knows when to try again.
struct PersisterStateMachine {
    /// A class of settings that waits to be saved.
    struct Waiting: Equatable {
        var quiet: Duration
        var longest: Duration
        /// How long ago the first change came.
        var sinceFirst: Duration
        /// How long ago the newest change came.
        var sinceLast: Duration

        /// How long the save may still wait.
        var remaining: Duration {
            min(quiet - sinceLast, longest - sinceFirst)
        }
    }

    enum State: Equatable {
        case idle
        /// There are changes; they are due at an elapsed time.
        case waiting(due: Duration)
        /// The last `attempts` saves have failed; the next try is due at an elapsed time.
        case failing(attempts: Int, due: Duration)
        case closed
    }

    enum Action: Equatable {
        case none
        case save
        /// Fire the timer at an elapsed time, instead of any earlier request.
        case setTimer(Duration)
        case cancelTimer
    }

    private(set) var state = State.idle
    let retryDelay: ClosedRange<Duration>

    init(retryDelay: ClosedRange<Duration>) {
        self.retryDelay = retryDelay
    }

    /// Changes have come, or may have.
    mutating func changed(_ waiting: [Waiting], now: Duration) -> Action {
        switch state {
        case .idle, .waiting: return schedule(waiting, now: now)
        // The time of the next try stands: more changes don't make the storage well.
        case .failing, .closed: return .none
        }
    }

    mutating func timerFired(_ waiting: [Waiting], now: Duration) -> Action {
        switch state {
        case .idle: return .none
        case .waiting: return schedule(waiting, now: now)
        case .failing(_, let due): return now >= due ? .save : .setTimer(due)
        case .closed: return .none
        }
    }

    /// A save has succeeded; `waiting` is what has come since.
    mutating func saved(_ waiting: [Waiting], now: Duration) -> Action {
        switch state {
        case .idle, .waiting, .failing:
            state = .idle
            let action = schedule(waiting, now: now)
            return action == .none ? .cancelTimer : action
        case .closed: return .none
        }
    }

    mutating func failed(now: Duration) -> Action {
        let attempts: Int
        switch state {
        case .idle, .waiting: attempts = 1
        case .failing(let before, _): attempts = before + 1
        case .closed: return .none
        }
        // Twice as long after each failure. The exponent is bounded, so the product can't overflow.
        let delay = min(retryDelay.lowerBound * (1 << min(attempts - 1, 30)), retryDelay.upperBound)
        state = .failing(attempts: attempts, due: now + delay)
        return .setTimer(now + delay)
    }

    mutating func close() -> Action {
        state = .closed
        return .cancelTimer
    }

    private mutating func schedule(_ waiting: [Waiting], now: Duration) -> Action {
        guard let remaining = waiting.map(\.remaining).min() else {
            state = .idle
            return .none
        }
        let due = now + max(.zero, remaining)
        let isNew = state != .waiting(due: due)
        state = .waiting(due: due)
        if remaining <= .zero { return .save }
        return isNew ? .setTimer(due) : .none
    }
}
