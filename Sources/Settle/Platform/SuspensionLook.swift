import Dispatch

/// Looks, from a thread that comes to do something else, whether a change in place was suspended there that keeps others waiting.
///
/// However many locks ask for it, one look is pending at a time: a program that never drains its main queue keeps one block there.
final class SuspensionLook: Sendable {
    private struct Suspect: Sendable {
        weak var lock: RecursiveLock?
    }

    private struct State: Sendable {
        var suspects: [ObjectIdentifier: Suspect] = [:]
        var isPending = false
    }

    static let onMainQueue = SuspensionLook(byTask: false) { DispatchQueue.main.async(execute: $0) }
    static let inPool = SuspensionLook(byTask: true) { Task.detached(operation: $0) }

    private let isByTask: Bool
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = LockedValue(State())
    /// From how many suspects on those are sorted out that nobody has any more.
    static let roughLimit = 64

    /// - Parameters:
    ///   - isByTask: See ``RecursiveLock/isChangeSuspended(seenByTask:)``.
    ///   - schedule: Has a function called where the look is to be made.
    init(byTask isByTask: Bool, schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.isByTask = isByTask
        self.schedule = schedule
    }

    /// How many locks are to be looked at.
    var count: Int { state.withLock { $0.suspects.count } }

    /// Has a lock looked at whose owner is changing a setting in place.
    func request(for lock: RecursiveLock) {
        let isFirst = state.withLock { state in
            if state.suspects.count >= Self.roughLimit {
                // A lock that is free has no change. Who waits for it once it has another one asks anew.
                state.suspects = state.suspects.filter { ($0.value.lock?.currentOwner ?? 0) != 0 }
            }
            state.suspects[ObjectIdentifier(lock)] = Suspect(lock: lock)
            defer { state.isPending = true }
            return !state.isPending
        }
        if isFirst { schedule { self.look() } }
    }

    private func look() {
        let suspects = state.withLock { state in
            defer { state = State() }
            return state.suspects
        }
        for suspect in suspects.values where suspect.lock?.isChangeSuspended(seenByTask: isByTask) == true {
            endForSuspendedChange()
        }
    }
}

/// Ends the program because a change in place has been suspended, or has gone on on another thread.
@inline(never)
func endForSuspendedChange() -> Never {
    // Proof: going on would publish a value that was read before others wrote, or wait for ever.
    fatalError(
        "A setting was being changed in place while its task was suspended: a setting can't be passed inout to an async function. "
            + "Copy its value, and assign the result.")
}
