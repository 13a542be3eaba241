/// Runs an operation, and cancels it when a sequence ends first.
func withCancellation(
    after end: AsyncStream<Never>, _ operation: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            for await _ in end {}
            throw CancellationError()
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}
