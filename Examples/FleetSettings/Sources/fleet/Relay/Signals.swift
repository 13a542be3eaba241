import FleetMachines
import Synchronization

/// Whether a signal to end has come.
final class Signals: Sendable {
    private let watch = Mutex<SignalWatch?>(nil)
    private let flag = Mutex(false)

    /// The signals no longer end the process by themselves.
    static func end() -> Signals {
        let signals = Signals()
        let watch = SignalWatch { [weak signals] _ in signals?.flag.withLock { $0 = true } }
        signals.watch.withLock { $0 = watch }
        return signals
    }

    /// Waits for one of them, or until the task is cancelled.
    func come() async { while !Task.isCancelled, await !hasCome(within: .seconds(3_600)) {} }

    func hasCome(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while !flag.withLock({ $0 }), ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
        return flag.withLock { $0 }
    }
}
