/// Drains the mutation log: wakes the subscribers of changed settings.
///
/// Writers only record what has changed and resume the broadcaster if it sleeps, so the cost of a write doesn't depend
/// on the number of subscribers, and no subscriber runs on a writer's thread or under a lock. The broadcaster runs no
/// foreign code: observers have an ``ObserverNotifier``.
actor ChangeBroadcaster {
    private let log: MutationLog
    private var batch: [UnsafeContinuation<Void, Never>] = []
    private static let batchSize = 64

    private init(log: MutationLog) {
        self.log = log
        batch.reserveCapacity(Self.batchSize)
    }

    /// Starts a broadcaster that lives until the log is finished. It keeps the log alive, but not the store.
    static func start(draining log: MutationLog) {
        let broadcaster = ChangeBroadcaster(log: log)
        Task.detached { await broadcaster.run() }
    }

    private func run() async {
        while true {
            switch log.nextBroadcast() {
            case .work(let lists):
                resumeAll(in: lists)
                // Let the woken subscribers run first: the next wave then finds more of them waiting.
                if log.hasBroadcast { await Task.yield() }
            case .wait:
                await withUnsafeContinuation { continuation in
                    if !log.parkBroadcaster(continuation) { continuation.resume() }
                }
            case .finish:
                return
            }
        }
    }

    private func resumeAll(in lists: [WaiterList]) {
        var rest = lists[...]
        repeat {
            log.take(Self.batchSize, from: &rest, into: &batch)
            for continuation in batch { continuation.resume() }
            batch.removeAll(keepingCapacity: true)
        } while !rest.isEmpty
    }
}
