package import SettleTesting

/// Waits for a condition that nothing announces. It yields and does not sleep, so it works with manual clocks, and it
/// ends with an error that names the condition after five minutes of real time, or when the test is cancelled:
///
///     try await eventually("the lock is requested") { await store.lockWaitCount > 0 }
///
/// - Parameters:
///   - what: The condition in words, for the error.
///   - clock: A clock to advance by `step` after each check that fails.
package func eventually(
    _ what: String, advancing clock: ManualClock? = nil, by step: Duration = .zero, file: StaticString = #fileID,
    line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        guard !Task.isCancelled, .now < end else { throw NeverHappened(what: what, file: "\(file)", line: line) }
        clock?.advance(by: step)
        await Task.yield()
    }
}

/// A condition that a test waited for in vain.
package struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let file: String
    let line: Int

    package var description: String { "Waited in vain until \(what), at \(file):\(line)." }
}
