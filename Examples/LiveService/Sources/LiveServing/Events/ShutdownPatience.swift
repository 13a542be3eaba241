import ServiceLifecycle

/// Runs an operation that ends by itself when the service stops, and cancels it if it takes too long.
///
/// - Throws: The operation's error; `CancellationError` if the time ran out first.
func withPatienceAtShutdown(
    _ patience: Duration, clock: any Clock<Duration>, _ operation: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await gracefulShutdown()
            try await clock.sleep(for: patience)
            throw CancellationError()
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}
