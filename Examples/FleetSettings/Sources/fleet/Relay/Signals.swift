import FleetMachines
import Synchronization

/// Whether a signal to end has come.
final class Signals: Sendable {
    private let watch = Mutex<SignalWatch?>(nil)
    private let came = Mutex<CInt?>(nil)

    /// The first one that has come.
    var number: CInt? { came.withLock { $0 } }

    /// The signals no longer end the process by themselves.
    static func end() -> Signals {
        let signals = Signals()
        let watch = SignalWatch { [weak signals] number in signals?.came.withLock { $0 = $0 ?? number } }
        signals.watch.withLock { $0 = watch }
        return signals
    }

    /// Waits for one of them, or until the task is cancelled.
    func come() async { while !Task.isCancelled, await !hasCome(within: .seconds(3_600)) {} }

    func hasCome(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while number == nil, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
        return number != nil
    }
}
