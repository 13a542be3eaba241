import Synchronization

/// A lock that its owner may take again, and that knows whether the caller is its owner.
///
/// Only the thread that holds the lock writes the owner's identity. So a thread that compares it with its own identity
/// can't be misled: it reads its own last write or another thread's identity.
///
/// A thread that keeps retaking the lock would starve waiters that must not block a thread: ``LockHandOff`` serves
/// these.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {
    // Sendable: `deferred` is accessed only by the thread that holds the lock.
    private let base = Lock()
    private let owner = Atomic<UInt>(0)
    /// Written only by the owner; atomic so that the thread sanitizer needs no exception.
    private let depth = Atomic<Int>(0)
    @exclusivity(unchecked) private var deferred: [@Sendable () -> Void] = []
    private let changingTask = ChangingTask()
    private let handOff: LockHandOff

    /// - Parameter gateLimit: How long other threads stand back for a hand-off that may never be taken.
    package init(gateLimit: Duration = .milliseconds(20)) {
        handOff = LockHandOff(gateLimit: gateLimit)
    }

    package var isHeldByCurrentThread: Bool {
        owner.load(ordering: .relaxed) == currentThreadID()
    }

    /// Whether the owner has taken the lock more than once. Call it only as the owner.
    package var isNested: Bool {
        depth.load(ordering: .relaxed) > 0
    }

    /// The thread that holds the lock, or 0.
    var currentOwner: UInt { owner.load(ordering: .relaxed) }

    /// Whether other threads stand back for a hand-off.
    var isGateClosed: Bool { handOff.isGateClosed }

    // Never inlined, like `unlock`: inlined, the caller retains the lock for its atomics, which costs more than the
    // call.
    @usableFromInline
    @inline(never)
    package func lock() {
        let me = currentThreadID()
        if owner.load(ordering: .relaxed) == me {
            changingTask.check(self)
            depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
            return
        }
        handOff.standBack()
        if !base.tryLock() { wait(as: me) }
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
        if !isHeldByCurrentThread { endForSuspendedChange() }
        let depth = depth.load(ordering: .relaxed)
        if depth > 0 {
            self.depth.store(depth - 1, ordering: .relaxed)
            return
        }
        if deferred.isEmpty {
            release()
        } else {
            unlockAndRunDeferred()
        }
    }

    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    @inline(__always)
    private func release() {
        changingTask.end()
        owner.store(0, ordering: .relaxed)
        base.unlock()
        handOff.lockWasReleased()
    }

    /// Runs work once the lock is released, however often its owner has taken it. Call it only as the owner.
    ///
    /// A write may be nested in another one; the code that the inner write wakes or notifies must not run under the
    /// outer write's lock.
    package func afterUnlock(_ work: @escaping @Sendable () -> Void) {
        deferred.append(work)
    }

    @inline(never)
    private func unlockAndRunDeferred() {
        let work = deferred
        deferred = []
        release()
        for run in work { run() }
    }

    @inline(never)
    private func wait(as thread: UInt) {
        // Most writes are shorter than waking a thread.
        for _ in 0..<4 {
            yieldThread()
            if base.tryLock() { return }
        }
        if changingTask.isKnown { ChangingTask.scheduleCheck(of: self) }
        LockWaits.begin(thread, for: self)
        base.lock()
        LockWaits.end(thread)
    }

    // MARK: Changes in place

    /// Takes the lock for a change in place, during which the caller's code runs. Never inlined, like `lock`.
    @inline(never)
    final func lockForChange() {
        lock()
        if !isNested { changingTask.begin() }
    }

    /// Ends the program if another thread began the change in place that ends here, because the change was suspended.
    /// Taking the lock would wait forever if that thread is parked with it, such as the main thread of a program.
    final func checkChange() {
        if !isHeldByCurrentThread { endForSuspendedChange() }
    }

    /// Returns whether a change in place took the lock on this thread and is suspended.
    ///
    /// - Parameter isTask: Whether the caller is a task of the pool, whose threads never run a task within the code of
    ///   another one. If false, the caller is not a task, and may run within a change, from a run loop in it.
    final func isChangeSuspended(seenByTask isTask: Bool) -> Bool {
        isHeldByCurrentThread && changingTask.isKnown && (isTask || currentTaskID() == noTask)
    }

    // MARK: Hand-offs

    /// Calls a function once when the lock is free, while other threads stand back for a moment. The function must be
    /// quick.
    package func requestHandOff(_ take: @escaping @Sendable () -> Void) {
        handOff.request(take)
        offerHandOff()
    }

    /// Grants a requested hand-off if the lock is free. Unlocking does so too.
    package func offerHandOff() {
        if tryLock() { unlock() }
    }

    /// Takes the lock while other threads stand back. False if it did not become free in time.
    package func tryLock(within limit: Duration) -> Bool {
        defer { handOff.openGate() }
        if tryLock() { return true }
        let end = ContinuousClock.now + limit
        handOff.closeGate(until: end)
        var backOff = SpinBackOff(longestSleep: SpinBackOff.shortestSleep)
        repeat {
            backOff.pause()
            if tryLock() { return true }
        } while ContinuousClock.now < end
        return false
    }

    /// Ends a hand-off that was not taken.
    package func declineHandOff() { handOff.openGate() }
}
