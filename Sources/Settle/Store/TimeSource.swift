#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store's clock: wall time for people, elapsed time for delays.
package struct TimeSource: Sendable {
    /// Wall time in seconds since the reference date, for a clock other than the system's.
    private let isSystem: Bool
    private let simulated: (@Sendable () -> Double)?
    /// Time since the source was made.
    package let elapsed: @Sendable () -> Duration
    /// Sleeps until an elapsed time; throws if the task is cancelled.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    package init(_ clock: any Clock<Duration>) {
        self = Self.make(clock)
    }

    private init(
        simulated: (@Sendable () -> Double)?, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        isSystem = simulated == nil
        self.simulated = simulated
        self.elapsed = elapsed
        self.sleep = sleep
    }

    private static func make<C: Clock>(_ clock: C) -> TimeSource where C.Duration == Duration {
        let start = clock.now
        let startDate = Date().timeIntervalSinceReferenceDate
        let elapsed: @Sendable () -> Duration = { start.duration(to: clock.now) }
        let sleep: @Sendable (Duration) async throws -> Void = { until in
            try await clock.sleep(until: start.advanced(by: until), tolerance: nil)
        }
        var simulated: (@Sendable () -> Double)?
        if !(clock is ContinuousClock) { simulated = { startDate + elapsed().inSeconds } }
        return TimeSource(simulated: simulated, elapsed: elapsed, sleep: sleep)
    }

    /// Wall time in seconds since the reference date; `isExact` is that of ``wallTime(isExact:)``.
    package func now(isExact: Bool = true) -> Double {
        // Asked first, because looking at the closure would count a reference to it.
        if isSystem { return wallTime(isExact: isExact) }
        return simulated?() ?? 0
    }
}

extension Duration {
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
