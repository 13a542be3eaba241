/// The pending timers. A timer that an earlier one overtakes stays, and fires once more than needed: cheaper than
/// ending and starting a task each time.
struct SaveTimers {
    private var timers: [(due: Duration, task: Task<Void, Never>)] = []
    /// How often the clock had gone back when the timers were set.
    private var knownJumps = 0
    /// Whether a check of the clock is scheduled.
    var isJumpWatched = false

    var isEmpty: Bool { timers.isEmpty }

    func areAllAfter(_ due: Duration) -> Bool { timers.allSatisfy { $0.due > due } }

    mutating func add(_ due: Duration, _ task: Task<Void, Never>) { timers.append((due, task)) }

    mutating func fired(_ due: Duration) { timers.removeAll { $0.due == due } }

    mutating func cancel() {
        for timer in timers { timer.task.cancel() }
        timers = []
    }

    /// Cancels timers that would sleep until a clock that was set back catches up.
    mutating func cancel(afterJumps jumps: Int) {
        guard jumps != knownJumps else { return }
        knownJumps = jumps
        cancel()
    }
}
