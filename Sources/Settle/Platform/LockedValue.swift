/// A value that is only accessed under a lock.
///
/// Like `Synchronization.Mutex`, with a lock that the thread sanitizer understands; see ``Lock``.
package final class LockedValue<Value: Sendable>: @unchecked Sendable {
    // Sendable: the value is only accessed while the lock is held, and may be handed to any thread.
    private var value: Value
    private let lock = Lock()

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// - Returns: `nil` if the lock is taken.
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard lock.tryLock() else { return nil }
        defer { lock.unlock() }
        return try body(&value)
    }
}
