/// Drains the mutation log for Observation: notifies the observers of changed settings.
///
/// Observers are foreign code that runs synchronously, one after the other: the runtime calls each at most once for
/// what it has read, even if several settings change, and can notify them only in turn. So a slow observer delays the
/// others, but not the streams, which the ``ChangeBroadcaster`` wakes, and not other tasks, because the notifier has a
/// queue of its own. The observers of one setting are notified of its changes in order.
actor ObserverNotifier {
    private let executor = QueueExecutor(label: "settle.observers")
    private let log: MutationLog

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(log: MutationLog) {
        self.log = log
    }

    /// Starts a notifier that lives until the log is finished. It keeps the log alive, but not the store.
    static func start(draining log: MutationLog) {
        let notifier = ObserverNotifier(log: log)
        Task.detached { await notifier.run() }
    }

    private func run() async {
        while true {
            switch log.lock.withLock({ log.changes.waking.popObservers() }) {
            case .work(let nodes):
                for node in nodes { node.notify() }
            case .wait:
                await withUnsafeContinuation { continuation in
                    let isParked = log.lock.withLock { log.changes.waking.parkNotifier(continuation) }
                    if !isParked { continuation.resume() }
                }
            case .finish:
                return
            }
        }
    }
}
