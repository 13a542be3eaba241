import Dispatch

/// An executor on a serial dispatch queue of its own.
///
/// Storage calls block, and observers may, so they don't belong on the threads that run an app's tasks. And a flush from a signal
/// handler must work even if all of those are blocked: it enters the queue directly.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    /// For the calls of a storage.
    init() {
        queue = DispatchQueue(label: "settle.persister", target: Self.threads)
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    /// For foreign code that may take its time: it gets a thread of its own while it is busy, and no storage waits for it.
    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    /// Where the queues of all stores get their threads, so that a thousand busy stores need a few threads and not one each.
    ///
    /// Linux has one pool of threads for each quality of service, and that of `.default` also runs the tasks of Swift. This one
    /// is the stores' own, so that blocked tasks keep no store from saving. Its threads end when they have had nothing to do for
    /// 5 s. Apple's systems tell the two kinds of threads apart, and lend a queue the priority of who waits for it.
    private static let threads: DispatchQueue = {
        #if canImport(Darwin)
            .global()
        #else
            .global(qos: .userInteractive)
        #endif
    }()

    /// Says on which of these queues the calling thread is.
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    /// Whether the caller runs on the queue, so that it must not wait for it.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
