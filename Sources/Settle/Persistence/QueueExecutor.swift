import Dispatch

/// An executor on a serial dispatch queue of its own.
///
/// Storage calls block, so they don't belong on the threads that run an app's tasks. And a flush from a signal handler must
/// work even if all of those are blocked: it enters the queue directly.
final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "settle.persister")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
