import Synchronization

/// A lock that its owner may take again, and that can tell whether the caller is its owner.
///
/// The owner's identity is written only by the thread that has the lock, so a thread that compares it with its own
/// identity can't be misled: it reads its own last write or another thread's identity.
///
/// A thread that takes the lock again and again would keep out what must not wait with a blocked thread. So there are turns:
///
/// ```
///   open ──wantTurn──▶ wanted ──the owner unlocks──▶ gate closed ──tryLock(within:), or time──▶ open
/// ```
///
/// While the gate is closed, threads that do not have the lock stand back before they take it, for 20 ms at most.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {
    // Sendable: `deferred` is touched only by the thread that has the lock.
    private let base = Lock()
    private let owner = Atomic<UInt>(0)
    /// Written only by the owner; atomic so that the sanitizer need not be told.
    private let depth = Atomic<Int>(0)
    @exclusivity(unchecked) private var deferred: [@Sendable () -> Void] = []
    /// The task whose change in place took the lock; `noTask` outside of any task, and 0 if it was no change. Written only by the
    /// owner.
    private let changingTask = Atomic<UInt>(0)
    /// Whether a turn is wanted or the gate is closed; 0 nearly always.
    private let demand = Atomic<UInt8>(0)
    private let turns = LockedValue(Turns())

    private struct Turns: Sendable {
        var wanted: [@Sendable () -> Void] = []
        var gateEnd: ContinuousClock.Instant?
    }

    private static let isWanted: UInt8 = 1
    private static let isGateClosed: UInt8 = 2
    /// How long others stand back for a turn that may never be taken.
    private static let gateLimit = Duration.milliseconds(20)

    package init() {}

    package var isHeldByCurrentThread: Bool {
        owner.load(ordering: .relaxed) == currentThreadID()
    }

    /// Whether the owner has taken the lock more than once. Only for the owner.
    package var isNested: Bool {
        depth.load(ordering: .relaxed) > 0
    }

    /// The thread that has the lock, or 0.
    var currentOwner: UInt { owner.load(ordering: .relaxed) }

    /// Whether others stand back for a turn.
    var isGateClosed: Bool { demand.load(ordering: .relaxed) & Self.isGateClosed != 0 }

    // Never inlined, like `unlock`: inlined, the caller counts a reference to the lock for its atomics, which costs more than
    // the call.
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
        // After the release: a turn that was wanted before finds the lock free, one that is wanted later is seen here.
        if demand.load(ordering: .sequentiallyConsistent) & Self.isWanted != 0 { grantTurn() }
    }

    /// Runs work once the lock has been given up, however often its owner has taken it. Only for the owner.
    ///
    /// A write may be a part of another write, and what is woken or told by the inner one must not run under the lock of the outer
    /// one.
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
        // Most writes take less than the waking of a thread.
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

    /// Takes the lock for a change in place, within which the caller's code runs.
    final func lockForChange() {
        lock()
        guard !isNested else { return }
        changingTask.store(currentTaskID(), ordering: .relaxed)
    }

    /// Another task than the one that changes a setting in place may be at work on its thread: within the change, or because it is
    /// suspended.
    ///
    /// Code that is no task sees the task in whose code it runs, if there is one, so that it can tell the two. A task can't: one
    /// that the change itself runs, such as a `Task.immediate`, looks like one to which a suspended change has left the thread. So
    /// it goes on, and whoever comes next to the thread without being a task finds out.
    @inline(never)
    private func checkTask() {
        let (changing, current) = (changingTask.load(ordering: .relaxed), currentTaskID())
        if changing == current || changing == noTask { return }
        if current == noTask { endForSuspendedChange() }
        probe()
    }

    /// Has the owner's thread look, if it comes to do something else, whether the change is suspended. It might be waiting for one of
    /// those that wait for it.
    private func probe() {
        SuspensionLook.onMainQueue.request(for: self)
        SuspensionLook.inPool.request(for: self)
    }

    /// Whether the lock was taken on this thread by a change in place that is suspended.
    ///
    /// - Parameter isTask: Whether the caller is a task of the pool, whose threads run no task within the code of another one.
    ///   Otherwise it is none, and may well run within a change, from a run loop in it.
    final func isChangeSuspended(seenByTask isTask: Bool) -> Bool {
        guard isHeldByCurrentThread, changingTask.load(ordering: .relaxed) > noTask else { return false }
        return isTask || currentTaskID() == noTask
    }

    // MARK: Turns

    /// Has a function called once when the lock is free, with others standing back for a moment. The function must be quick.
    package func wantTurn(_ take: @escaping @Sendable () -> Void) {
        turns.withLock { $0.wanted.append(take) }
        demand.bitwiseOr(Self.isWanted, ordering: .sequentiallyConsistent)
        checkTurn()
    }

    /// Grants a turn that is wanted, if the lock is free. Unlocking does so too.
    package func checkTurn() {
        if tryLock() { unlock() }
    }

    /// Takes the lock, with others standing back meanwhile. False if it is not to be had in time.
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
        closeGate(until: ContinuousClock.now + Self.gateLimit)
        for take in wanted { take() }
    }

    /// Lets a turn come first.
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
