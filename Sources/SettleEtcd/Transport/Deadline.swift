import Settle

/// Ends work that takes too long.
enum Deadline {
    /// The deadline has passed.
    struct Exceeded: Error, CustomStringConvertible {
        var after: Duration

        /// The end of a sentence.
        var description: String { "there was no answer within \(after)" }
    }

    /// Runs work, and cancels it when it exceeds a time. Waits for it to end even then.
    static func run<Value: Sendable>(
        within limit: Duration, by time: TimeSource, _ work: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        let (result, isOver) = await time.run(until: time.elapsed() + limit, work)
        if isOver, case .failure = result, !Task.isCancelled { return .failure(Exceeded(after: limit)) }
        return result
    }
}
