import Settle

/// Ends work that takes too long.
enum Deadline {
    /// The time is over.
    struct Exceeded: Error {
        var after: Duration
    }

    /// Runs work, and cancels it when it takes longer than a time. Waits for it to end even then.
    static func run<Value: Sendable>(
        within limit: Duration, by time: TimeSource, _ work: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        let due = time.elapsed() + limit
        return await withTaskGroup(of: Result<Value, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await work()) } catch { return .failure(error) }
            }
            group.addTask {
                // An error only means that the work has ended.
                try? await time.sleep(due)
                return nil
            }
            var (result, isOver): (Result<Value, any Error>?, Bool) = (nil, false)
            for await ended in group {
                if let ended { result = ended } else if result == nil { isOver = true }
                group.cancelAll()
            }
            if isOver, case .failure? = result, !Task.isCancelled { return .failure(Exceeded(after: limit)) }
            return result ?? .failure(Exceeded(after: limit))
        }
    }
}
