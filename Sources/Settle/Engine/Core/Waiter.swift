import Synchronization

/// The parked state of a subscriber: one per iterator, reused for each wait. A subscriber counts as long as it has one.
///
/// All state is guarded by the lock of the log on which the subscriber waits, so it does without the run-time check for
/// exclusive access.
package final class Waiter: @unchecked Sendable {
    // Sendable: see above; a waiter is only ever touched under its log's lock.
    @exclusivity(unchecked) fileprivate var continuation: UnsafeContinuation<Void, Never>?
    @exclusivity(unchecked) fileprivate var next: Waiter?
    @exclusivity(unchecked) fileprivate unowned(unsafe) var previous: Waiter?
    @exclusivity(unchecked) fileprivate var list: WaiterList?
    var isCancelled = false
    /// Whether its current wait, or else the next one, has to end without a change.
    var isInterrupted = false
    /// The version of the value that the subscriber has seen, if it follows a value.
    var seen: UInt64 = 0
    /// Whether the log was finished when the subscriber last wanted to wait.
    var isFinished = false
    /// The log that counts the subscriber.
    private let log: MutationLog?
    /// Keeps the store open. A waiting subscriber holds its waiter, so the last link of a list never releases it under
    /// the lock.
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

    /// Removes the waiter from its list, if it is parked, and returns its continuation.
    func leave() -> UnsafeContinuation<Void, Never>? {
        list?.remove(self)
    }
}

/// A doubly linked list of parked waiters, so that the cost of leaving doesn't depend on their number.
///
/// `previous` and `last` are unowned, because each linked waiter is kept alive by the one before it, or by `first`.
final class WaiterList {
    @exclusivity(unchecked) private var first: Waiter?
    @exclusivity(unchecked) private unowned(unsafe) var last: Waiter?

    var isEmpty: Bool { first == nil }
    var hasOnlyOne: Bool { first != nil && first === last }

    func append(_ waiter: Waiter, _ continuation: UnsafeContinuation<Void, Never>) {
        waiter.continuation = continuation
        waiter.previous = last
        waiter.list = self
        if let last { last.next = waiter } else { first = waiter }
        last = waiter
    }

    func popFirst() -> UnsafeContinuation<Void, Never>? {
        guard let first else { return nil }
        return remove(first)
    }

    fileprivate func remove(_ waiter: Waiter) -> UnsafeContinuation<Void, Never>? {
        let next = waiter.next
        let previous = waiter.previous
        let continuation = waiter.continuation
        next?.previous = previous
        if next == nil { last = previous }
        waiter.continuation = nil
        waiter.next = nil
        waiter.previous = nil
        waiter.list = nil
        if let previous { previous.next = next } else { first = next }
        return continuation
    }
}
