package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A clock that stands still until a test advances it.
///
/// Pass it to the code under test, wait until that code sleeps, then advance:
///
/// ```swift
/// let clock = ManualClock()
/// let store = try await SettingsStore.open(
///     storage: storage, configuration: .init(clock: clock))
/// …
/// await clock.sleepers(atLeast: 1)
/// clock.advance(by: .seconds(1))
/// ```
public final class ManualClock: Clock, Sendable {
    /// A moment, as the time since the clock's creation.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The time from the clock's creation to this moment.
        public var sinceStart: Duration

        /// Creates a moment from the time since the clock's creation.
        public init(sinceStart: Duration) {
            self.sinceStart = sinceStart
        }

        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        public func duration(to other: Instant) -> Duration {
            other.sinceStart - sinceStart
        }

        public static func < (left: Instant, right: Instant) -> Bool {
            left.sinceStart < right.sinceStart
        }

        public var description: String { "\(sinceStart) after the start" }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(sinceStart: .zero)
        /// The moment at which the machine booted, and which boot it was.
        var boot = (number: 1, start: Instant(sinceStart: .zero))
        /// The seconds by which the wall clock was set forward.
        var wallClockShift = 0.0
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0

        /// Removes and returns the sleepers whose deadline has come, earliest first.
        mutating func takeDue() -> [Sleeper] {
            let due = sleepers.filter { $0.value.deadline <= now }
            for number in due.keys { sleepers[number] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
    }

    private let state = WatchedValue(State())
    /// A random number that distinguishes its boots from those of other machines.
    private let machine = UInt64.random(in: .min ... .max)
    /// The wall time at its creation.
    private let startDate = Date().timeIntervalSinceReferenceDate

    /// Creates a clock at time zero.
    public init() {}

    public var now: Instant {
        state.value.now
    }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the clock has been advanced to the deadline. The tolerance is not used.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.update { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let mustSleep = state.update { state in
                    // The flag is set before the handler below runs, so one of the two sees the cancellation.
                    if Task.isCancelled || deadline <= state.now { return false }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return true
                }
                if !mustSleep { continuation.resume() }
            }
        } onCancel: {
            state.update { $0.sleepers.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }

    /// Advances the time and wakes every sleeper whose deadline has come.
    ///
    /// It does not wait for the work that they then do. A sleeper that goes to sleep again within the same span sleeps
    /// on from the new time: to see each of several periods end, advance once for each.
    public func advance(by duration: Duration) {
        let due = state.update { state in
            state.now.sinceStart += max(.zero, duration)
            return state.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves the time back, as when a clock is set. Sleepers sleep until their deadline comes again.
    public func goBack(by duration: Duration) {
        state.update { $0.now.sinceStart -= max(.zero, duration) }
    }

    /// Sets the wall clock of the machine, which decides how long an unconfirmed commit still stands after a restart of
    /// the machine. Sleepers and the times of changes are not affected.
    ///
    /// - Parameter duration: The time to move forward; negative to move back.
    public func setWallClock(forwardBy duration: Duration) {
        state.update { $0.wallClockShift += duration / .seconds(1) }
    }

    /// Restarts the machine: from now on it is in another boot. Open stores belong to processes of the previous boot,
    /// so close or release them first.
    ///
    /// - Parameter duration: How long the machine is off, by the wall clock.
    public func reboot(off duration: Duration = .zero) {
        state.update { state in
            state.boot = (state.boot.number + 1, state.now)
            state.wallClockShift += duration / .seconds(1)
        }
    }

    /// The deadlines of all current sleepers, earliest first.
    public var deadlines: [Instant] {
        state.value.sleepers.values.map(\.deadline).sorted()
    }

    /// Waits until at least this many tasks sleep, or until the task is cancelled.
    public func sleepers(atLeast count: Int) async {
        _ = await state.value { $0.sleepers.count >= count }
    }

    /// Waits until the deadlines of all sleepers, earliest first, meet a condition, or until the task is cancelled.
    public func deadlines(when condition: @escaping @Sendable ([Instant]) -> Bool) async {
        _ = await state.value { condition($0.sleepers.values.map(\.deadline).sorted()) }
    }
}

extension ManualClock: MachineClock {
    package var moment: MachineMoment {
        let state = state.value
        return MachineMoment(
            boot: "manual-\(machine)-\(state.boot.number)", uptime: state.boot.start.duration(to: state.now),
            time: startDate + state.now.sinceStart / .seconds(1) + state.wallClockShift)
    }
}
