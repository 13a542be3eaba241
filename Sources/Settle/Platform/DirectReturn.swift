/// Suspends a task of an actor, so that the thread that resumes the task also returns it to the actor.
///
/// Swift resumes a continuation on a thread of the concurrency runtime, and only there moves the task on to an actor
/// with an executor of its own, such as the main actor. That wakes a thread more, and never happens while all threads
/// of the runtime are blocked. Here the task waits on an executor that runs jobs on the thread that enqueues them. So
/// the resuming thread runs what is left of ``wait(_:)``, and enqueues the task on its actor's executor.
///
/// Its executor excludes nothing, so each wait has an actor of its own, which has no state.
actor DirectReturn {
    nonisolated var unownedExecutor: UnownedSerialExecutor { CallingThread.executor.asUnownedSerialExecutor() }

    /// Suspends the task until the continuation is resumed.
    ///
    /// - Parameter body: Gets the continuation. It must not be resumed by the handler of a cancellation: the runtime
    ///   holds the lock of the task's records then, and the return needs it.
    func wait(_ body: @Sendable (UnsafeContinuation<Void, any Error>) -> Void) async throws {
        try await withTaskExecutorPreference(CallingThread.forTasks) {
            // Captured, so that the closure runs on this actor.
            _ = self
            try await withUnsafeThrowingContinuation(body)
        }
    }
}

/// Runs each job on the thread that enqueues it.
private final class CallingThread: SerialExecutor {
    static let executor = CallingThread()
    static let forTasks = CallingThreadOfTasks()

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
}

/// Resumes tasks as ones of ``CallingThread``, which saves them a switch of executors.
private final class CallingThreadOfTasks: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(
            isolatedTo: CallingThread.executor.asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
}
