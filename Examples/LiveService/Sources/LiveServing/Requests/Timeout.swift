/// Runs an operation, and cancels it after a time-out.
///
/// - Throws: The operation's error; ``TimeoutError`` if the time ran out first.
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

/// An operation took longer than allowed.
struct TimeoutError: Error {
    let timeout: Duration
}
