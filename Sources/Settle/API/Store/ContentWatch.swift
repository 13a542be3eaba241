/// Waits for changes of any value of a store, also of keys that no group declares.
package struct ContentWatch: Sendable {
    private let log: MutationLog
    private let waiter: Waiter
    /// What the log had at the last look; `nil` before the first one.
    private var mark: MutationLog.ContentMark?

    /// Waits for changes after this moment.
    package init(_ store: SettingsStore) { self.init(store.keeper, seesFirst: false) }

    /// - Parameter seesFirst: Whether what is there counts as a change.
    init(_ keeper: StoreKeeper, seesFirst: Bool) {
        let log = keeper.core.log
        self.log = log
        waiter = Waiter(countedIn: log, keeping: keeper)
        mark = seesFirst ? nil : log.lock.withLock { log.contentMark }
    }

    /// Why a wait has ended.
    package enum Wake: Sendable {
        /// Something may have changed since the last wait.
        case changed
        /// Somebody has called ``interrupt()``.
        case interrupted
        /// The store has closed, or the task is cancelled.
        case finished
    }

    /// Returns when something may have changed since it returned last.
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

    /// Waits until something may have changed since it returned last, or somebody interrupts.
    package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Wake {
        let log = log
        while !Task.isCancelled {
            // Before the caller's look, so that nothing falls in between.
            let (now, isInterrupted) = log.lock.withLock {
                defer { waiter.isInterrupted = false }
                return (log.contentMark, waiter.isInterrupted)
            }
            guard let now else { return .finished }
            if mark != now {
                mark = now
                return .changed
            }
            if isInterrupted { return .interrupted }
            await log.wait(on: log.root, with: waiter, unless: { log.contentMark != now })
        }
        return .finished
    }

    /// Ends the present wait, or else the next one. What has changed meanwhile is told in its place.
    package func interrupt() {
        log.interrupt(waiter)
    }
}
