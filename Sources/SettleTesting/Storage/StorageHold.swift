import Dispatch

/// Stops one call to a ``FailingStorage`` midway, so that a test can observe what happens meanwhile.
///
/// The call blocks its thread until ``release()``.
public final class StorageHold: Sendable {
    private let isReached = WatchedValue(false)
    private let gate = DispatchSemaphore(value: 0)

    init() {}

    /// Waits until a call has arrived and is being held.
    public func waitUntilReached() async {
        _ = await isReached.value { $0 }
    }

    /// Lets the call continue. A hold that is released before a call has arrived does not stop it.
    public func release() {
        gate.signal()
    }

    func pass() {
        isReached.update { $0 = true }
        gate.wait()
    }
}
