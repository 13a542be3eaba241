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

    /// Returns when something may have changed since it returned last.
    ///
    /// - Returns: False once the store has closed or the task is cancelled.
    package mutating func changed(isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
        let log = log
        while !Task.isCancelled {
            // Before the caller's look, so that nothing falls in between.
            guard let now = log.lock.withLock({ log.contentMark }) else { return false }
            if mark != now {
                mark = now
                return true
            }
            await log.wait(on: log.root, with: waiter, unless: { log.contentMark != now })
        }
        return false
    }
}
