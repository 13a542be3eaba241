import Dispatch

/// Checks whether a change in place was suspended on a thread and blocks waiters, when that thread comes to do
/// something else.
///
/// However many locks request it, only one check is pending at a time: a program that never drains its main queue keeps
/// one block there.
final class SuspensionCheck: Sendable {
    private struct Suspect: Sendable {
        weak var lock: RecursiveLock?
    }

    private struct State: Sendable {
        var suspects: [ObjectIdentifier: Suspect] = [:]
        var isPending = false
    }

    static let onMainQueue = SuspensionCheck(byTask: false) { DispatchQueue.main.async(execute: $0) }
    static let inPool = SuspensionCheck(byTask: true) { Task.detached(operation: $0) }

    private let isByTask: Bool
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = LockedValue(State())
    /// From this many suspects on, locks that have been released since are removed.
    static let roughLimit = 64

    /// - Parameters:
    ///   - isByTask: See ``RecursiveLock/isChangeSuspended(seenByTask:)``.
    ///   - schedule: Schedules a function on the thread that is to be checked.
    init(byTask isByTask: Bool, schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.isByTask = isByTask
        self.schedule = schedule
    }

    /// The number of locks to be checked.
    var count: Int { state.withLock { $0.suspects.count } }

    /// Requests a check of a lock whose owner is changing a setting in place.
    func request(for lock: RecursiveLock) {
        let isFirst = state.withLock { state in
            if state.suspects.count >= Self.roughLimit {
                // A free lock has no change. Waiters for its next change request another check.
                state.suspects = state.suspects.filter { ($0.value.lock?.currentOwner ?? 0) != 0 }
            }
            state.suspects[ObjectIdentifier(lock)] = Suspect(lock: lock)
            defer { state.isPending = true }
            return !state.isPending
        }
        if isFirst { schedule { self.run() } }
    }

    private func run() {
        let suspects = state.withLock { state in
            defer { state = State() }
            return state.suspects
        }
        for suspect in suspects.values where suspect.lock?.isChangeSuspended(seenByTask: isByTask) == true {
            endForSuspendedChange()
        }
    }
}

/// Ends the program because a change in place has been suspended, or has continued on another thread.
@inline(never)
func endForSuspendedChange() -> Never {
    // Proof: to continue would publish a value that was read before others wrote, or wait forever.
    fatalError(
        "A setting was being changed in place while its task was suspended: a setting can't be passed inout to an async function. "
            + "Copy its value, and assign the result.")
}
