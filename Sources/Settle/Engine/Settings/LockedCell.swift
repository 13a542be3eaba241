import Synchronization

/// A published value that is larger than a machine word, or not plain memory.
///
/// A writer holds the lock only to exchange the value, never while it computes one, so readers do not wait for a
/// writer's work. The cell is a part of its box rather than an object, because reference counting would cost a reader
/// more than the lock.
@usableFromInline
struct LockedCell<Value: Sendable>: ~Copyable, @unchecked Sendable {
    // Sendable: the pointer is constant, and its memory is written under both the writer's lock and `lock`, and read
    // under either.
    @usableFromInline let lock = SpinLock()
    /// `nil` in a box whose value fits into its word.
    @usableFromInline let pointer: UnsafeMutablePointer<Value>?

    @inline(__always)
    init() { pointer = nil }

    init(_ value: Value) {
        let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        pointer.initialize(to: value)
        self.pointer = pointer
    }

    /// Releases the value and its memory. A `deinit` would look up the cell's type for each box that ends.
    @inline(__always)
    func end() {
        pointer?.deinitialize(count: 1)
        pointer?.deallocate()
    }

    /// Exchanges the value and raises its version, in one step; the old value is released after the lock.
    func store(_ value: consuming Value, version: borrowing Atomic<UInt64>) {
        guard let pointer else { return }
        lock.lock()
        let old = pointer.move()
        pointer.initialize(to: value)
        version.store(version.load(ordering: .relaxed) &+ 2, ordering: .releasing)
        lock.unlock()
        _ = consume old
    }
}
