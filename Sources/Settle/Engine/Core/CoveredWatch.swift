/// Waits for changes of the application's values that other domains cover. No other subscriber receives these, but a
/// draft shows the values.
struct CoveredWatch: Sendable {
    private let log: MutationLog
    private let topic: Topic
    private let waiter = Waiter(countedIn: nil)
    /// The topic's count at the last check.
    private var seen: UInt64

    /// Creates a watch for changes after this moment.
    init(_ log: MutationLog) {
        self.log = log
        (topic, seen) = log.lock.withLock {
            let topic = log.changes.coveredTopic()
            return (topic, topic.changeCount)
        }
    }

    /// Returns when such a value has changed since it last returned.
    ///
    /// - Returns: False once the store has closed or the task is cancelled.
    mutating func changed() async -> Bool {
        let (log, topic) = (log, topic)
        while !Task.isCancelled {
            let (now, isFinished) = log.lock.withLock { (topic.changeCount, log.isFinished) }
            // Before the end: the last change may have come just before the store closed.
            if seen != now {
                seen = now
                return true
            }
            if isFinished { return false }
            await log.wait(on: topic, with: waiter) { topic.changeCount != now }
        }
        return false
    }
}
