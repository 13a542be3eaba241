/// Runs an operation, and cancels it when a time has passed.
///
/// - Throws: What the operation throws; ``TimeoutError`` if the time was over first.
func withTimeout<Result: Sendable>(
    _ timeout: Duration, clock: any Clock<Duration>, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(for: timeout)
            throw TimeoutError(timeout: timeout)
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

/// An operation took longer than it may.
struct TimeoutError: Error {
    let timeout: Duration
}
