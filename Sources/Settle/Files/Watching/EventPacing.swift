/// Decides when the thread that reads the system's events pauses before it waits for more.
///
/// A waiting thread is woken by each event, also of this process's own appends. That costs the thread that writes 15 µs
/// where the other processor sleeps, in the middle of a commit. Its own events that come without end need no wake each:
/// then the thread pauses after each look, and finds those that have come meanwhile, all at once. A network card does
/// the same with its interrupts.
///
/// ```
///   waiting ──event──▶ looking ──fewer than `patience` in a row──▶ waiting
///      ▲                  └──────────in a row──────────▶ pausing ──interval──▶ waiting
///      └── two intervals without an event, or a change of another process, end the row
/// ```
///
/// A change of another process ends the row because a task may be about to answer it, and then the other process waits
/// for the answer, and this one for the next change: no look may be late.
struct EventPacing {
    /// How much later a change of others may be noticed, once for each row.
    static let interval = Duration.milliseconds(1)
    /// How many looks in a row make a stream. More than the events of one save of the readable file.
    static let patience = 16

    private var count = 0
    private var last: Duration?
    private var hasForeignChange = false

    /// Records that another process has changed something since the last look, or that this look has found it.
    mutating func foundForeignChange() { hasForeignChange = true }

    /// Records a look at events that have come.
    ///
    /// - Parameter now: The time since any fixed moment.
    /// - Returns: Whether to pause for an interval before waiting for more.
    mutating func looked(at now: Duration) -> Bool {
        let isInRow = last.map { now - $0 < Self.interval * 2 } ?? false
        count = hasForeignChange ? 0 : isInRow ? count + 1 : 1
        (last, hasForeignChange) = (now, false)
        return count > Self.patience
    }
}
