/// Drains the mutation log: wakes the subscribers of changed settings.
///
/// Writers only record what has changed and resume the broadcaster if it sleeps, so the cost of a write doesn't depend
/// on the number of subscribers, and no subscriber runs on a writer's thread or under a lock. The broadcaster runs no
/// foreign code: observers have an ``ObserverNotifier``.
actor ChangeBroadcaster {
    private let log: MutationLog

    private init(log: MutationLog) {
        self.log = log
    }

    /// Starts a broadcaster that lives until the log is finished. It keeps the log alive, but not the store.
    static func start(draining log: MutationLog) {
        let broadcaster = ChangeBroadcaster(log: log)
        Task.detached { await broadcaster.run() }
    }

    private func run() async {
        while true {
            switch log.lock.withLock({ log.changes.waking.popWaiters() }) {
            case .work(let lists):
                for list in lists { list.resumeAll() }
                // Let the woken subscribers run first: the next wave then finds more of them waiting.
                if log.lock.withLock({ log.changes.waking.hasTopics }) { await Task.yield() }
            case .wait:
                await withUnsafeContinuation { continuation in
                    let isParked = log.lock.withLock { log.changes.waking.parkBroadcaster(continuation) }
                    if !isParked { continuation.resume() }
                }
            case .finish:
                return
            }
        }
    }
}
