import Dispatch
import Synchronization

/// An executor on a serial dispatch queue of its own.
///
/// Storage calls may block, and so may observers, so they must not occupy the threads that run an app's tasks.
final class QueueExecutor: SerialExecutor {
    private let jobs: QueueJobs
    /// Runs code that no actor isolates on the same queue, if a task prefers it. Then a storage's asynchronous
    /// functions need no thread of the concurrency runtime either, and a flush from a signal handler works even if all
    /// of those threads are blocked.
    let forTasks: any TaskExecutor
    private let isPreferred: Bool

    /// For the calls of a storage.
    ///
    /// - Parameter isPreferred: Whether the tasks that run here prefer `forTasks`, nearly all of them. Where a job runs
    ///   without what its task prefers, Swift takes each call and each return for a change of executors, and enqueues a
    ///   job for it.
    convenience init(isPreferred: Bool = false) {
        self.init(DispatchQueue(label: "settle.persister", target: Self.threads), isPreferred: isPreferred)
    }

    /// For foreign code that may run for long: the queue has a thread of its own while busy, so that no storage waits
    /// for it.
    convenience init(label: String) {
        self.init(DispatchQueue(label: label), isPreferred: false)
    }

    private init(_ queue: DispatchQueue, isPreferred: Bool) {
        self.isPreferred = isPreferred
        jobs = QueueJobs(queue)
        forTasks = QueueTaskExecutor(jobs)
    }

    /// The threads shared by the queues of all stores: a thousand busy stores need a few threads, not one each.
    ///
    /// On Linux each quality of service has one pool of threads, and that of `.default` also runs Swift's tasks. This
    /// pool belongs to the stores alone, so that blocked tasks never keep a store from saving. Its threads exit after 5
    /// s without work. Apple's systems keep the two kinds of threads apart, and boost a queue to the priority of its
    /// waiter.
    static let threads: DispatchQueue = {
        #if canImport(Darwin)
            .global()
        #else
            .global(qos: .userInteractive)
        #endif
    }()

    var queue: DispatchQueue { jobs.queue }

    /// Whether the caller runs on this queue, or is called by a job of this queue, and so must not wait for it.
    var isCurrent: Bool { jobs.isCurrent }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        guard isPreferred else { return jobs.add { job.runSynchronously(on: executor) } }
        jobs.add { [forTasks] in
            job.runSynchronously(isolatedTo: executor, taskExecutor: forTasks.asUnownedTaskExecutor())
        }
    }

    /// Whether the queue's work runs on the thread of a caller that must not block.
    var isVisited: Bool { jobs.isVisited }

    /// Runs the work that `body` resumes on the calling thread, which saves its caller two switches of threads. If the
    /// queue is at work, the caller waits for that.
    ///
    /// The work has to call ``endVisit()`` before it does anything that may block, and before it does anything that the
    /// caller does not wait for.
    func visit(_ body: () -> Void) { jobs.visit(body) }

    /// Continues on a thread of the queue's own. Called on the queue.
    nonisolated(nonsending) func endVisit() async {
        guard isVisited else { return }
        await withUnsafeContinuation { resumeAfterVisit($0) }
    }

    /// Resumes work on a thread of the queue's own. Called on the queue, in the body of the continuation.
    func resumeAfterVisit(_ continuation: UnsafeContinuation<Void, Never>) {
        guard isVisited else { return continuation.resume() }
        leave()
        resumeBehindVisit(continuation)
    }

    /// Resumes work that began to wait during a visit, once that visit has ended. Called on any thread.
    func resumeBehindVisit(_ continuation: UnsafeContinuation<Void, Never>) {
        // Work that is resumed before its wait begins continues where it is, without a job.
        queue.async { continuation.resume() }
    }

    /// Ends the visit, if there is one, without more work. Called on the queue.
    func leave() { jobs.endVisit() }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

/// A separate class: with the serial executor as its task executor, every task would leave the queue and come back.
private final class QueueTaskExecutor: TaskExecutor {
    private let jobs: QueueJobs

    init(_ jobs: QueueJobs) {
        self.jobs = jobs
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// The jobs of one serial queue.
private final class QueueJobs: @unchecked Sendable {
    // Sendable: everything but `queue` and `thread` is accessed on the queue only.

    typealias Job = @Sendable () -> Void

    let queue: DispatchQueue
    /// Whether the calling thread is a visitor's.
    private(set) var isVisited = false
    /// What a visitor's thread runs next.
    private var next: Job?
    /// The thread that runs a job, or 0. Only that thread writes its own identity.
    private let thread = Atomic<UInt>(0)

    /// Identifies the queue that the calling thread is on.
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    init(_ queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    private var isOnQueue: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

    /// A job may run code on another queue and wait for it, which then runs on the job's thread.
    var isCurrent: Bool { isOnQueue || thread.load(ordering: .relaxed) == currentThreadID() }

    func add(_ job: @escaping Job) {
        if isOnQueue, isVisited, next == nil { next = job } else { queue.async { self.run(job) } }
    }

    private func run(_ body: () -> Void) {
        thread.store(currentThreadID(), ordering: .relaxed)
        body()
        thread.store(0, ordering: .relaxed)
    }

    func visit(_ body: () -> Void) {
        queue.sync {
            run {
                isVisited = true
                body()
                while let job = next {
                    next = nil
                    job()
                }
                isVisited = false
            }
        }
    }

    /// Makes the next job run on a thread of the queue's own.
    func endVisit() { isVisited = false }
}
