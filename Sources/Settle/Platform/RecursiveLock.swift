import Synchronization

/// A lock that its owner may take again, and that can tell whether the caller is its owner.
///
/// The owner's identity is written only by the thread that has the lock, so a thread that compares it with its own
/// identity can't be misled: it reads its own last write or somebody else's identity.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {
    // Sendable: `deferred` is touched only by the thread that has the lock.
    private let base = Lock()
    private let owner = Atomic<UInt>(0)
    /// Written only by the owner; atomic so that the sanitizer need not be told.
    private let depth = Atomic<Int>(0)
    @exclusivity(unchecked) private var deferred: [@Sendable () -> Void] = []

    package init() {}

    package var isHeldByCurrentThread: Bool {
        owner.load(ordering: .relaxed) == currentThreadID()
    }

    /// Whether the owner has taken the lock more than once. Only for the owner.
    package var isNested: Bool {
        depth.load(ordering: .relaxed) > 0
    }

    // Never inlined, like `unlock`: inlined, the caller counts a reference to the lock for its atomics, which costs more than
    // the call.
    @usableFromInline
    @inline(never)
    package func lock() {
        let me = currentThreadID()
        if owner.load(ordering: .relaxed) == me {
            depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
            return
        }
        base.lock()
        owner.store(me, ordering: .relaxed)
    }

    package func tryLock() -> Bool {
        if isHeldByCurrentThread {
            lock()
            return true
        }
        guard base.tryLock() else { return false }
        owner.store(currentThreadID(), ordering: .relaxed)
        return true
    }

    @usableFromInline
    @inline(never)
    package func unlock() {
        precondition(
            isHeldByCurrentThread,
            "A write ended on another thread than it began on. A setting can't be passed inout to an async function: "
                + "copy its value, and assign the result.")
        let depth = depth.load(ordering: .relaxed)
        if depth > 0 {
            self.depth.store(depth - 1, ordering: .relaxed)
            return
        }
        if deferred.isEmpty {
            owner.store(0, ordering: .relaxed)
            base.unlock()
        } else {
            unlockAndRunDeferred()
        }
    }

    /// Runs work once the lock has been given up, however often its owner has taken it. Only for the owner.
    ///
    /// A write may be a part of another write, and whoever is woken or told by the inner one must not run under the lock of
    /// the outer one.
    package func afterUnlock(_ work: @escaping @Sendable () -> Void) {
        deferred.append(work)
    }

    @inline(never)
    private func unlockAndRunDeferred() {
        let work = deferred
        deferred = []
        owner.store(0, ordering: .relaxed)
        base.unlock()
        for run in work { run() }
    }
}
