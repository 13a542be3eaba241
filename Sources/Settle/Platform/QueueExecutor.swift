import Dispatch

/// An executor on a serial dispatch queue of its own.
///
/// Storage calls may block, and so may observers, so they must not occupy the threads that run an app's tasks.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue
    /// Runs code that no actor isolates on the same queue, if a task prefers it. Then a storage's asynchronous
    /// functions need no thread of the concurrency runtime either, and a flush from a signal handler works even if all
    /// of those threads are blocked.
    let forTasks: any TaskExecutor

    /// For the calls of a storage.
    init() {
        queue = DispatchQueue(label: "settle.persister", target: Self.threads)
        forTasks = QueueTaskExecutor(queue)
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    /// For foreign code that may run for long: the queue has a thread of its own while busy, so that no storage waits
    /// for it.
    init(label: String) {
        queue = DispatchQueue(label: label)
        forTasks = QueueTaskExecutor(queue)
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    /// The threads shared by the queues of all stores: a thousand busy stores need a few threads, not one each.
    ///
    /// On Linux each quality of service has one pool of threads, and that of `.default` also runs Swift's tasks. This
    /// pool belongs to the stores alone, so that blocked tasks never keep a store from saving. Its threads exit after 5
    /// s without work. Apple's systems keep the two kinds of threads apart, and boost a queue to the priority of its
    /// waiter.
    private static let threads: DispatchQueue = {
        #if canImport(Darwin)
            .global()
        #else
            .global(qos: .userInteractive)
        #endif
    }()

    /// Identifies the queue that the calling thread is on.
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    /// Whether the caller runs on this queue, and so must not wait for it.
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

/// A separate class: with the serial executor as its task executor, every task would leave the queue and come back.
private final class QueueTaskExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
