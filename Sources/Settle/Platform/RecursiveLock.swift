import Synchronization

/// A lock that its owner may take again, and that can tell whether the caller is its owner.
///
/// Only the thread that holds the lock writes the owner's identity. So a thread that compares it with its own identity
/// can't be misled: it reads its own last write or another thread's identity.
///
/// A thread that keeps retaking the lock would starve waiters that must not block a thread. For them there are turns:
///
/// ```
///   open ──wantTurn──▶ wanted ──the owner unlocks──▶ gate closed ──tryLock(within:), or timeout──▶ open
/// ```
///
/// While the gate is closed, threads that don't hold the lock stand back before they take it, for 20 ms at most by default.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {
    // Sendable: `deferred` is accessed only by the thread that holds the lock.
    private let base = Lock()
    private let owner = Atomic<UInt>(0)
    /// Written only by the owner; atomic so that the thread sanitizer needs no exception.
    private let depth = Atomic<Int>(0)
    @exclusivity(unchecked) private var deferred: [@Sendable () -> Void] = []
    /// The task whose change in place took the lock; `noTask` outside of any task, and 0 if the lock was not taken for
    /// a change. Written only by the owner.
    private let changingTask = Atomic<UInt>(0)
    /// Whether a turn is wanted or the gate is closed; 0 almost always.
    private let demand = Atomic<UInt8>(0)
    private let turns = LockedValue(Turns())

    private struct Turns: Sendable {
        var wanted: [@Sendable () -> Void] = []
        var gateEnd: ContinuousClock.Instant?
    }

    private static let isWanted: UInt8 = 1
    private static let isGateClosed: UInt8 = 2
    /// How long other threads stand back for a turn that may never be taken.
    private let gateLimit: Duration

    package init(gateLimit: Duration = .milliseconds(20)) {
        self.gateLimit = gateLimit
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

    /// Whether other threads stand back for a turn.
    var isGateClosed: Bool { demand.load(ordering: .relaxed) & Self.isGateClosed != 0 }

    // Never inlined, like `unlock`: inlined, the caller retains the lock for its atomics, which costs more than the
    // call.
    @usableFromInline
    @inline(never)
    package func lock() {
        let me = currentThreadID()
        if owner.load(ordering: .relaxed) == me {
            if changingTask.load(ordering: .relaxed) != 0 { checkTask() }
            depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
            return
        }
        if demand.load(ordering: .relaxed) != 0 { standBack() }
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

    @inline(__always)
    private func release() {
        changingTask.store(0, ordering: .relaxed)
        owner.store(0, ordering: .relaxed)
        base.unlock()
        // After the release: a turn wanted before finds the lock free, and one wanted later is seen here.
        if demand.load(ordering: .sequentiallyConsistent) & Self.isWanted != 0 { grantTurn() }
    }

    /// Runs work once the lock is released, however often its owner has taken it. Call it only as the owner.
    ///
    /// A write may be nested in another one; what the inner write wakes or notifies must not run under the outer
    /// write's lock.
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
        if changingTask.load(ordering: .relaxed) > noTask { probe() }
        LockWaits.begin(thread, for: self)
        base.lock()
        LockWaits.end(thread)
    }

    // MARK: Changes in place

    /// Takes the lock for a change in place, during which the caller's code runs.
    final func lockForChange() {
        lock()
        guard !isNested else { return }
        changingTask.store(currentTaskID(), ordering: .relaxed)
    }

    /// The thread runs another task than the one that changes a setting in place: either within the change, or because
    /// the change is suspended.
    ///
    /// Code outside of any task sees the task in whose code it runs, if there is one, and can tell the two apart. A
    /// task can't: one that the change itself runs, such as a `Task.immediate`, looks like one that took over the
    /// thread from a suspended change. So it goes on, and the check that `probe` schedules decides.
    @inline(never)
    private func checkTask() {
        let (changing, current) = (changingTask.load(ordering: .relaxed), currentTaskID())
        if changing == current || changing == noTask { return }
        if current == noTask { endForSuspendedChange() }
        probe()
    }

    /// Schedules a check on the owner's thread whether the change is suspended, for when the thread does something
    /// else. The change might be waiting for one of the threads that wait for it.
    private func probe() {
        SuspensionLook.onMainQueue.request(for: self)
        SuspensionLook.inPool.request(for: self)
    }

    /// Whether a change in place took the lock on this thread and is suspended.
    ///
    /// - Parameter isTask: Whether the caller is a task of the pool, whose threads never run a task within the code of
    ///   another one. If false, the caller is no task, and may run within a change, from a run loop in it.
    final func isChangeSuspended(seenByTask isTask: Bool) -> Bool {
        guard isHeldByCurrentThread, changingTask.load(ordering: .relaxed) > noTask else { return false }
        return isTask || currentTaskID() == noTask
    }

    // MARK: Turns

    /// Calls a function once when the lock is free, while other threads stand back for a moment. The function must be
    /// quick.
    package func wantTurn(_ take: @escaping @Sendable () -> Void) {
        turns.withLock { $0.wanted.append(take) }
        demand.bitwiseOr(Self.isWanted, ordering: .sequentiallyConsistent)
        checkTurn()
    }

    /// Grants a wanted turn if the lock is free. Unlocking does so too.
    package func checkTurn() {
        if tryLock() { unlock() }
    }

    /// Takes the lock while other threads stand back. False if it did not become free in time.
    package func tryLock(within limit: Duration) -> Bool {
        defer { openGate() }
        if tryLock() { return true }
        let end = ContinuousClock.now + limit
        closeGate(until: end)
        var attempt = 0
        repeat {
            attempt += 1
            if attempt > 20 { pauseThread(for: .microseconds(50)) } else { yieldThread() }
            if tryLock() { return true }
        } while ContinuousClock.now < end
        return false
    }

    /// Ends a turn that was not taken.
    package func openGate() {
        guard isGateClosed else { return }
        turns.withLock { turns in
            turns.gateEnd = nil
            demand.bitwiseAnd(~Self.isGateClosed, ordering: .relaxed)
        }
    }

    private func closeGate(until end: ContinuousClock.Instant) {
        turns.withLock { turns in
            turns.gateEnd = end
            demand.bitwiseOr(Self.isGateClosed, ordering: .relaxed)
        }
    }

    @inline(never)
    private func grantTurn() {
        let wanted = turns.withLock { turns in
            demand.bitwiseAnd(~Self.isWanted, ordering: .relaxed)
            defer { turns.wanted = [] }
            return turns.wanted
        }
        guard !wanted.isEmpty else { return }
        closeGate(until: ContinuousClock.now + gateLimit)
        for take in wanted { take() }
    }

    /// Gives way to a turn.
    @inline(never)
    private func standBack() {
        var attempt = 0
        while isGateClosed {
            if let end = turns.withLock({ $0.gateEnd }), ContinuousClock.now >= end {
                openGate()
                return
            }
            attempt += 1
            if attempt > 20 { pauseThread(for: .microseconds(50)) } else { yieldThread() }
        }
    }
}
