/// Waits for a condition that nothing announces. It yields and does not sleep, so it works with manual clocks, and it
/// ends with an error that names the condition after five minutes of real time, or when the test is cancelled.
func eventually(
    _ what: String, file: StaticString = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        guard !Task.isCancelled, .now < end else { throw NeverHappened(what: what, file: "\(file)", line: line) }
        await Task.yield()
    }
}

/// A condition that a test waited for in vain.
private struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let file: String
    let line: Int

    var description: String { "Waited in vain until \(what), at \(file):\(line)." }
}
