import Synchronization

/// A published value that is larger than a machine word, or not plain memory.
///
/// A writer has the lock only for exchanging the value, never while it computes one, so a reader does not wait for a
/// writer's work.
@usableFromInline
final class LockedCell<Value: Sendable>: @unchecked Sendable {
    // Sendable: the pointer is constant, and its memory is written under both the writer's lock and `lock`, and read
    // under either.
    @usableFromInline let lock = SpinLock()
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    init(_ value: Value) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: value)
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    @inlinable
    func load() -> Value {
        lock.lock()
        defer { lock.unlock() }
        return pointer.pointee
    }

    /// Exchanges the value and raises its version, in one step; the old value is released after the lock.
    func store(_ value: consuming Value, version: borrowing Atomic<UInt64>) {
        lock.lock()
        let old = pointer.move()
        pointer.initialize(to: value)
        version.store(version.load(ordering: .relaxed) &+ 2, ordering: .releasing)
        lock.unlock()
        _ = consume old
    }
}
