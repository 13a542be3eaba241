import Dispatch

/// Runs work that may block for long while the caller waits without blocking anything: neither the caller's actor, nor
/// a thread of the concurrency runtime, nor the threads on which other stores save.
///
/// Each call has a queue of its own, which occupies a thread for as long as the work lasts.
func runBlocking<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
    let result = await withCheckedContinuation { continuation in
        DispatchQueue(label: "settle.blocking").async {
            continuation.resume(returning: outcome(of: work))
        }
    }
    return try result.get()
}

private func outcome<Result, Failure: Error>(
    of work: () throws(Failure) -> Result
) -> Swift.Result<Result, Failure> {
    do throws(Failure) {
        return .success(try work())
    } catch {
        return .failure(error)
    }
}
