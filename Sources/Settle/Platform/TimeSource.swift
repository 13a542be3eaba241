#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store's clock: wall time to show, elapsed time for delays.
package struct TimeSource: Sendable {
    /// Wall time in seconds since the reference date, for a clock other than the system's.
    let isSystem: Bool
    private let simulated: (@Sendable () -> Double)?
    /// Time since the source was made. It never goes back, whatever the clock does.
    package let elapsed: @Sendable () -> Duration
    /// The readings of the machine's clocks, which other processes and later boots can compare.
    package let moment: @Sendable () -> MachineMoment
    /// How often the clock has gone back. A sleep that began before such a jump may last too long.
    let jumps: @Sendable () -> Int
    /// Sleeps until an elapsed time; throws if the task is cancelled.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// The timer queue of the system's clock; `nil` for any other clock, which may jump, and whose sleepers can be
    /// counted.
    let alarms: Alarms?

    package init(_ clock: any Clock<Duration>) {
        self = Self.make(clock)
    }

    private init(
        simulated: (@Sendable () -> Double)?, elapsed: @escaping @Sendable () -> Duration,
        moment: @escaping @Sendable () -> MachineMoment, jumps: @escaping @Sendable () -> Int,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        isSystem = simulated == nil
        self.simulated = simulated
        self.elapsed = elapsed
        self.moment = moment
        self.jumps = jumps
        self.sleep = sleep
        alarms = isSystem ? Alarms(elapsed: elapsed, sleep: sleep) : nil
    }

    private static func system(_ clock: ContinuousClock) -> TimeSource {
        let start = clock.now
        return TimeSource(
            simulated: nil, elapsed: { start.duration(to: clock.now) }, moment: MachineMoment.now, jumps: { 0 },
            sleep: { until in try await clock.sleep(until: start.advanced(by: until), tolerance: nil) })
    }

    private static func make<C: Clock>(_ clock: C) -> TimeSource where C.Duration == Duration {
        // Not as one of any type: each commit reads the clock several times.
        if let clock = clock as? ContinuousClock { return system(clock) }
        let start = clock.now
        let startDate = Date().timeIntervalSinceReferenceDate
        let steady = LockedValue(SteadyTime())
        let elapsed: @Sendable () -> Duration = {
            let reading = start.duration(to: clock.now)
            return steady.withLock { $0.elapsed(at: reading) }
        }
        let sleep: @Sendable (Duration) async throws -> Void = { until in
            let lag = steady.withLock { $0.lag }
            try await clock.sleep(until: start.advanced(by: until - lag), tolerance: nil)
        }
        return TimeSource(
            simulated: { startDate + elapsed().inSeconds }, elapsed: elapsed, moment: moments(of: clock, elapsed),
            jumps: { steady.withLock { $0.jumps } }, sleep: sleep)
    }

    /// Returns the moments of a clock. A clock without a machine of its own continues from the machine's current
    /// readings.
    private static func moments(
        of clock: any Clock<Duration>, _ elapsed: @escaping @Sendable () -> Duration
    ) -> @Sendable () -> MachineMoment {
        if let clock = clock as? any MachineClock { return { clock.moment } }
        let start = MachineMoment.now()
        return {
            let passed = elapsed()
            return MachineMoment(
                boot: start.boot, uptime: start.uptime + passed, time: start.time + passed.inSeconds)
        }
    }

    /// Wall time in seconds since the reference date; `isExact` is that of ``wallTime(isExact:)``.
    // Inlined, so that a write, which reads the system's clock, does not copy this structure to pass it.
    @inline(__always)
    package func now(isExact: Bool = true) -> Double {
        isSystem ? wallTime(isExact: isExact) : simulatedTime()
    }

    @inline(never)
    private func simulatedTime() -> Double { simulated?() ?? 0 }
}

/// Derives a time that never goes back from the readings of a clock that may.
struct SteadyTime {
    private var latest = Duration.zero
    /// How far the clock is behind the time already shown.
    private(set) var lag = Duration.zero
    private(set) var jumps = 0

    /// Readings of two threads may arrive in the wrong order; that is no jump.
    private static let tolerance = Duration.milliseconds(1)

    mutating func elapsed(at reading: Duration) -> Duration {
        if reading < latest - Self.tolerance {
            lag += latest - reading
            jumps += 1
            latest = reading
        }
        latest = max(latest, reading)
        return latest + lag
    }
}

extension Duration {
    /// Practically forever. Sums of a few of these, and this times 2^30, are still durations.
    static let endless = Duration.seconds(100 * 365 * 86_400)

    /// The duration, limited to the range from zero to ``endless``.
    var bounded: Duration { min(max(self, .zero), .endless) }

    /// A number of seconds as a bounded duration.
    static func bounded(seconds: Double) -> Duration {
        seconds < Duration.endless.inSeconds ? .seconds(max(0, seconds)) : .endless
    }

    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
