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
            switch log.lock.withLock({ log.changes.waking.popWaiters() }) {
            case .work(let lists):
                resumeAll(in: lists)
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

    private func resumeAll(in lists: [WaiterList]) {
        var rest = lists[...]
        repeat {
            collect(from: &rest)
            for continuation in batch { continuation.resume() }
            batch.removeAll(keepingCapacity: true)
        } while !rest.isEmpty
    }

    /// Moves the next waiters' continuations into `batch` and drops the lists that become empty. The limit keeps the
    /// lock short however many subscribers wait.
    private func collect(from lists: inout ArraySlice<WaiterList>) {
        log.lock.withLock {
            while batch.count < Self.batchSize, let list = lists.first {
                if let continuation = list.popFirst() { batch.append(continuation) } else { lists.removeFirst() }
            }
        }
    }
}
