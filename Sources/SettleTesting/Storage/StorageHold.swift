import Dispatch

/// Stops one call to a ``FailingStorage`` in the middle, so that a test can look at what happens meanwhile.
///
/// The call blocks its thread until ``release()``.
public final class StorageHold: Sendable {
    private let isReached = WatchedValue(false)
    private let gate = DispatchSemaphore(value: 0)

    init() {}

    /// Waits until a call has come and is being held.
    public func waitUntilReached() async {
        _ = await isReached.value { $0 }
    }

    /// Lets the call go on. A hold that is released before a call has come does not stop it.
    public func release() {
        gate.signal()
    }

    func pass() {
        isReached.update { $0 = true }
        gate.wait()
    }
}
