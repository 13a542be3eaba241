/// A timer queue served by one sleeping task, because nearly every deadline is cancelled.
final class Alarms: Sendable {
    typealias Action = @Sendable () -> Void

    private let state = LockedValue(AlarmStateMachine<Action>())
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
        self.elapsed = elapsed
        self.sleep = sleep
    }

    /// - Returns: The number with which it can be removed.
    func add(at due: Duration, _ action: @escaping Action) -> Int {
        let (number, mustSleep) = state.withLock { $0.add(action, at: due) }
        if mustSleep { wake(at: due) }
        return number
    }

    /// Cancels an action that has not started.
    func remove(_ number: Int) { state.withLock { $0.remove(number) } }

    /// Detached: the caller that comes first is not the only one it sleeps for.
    private func wake(at due: Duration) {
        Task.detached { [weak self, sleep] in
            var next: Duration? = due
            while let due = next {
                try? await sleep(due)
                next = self?.ring(at: due)
            }
        }
    }

    /// - Returns: Until when to sleep next; `nil` if nothing is left, or another task sleeps for it.
    private func ring(at due: Duration) -> Duration? {
        let now = max(due, elapsed())
        let (actions, next) = state.withLock { $0.wake(at: due, now: now) }
        for action in actions { action() }
        return next
    }
}

/// Decides until when to sleep, and what to do then.
///
/// A sleeper that an earlier one overtakes sleeps on, and wakes once more than needed: cheaper than ending it.
struct AlarmStateMachine<Action: Sendable> {
    private var actions: [Int: (due: Duration, action: Action)] = [:]
    private var last = 0
    /// The time when the next sleeper wakes.
    private var wake: Duration?

    /// - Returns: Its number, and whether to begin to sleep until then.
    mutating func add(_ action: Action, at due: Duration) -> (number: Int, mustSleep: Bool) {
        last += 1
        actions[last] = (due, action)
        if let wake, wake <= due { return (last, false) }
        wake = due
        return (last, true)
    }

    mutating func remove(_ number: Int) { actions[number] = nil }

    /// Records that a sleeper has woken.
    ///
    /// - Returns: The due actions, earliest first, and until when it sleeps on; `nil` if it ends.
    mutating func wake(at due: Duration, now: Duration) -> (due: [Action], next: Duration?) {
        let ripe = actions.filter { $0.value.due <= now }
        for number in ripe.keys { actions[number] = nil }
        let ordered = ripe.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.value.action)
        // Overtaken: another sleeper wakes before everything that is left, or already continues with it.
        guard wake == due else { return (ordered, nil) }
        wake = actions.values.map(\.due).min()
        return (ordered, wake)
    }
}
