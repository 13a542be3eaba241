/// Stops one call to a ``FailingStorage`` midway, so that a test can observe other work meanwhile.
public final class StorageHold: Sendable {
    private let isReached = WatchedValue(false)
    private let isReleased = WatchedValue(false)

    init() {}

    /// Waits until a call has arrived and is being held.
    public func waitUntilReached() async {
        _ = await isReached.value { $0 }
    }

    /// Lets the call continue. A hold that is released before a call has arrived does not stop it.
    public func release() {
        isReleased.update { $0 = true }
    }

    /// Waits until the hold is released. Not cancellable: a call to a storage ends when the storage ends it.
    func pass() async {
        isReached.update { $0 = true }
        await Task { _ = await isReleased.value { $0 } }.value
    }
}
