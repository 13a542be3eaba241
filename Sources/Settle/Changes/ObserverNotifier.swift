/// Drains the mutation log for Observation: tells the observers of the settings that have changed.
///
/// Observers are foreign code that runs at once, one after the other: the runtime calls each at most once for what it has read, also
/// if several settings change, and can be told only in turn. So a slow one delays the others, but no stream, which the
/// ``ChangeBroadcaster`` wakes, and no task, since it has a queue of its own. The observers of one setting are told of its changes in
/// order.
actor ObserverNotifier {
    private let executor = QueueExecutor(label: "settle.observers")
    private let log: MutationLog

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(log: MutationLog) {
        self.log = log
    }

    /// Starts a notifier that lives until the log is finished. It keeps the log, but not the store, alive.
    static func start(draining log: MutationLog) {
        let notifier = ObserverNotifier(log: log)
        Task.detached { await notifier.run() }
    }

    private func run() async {
        while true {
            switch log.nextNotifications() {
            case .work(let nodes):
                for node in nodes { node.notify() }
            case .wait:
                await withUnsafeContinuation { continuation in
                    if !log.parkNotifier(continuation) { continuation.resume() }
                }
            case .finish:
                return
            }
        }
    }
}
