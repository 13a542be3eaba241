import Dispatch

/// Runs work that may block for long. The caller waits without blocking anything: neither its actor, nor a thread of
/// the concurrency runtime, nor the threads on which other stores save.
///
/// Each call has a queue of its own, which occupies a thread for as long as the work lasts.
package func runBlocking<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let executor = QueueExecutor(label: "settle.blocking")
    defer { withExtendedLifetime(executor) {} }
    // Not as the task's value, which the task keeps for a moment after its end: a store handle that is released
    // meanwhile would still count as open.
    let result = LockedValue<Result<Value, Failure>?>(nil)
    await Task.detached(executorPreference: executor.forTasks) {
        do throws(Failure) {
            let value = try await work()
            result.withLock { $0 = .success(value) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
    }.value
    guard let found = result.withLock({ $0.take() }) else {
        preconditionFailure("The work has ended without a result.")
    }
    return try found.get()
}

/// Runs work while the calling thread waits, for a caller that can't wait asynchronously. The work needs no thread of
/// the concurrency runtime, so it ends even if all of those wait here.
package func waitForBlocking<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let executor = QueueExecutor(label: "settle.waiting")
    let outcome = LockedValue<Result<Value, any Error>>(.failure(CancellationError()))
    let end = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: executor.forTasks) {
        do {
            let value = try await work()
            outcome.withLock { $0 = .success(value) }
        } catch {
            outcome.withLock { $0 = .failure(error) }
        }
        end.signal()
    }
    end.wait()
    return try withExtendedLifetime(executor) { try outcome.withLock { $0 }.get() }
}
