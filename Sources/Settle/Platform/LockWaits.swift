/// Records which threads wait for which writer locks, to detect deadlocks.
///
/// A thread that holds one store's lock may wait for another's. If a second thread does the same in the opposite order,
/// neither can continue. Only waiting threads are recorded, so taking a free lock costs nothing.
enum LockWaits {
    private static let waits = LockedValue<[UInt: RecursiveLock]>([:])

    /// Records that a thread is about to wait for a lock. Ends the program if that closes a cycle: it would hang
    /// forever.
    static func begin(_ thread: UInt, for lock: RecursiveLock) {
        let isCircle = waits.withLock { waits in
            waits[thread] = lock
            // The last thread to join a cycle sees all of it. Each owner in it waits, so ownership can't change
            // meanwhile.
            var owner = lock.currentOwner
            for _ in 0..<waits.count {
                if owner == thread { return true }
                guard let next = waits[owner] else { return false }
                owner = next.currentOwner
            }
            return owner == thread
        }
        guard isCircle else { return }
        // Proof: every thread of the cycle waits for the next one, and holds the lock that its predecessor needs, so
        // none of them could ever continue. This thread's stack holds its callers' work, which can't be undone from
        // here.
        fatalError(
            "Stores are written inside each other in opposite orders: this thread writes to one store inside a write to another, "
                + "and another thread does the opposite, so they would wait for each other forever. Write to the stores one "
                + "after the other, or always nest them in the same order.")
    }

    static func end(_ thread: UInt) {
        waits.withLock { _ = $0.removeValue(forKey: thread) }
    }
}
