/// Waits for changes of any value of a store, including values of keys that no group declares, and on request for the
/// growth of the storage's history as well; or only for changes of values that other domains cover.
package struct ContentWatch: Sendable {
    private let log: MutationLog
    private let topic: Topic
    /// What ends a wait early. It is all that another thread needs of the watch.
    package let waiter: Waiter
    /// The log's mark at the last check; `nil` before the first one.
    private var mark: MutationLog.ContentMark?

    /// Creates a watch for changes after this moment.
    ///
    /// - Parameter includesHistory: Whether it also reports when a ``HistoryCursor`` of the store may have another step.
    package init(_ store: SettingsStore, includingHistory includesHistory: Bool = false) {
        self.init(store.keeper, seesFirst: false, includingHistory: includesHistory)
    }

    /// - Parameter seesFirst: Whether the existing content of an open store counts as a change.
    init(_ keeper: StoreKeeper, seesFirst: Bool, includingHistory includesHistory: Bool = false) {
        let log = keeper.core.log
        let topic = includesHistory ? log.lock.withLock { log.changes.applicationTopic() } : log.root
        (self.log, self.topic) = (log, topic)
        waiter = Waiter(countedIn: log, keeping: keeper)
        mark = log.lock.withLock { seesFirst && !log.isFinished ? nil : log.contentMark(of: topic) }
    }

    /// Creates a watch for changes after this moment of values that other domains cover. No other subscriber receives
    /// these, but a draft shows the values. It does not keep the store open and is not counted.
    init(coveredIn log: MutationLog) {
        let topic = log.lock.withLock { log.changes.coveredTopic() }
        (self.log, self.topic) = (log, topic)
        waiter = Waiter(countedIn: nil)
        mark = log.lock.withLock { log.contentMark(of: topic) }
    }

    /// The reason why a wait has ended.
    package enum Wake: Sendable {
        /// Something may have changed since the last wait.
        case changed
        /// ``interrupt()`` was called.
        case interrupted
        /// The store has closed, or the task is cancelled.
        case finished
    }

    /// Returns when something may have changed since it last returned.
    ///
    /// - Returns: False once the store has closed or the task is cancelled.
    package mutating func changed(isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
        while true {
            switch await next(isolation: actor) {
            case .changed: return true
            case .interrupted: continue
            case .finished: return false
            }
        }
    }

    /// Waits until something may have changed since it last returned, or until it is interrupted.
    package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Wake {
        let (log, topic) = (log, topic)
        while !Task.isCancelled {
            // Before the caller's check, so that nothing falls in between.
            let (now, isFinished, isInterrupted) = log.lock.withLock {
                defer { waiter.isInterrupted = false }
                return (log.contentMark(of: topic), log.isFinished, waiter.isInterrupted)
            }
            // Before the end: the last change may have come just before the store closed.
            if mark != now {
                mark = now
                return .changed
            }
            if isFinished { return .finished }
            if isInterrupted { return .interrupted }
            await log.wait(on: topic, with: waiter, unless: { log.contentMark(of: topic) != now })
        }
        return .finished
    }

    /// Ends the present wait, or else the next one. If something has changed meanwhile, the change is reported instead.
    package func interrupt() {
        waiter.interrupt()
    }
}
