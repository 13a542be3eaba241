import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The time of a machine in a test or demonstration: it passes, and reboots, on request.
public final class SimulatedTime: MachineTime {
    private struct Sleeper {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var boot = 1
        var uptime: Duration
        var date: Date
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        /// Cancelled before they slept.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    public init(uptime: Duration = .seconds(1_000), date: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        state = Mutex(State(uptime: uptime, date: date))
    }

    /// Lets time pass on every clock.
    public func advance(by duration: Duration) {
        change { state in
            state.uptime += duration
            state.date += duration / .seconds(1)
        }
    }

    /// Sets the wall clock.
    public func setWallClock(forwardBy duration: Duration) {
        change { $0.date += duration / .seconds(1) }
    }

    /// Turns the machine off for a while, and boots it again.
    public func reboot(off duration: Duration = .seconds(30)) {
        change { state in
            state.boot += 1
            state.uptime = .zero
            state.date += duration / .seconds(1)
        }
    }

    public func now() -> Moment {
        state.withLock { Moment(bootID: "boot-\($0.boot)", uptime: $0.uptime, date: $0.date) }
    }

    public func sleep(untilUptime deadline: Duration) async throws {
        let number = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(number) != nil || deadline <= state.uptime { return true }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    /// Changes the time and wakes the sleepers that are due; after a reboot, all of them.
    private func change(_ body: (inout State) -> Void) {
        let woken = state.withLock { state in
            let boot = state.boot
            body(&state)
            let due = state.sleepers.filter { state.boot != boot || $0.value.deadline <= state.uptime }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
