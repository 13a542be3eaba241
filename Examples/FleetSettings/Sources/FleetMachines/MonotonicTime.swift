import Dispatch

/// The clock that all processes of a machine share.
package enum MonotonicTime {
    /// Nanoseconds since a moment before all processes started.
    package static func now() -> Int { Int(DispatchTime.now().uptimeNanoseconds) }

    /// Waits until something holds, and looks every few milliseconds.
    ///
    /// - Returns: Whether it holds.
    package static func wait(
        atMost limit: Duration, for condition: @Sendable () async throws -> Bool
    ) async rethrows -> Bool {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            if try await condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return try await condition()
    }
}
