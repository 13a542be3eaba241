#if canImport(Darwin)
    import os
#else
    public import Synchronization
#endif

/// A lock for a handful of instructions: copying or exchanging one value.
///
/// On Linux it is one exchanged word, which costs half of a mutex (one locked instruction instead of two, and no call).
/// A waiting thread yields the processor, even to a thread of a lower priority, since the owner may have been suspended
/// inside; see ``SpinBackOff``. Apple's systems have a lock for this purpose that also lends the owner the waiter's
/// priority.
@usableFromInline
struct SpinLock: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let base = OSAllocatedUnfairLock()

        @usableFromInline func lock() { base.lock() }
        @usableFromInline func unlock() { base.unlock() }
    #else
        @usableFromInline let isTaken = Atomic<Bool>(false)

        @inlinable
        func lock() {
            if isTaken.exchange(true, ordering: .acquiring) { wait() }
        }

        // Never inlined: a copy made under the lock must have retained its references before the lock is released, and
        // the optimizer moves that retain past an inlined store, but not past an opaque call.
        @usableFromInline
        @inline(never)
        func unlock() {
            isTaken.store(false, ordering: .releasing)
        }

        @usableFromInline
        func wait() {
            var backOff = SpinBackOff()
            repeat {
                backOff.pause()
            } while isTaken.load(ordering: .relaxed) || isTaken.exchange(true, ordering: .acquiring)
        }
    #endif

    init() {}
}
