import Dispatch
import Synchronization

/// Counts the subscribers that have received a value.
final class Counter: Sendable {
    private let expected = Atomic<Int>(-1)
    private let missing = Atomic<Int>(0)
    private let arrival = Atomic<UInt64>(0)
    private let everybody = DispatchSemaphore(value: 0)

    func expect(_ value: Int, by count: Int) {
        arrival.store(0, ordering: .relaxed)
        missing.store(count, ordering: .relaxed)
        expected.store(value, ordering: .releasing)
    }

    func received(_ value: Int) {
        guard value == expected.load(ordering: .acquiring) else { return }
        guard missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        arrival.store(nanoseconds(), ordering: .releasing)
        everybody.signal()
    }

    /// When the last subscriber received it; 0 if not within the time.
    func wait(seconds: Double = 5) -> UInt64 {
        let deadline = DispatchTime.now() + seconds
        // A signal may be left over from a value that came too late.
        while arrival.load(ordering: .acquiring) == 0, everybody.wait(timeout: deadline) == .success {}
        return arrival.load(ordering: .acquiring)
    }
}
