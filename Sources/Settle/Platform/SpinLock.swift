#if canImport(Darwin)
    import os
#else
    public import Synchronization
#endif

/// A lock for a handful of instructions: copying or exchanging one value.
///
/// On Linux it is a word that is exchanged, which costs half of what a mutex does (one locked instruction instead of two,
/// and no call). A thread that waits gives the processor away, to one of a lower priority too, since the owner may have been
/// suspended inside; see ``SpinBackOff``. Apple's systems have a lock for this purpose that also lends the owner the waiter's
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

        // Never inlined: a copy that was made under the lock must have counted its references before the lock is given up,
        // and the optimizer moves that counting behind an inlined store, but not behind a call that it can't see through.
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
