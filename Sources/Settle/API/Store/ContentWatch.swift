/// Waits for changes of any value of a store, including values of keys that no group declares.
package struct ContentWatch: Sendable {
    private let log: MutationLog
    private let waiter: Waiter
    /// The log's mark at the last check; `nil` before the first one.
    private var mark: MutationLog.ContentMark?

    /// Creates a watch for changes after this moment.
    package init(_ store: SettingsStore) { self.init(store.keeper, seesFirst: false) }

    /// - Parameter seesFirst: Whether the existing content of an open store counts as a change.
    init(_ keeper: StoreKeeper, seesFirst: Bool) {
        let log = keeper.core.log
        self.log = log
        waiter = Waiter(countedIn: log, keeping: keeper)
        mark = log.lock.withLock { seesFirst && !log.isFinished ? nil : log.contentMark }
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
        let log = log
        while !Task.isCancelled {
            // Before the caller's check, so that nothing falls in between.
            let (now, isFinished, isInterrupted) = log.lock.withLock {
                defer { waiter.isInterrupted = false }
                return (log.contentMark, log.isFinished, waiter.isInterrupted)
            }
            // Before the end: the last change may have come just before the store closed.
            if mark != now {
                mark = now
                return .changed
            }
            if isFinished { return .finished }
            if isInterrupted { return .interrupted }
            await log.wait(on: log.root, with: waiter, unless: { log.contentMark != now })
        }
        return .finished
    }

    /// Ends the present wait, or else the next one. If something has changed meanwhile, the change is reported instead.
    package func interrupt() {
        log.interrupt(waiter)
    }
}
