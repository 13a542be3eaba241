import Synchronization

/// The task whose change in place took a lock. It serves to notice when the change is suspended: then the thread
/// continues with other work while it holds the lock. Written only by the lock's owner.
struct ChangingTask: ~Copyable, Sendable {
    /// `noTask` outside of any task, and 0 if the lock was not taken for a change.
    private let task = Atomic<UInt>(0)

    func begin() { task.store(currentTaskID(), ordering: .relaxed) }

    @inline(__always)
    func end() { task.store(0, ordering: .relaxed) }

    /// Whether a task changes a setting in place.
    var isKnown: Bool { task.load(ordering: .relaxed) > noTask }

    /// Handles that the thread runs another task than the one that changes a setting in place: either within the
    /// change, or because the change is suspended.
    ///
    /// Code outside of any task sees the task in whose code it runs, if there is one, and can tell the two apart. A
    /// task can't: one that the change itself runs, such as a `Task.immediate`, looks like one that took over the
    /// thread from a suspended change. So it continues, and the check that is scheduled here decides.
    @inline(__always)
    func check(_ lock: RecursiveLock) {
        if task.load(ordering: .relaxed) != 0 { checkTask(lock) }
    }

    @inline(never)
    private func checkTask(_ lock: RecursiveLock) {
        let (changing, current) = (task.load(ordering: .relaxed), currentTaskID())
        if changing == current || changing == noTask { return }
        if current == noTask { endForSuspendedChange() }
        Self.scheduleCheck(of: lock)
    }

    /// Schedules a check of whether the change is suspended. It runs when the owner's thread does something else. The
    /// change might be waiting for one of the threads that wait for it.
    static func scheduleCheck(of lock: RecursiveLock) {
        SuspensionCheck.onMainQueue.request(for: lock)
        SuspensionCheck.inPool.request(for: lock)
    }
}
