import Synchronization

/// Counts the requests of clients that were not admitted, and decides which of them are reported: ten at once, and then
/// one every ten seconds, so that nobody can fill a disk.
final class RefusalCounts: Sendable {
    private struct State {
        var counts: [APIRefusal.Reason: UInt64] = [:]
        /// How many reports are left, of at most ten.
        var reports = 10.0
        var lastTime: Double?
        var unreported = 0
    }

    private static let interval = 10.0
    private static let burst = 10.0
    private let state = Mutex(State())

    var counts: [APIRefusal.Reason: UInt64] { state.withLock { $0.counts } }

    /// Counts a refusal.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: How many were not reported since the last report; `nil` if this one is not reported either.
    func count(_ reason: APIRefusal.Reason, at now: Double) -> Int? {
        state.withLock { state in
            state.counts[reason, default: 0] += 1
            let passed = max(0, now - (state.lastTime ?? now))
            state.reports = min(Self.burst, state.reports + passed / Self.interval)
            state.lastTime = now
            guard state.reports >= 1 else {
                state.unreported += 1
                return nil
            }
            state.reports -= 1
            defer { state.unreported = 0 }
            return state.unreported
        }
    }
}
