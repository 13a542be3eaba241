import Synchronization

/// The parked state of a subscriber: one per iterator, reused for each wait. A subscriber counts as long as it has one.
///
/// ```
///   idle ──park──▶ parked ──cancelled, interrupted, or woken alone──▶ idle
///                    └──the broadcaster takes the list──▶ taken ──resumed──▶ idle
/// ```
///
/// All state is guarded by the lock of the log on which the subscriber waits, so it does without the run-time check for
/// exclusive access. The links and the continuation of a taken waiter are the broadcaster's, which resumes it whatever
/// happens meanwhile.
package final class Waiter: @unchecked Sendable {
    // Sendable: see above; a waiter is only ever touched under its log's lock, or by the broadcaster once it is taken.
    @exclusivity(unchecked) fileprivate var continuation: UnsafeContinuation<Void, Never>?
    /// Unretained: the cancellation handler of a wait holds the waiter, which leaves the list before the wait ends.
    @exclusivity(unchecked) fileprivate var next: Unmanaged<Waiter>?
    @exclusivity(unchecked) fileprivate var previous: Unmanaged<Waiter>?
    /// The list that the waiter is in, or was in when the broadcaster took it.
    @exclusivity(unchecked) fileprivate var list: WaiterList?
    var isCancelled = false
    /// Whether its current wait, or else the next one, has to end without a change.
    var isInterrupted = false
    /// Whether the log was finished when the subscriber last wanted to wait.
    @exclusivity(unchecked) var isFinished = false
    /// The version of the value that the subscriber has seen, if it follows a value.
    @exclusivity(unchecked) var seen: UInt64 = 0
    /// The log that counts the subscriber.
    let log: MutationLog?
    /// Keeps the store open.
    private let keeper: Keeper?

    /// - Parameter log: The log that counts the subscriber; `nil` to leave it uncounted, such as for `run()`.
    init(countedIn log: MutationLog?, keeping keeper: Keeper? = nil) {
        self.log = log
        self.keeper = keeper
        log?.subscribers.add(1, ordering: .relaxed)
    }

    deinit {
        log?.subscribers.subtract(1, ordering: .relaxed)
    }

    /// Removes a parked waiter from its list, and returns its continuation; `nil` if the waiter is idle, or taken.
    func leave() -> UnsafeContinuation<Void, Never>? {
        guard let list, !list.isTaken else { return nil }
        return list.remove(self)
    }
}

/// A doubly linked list of parked waiters, so that the cost of leaving doesn't depend on their number.
final class WaiterList {
    @exclusivity(unchecked) private var first: Unmanaged<Waiter>?
    @exclusivity(unchecked) private var last: Unmanaged<Waiter>?
    /// Whether the list is the broadcaster's, and needs no lock any more.
    @exclusivity(unchecked) fileprivate var isTaken = false

    var isEmpty: Bool { first == nil }
    var hasOnlyOne: Bool { first != nil && first?.toOpaque() == last?.toOpaque() }

    /// Requires the lock, like everything up to ``take()``.
    func append(_ waiter: Waiter, _ continuation: UnsafeContinuation<Void, Never>) {
        // Linked twice, a waiter could stay in a list after its end, and the first of the tasks would wait forever.
        precondition(waiter.continuation == nil, "Two tasks wait at once with copies of one iterator.")
        let reference = Unmanaged.passUnretained(waiter)
        waiter.continuation = continuation
        waiter.previous = last
        waiter.list = self
        if let last { last._withUnsafeGuaranteedRef { $0.next = reference } } else { first = reference }
        last = reference
    }

    func removeFirst() -> UnsafeContinuation<Void, Never>? {
        first?._withUnsafeGuaranteedRef { remove($0) }
    }

    fileprivate func remove(_ waiter: Waiter) -> UnsafeContinuation<Void, Never>? {
        let (next, previous) = (waiter.next, waiter.previous)
        if let previous { previous._withUnsafeGuaranteedRef { $0.next = next } } else { first = next }
        if let next { next._withUnsafeGuaranteedRef { $0.previous = previous } } else { last = previous }
        waiter.next = nil
        waiter.list = nil
        return waiter.continuation.take()
    }

    /// Gives the list to the broadcaster. From now on, no waiter joins or leaves it otherwise.
    func take() { isTaken = true }

    /// Resumes all waiters of a taken list. Without the lock, and one after the other, so that those that are awake
    /// already can wait again meanwhile.
    func resumeAll() {
        while let waiter = first {
            // Once it is resumed, the waiter may be in another list, or gone. Without a continuation it counts as idle.
            let continuation = waiter._withUnsafeGuaranteedRef { waiter in
                first = waiter.next.take()
                return waiter.continuation.take()
            }
            continuation?.resume()
        }
    }
}
