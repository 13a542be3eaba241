/// A subscriber's parking place: one for each iterator, used again at each wait.
///
/// All state is guarded by the lock of the log on which the subscriber waits.
package final class Waiter: @unchecked Sendable {
    // Sendable: see above; a waiter is only ever touched under its log's lock.
    fileprivate var continuation: UnsafeContinuation<Void, Never>?
    fileprivate var next: Waiter?
    fileprivate unowned(unsafe) var previous: Waiter?
    fileprivate var list: WaiterList?
    var isCancelled = false

    /// Takes the waiter out of its list, if it waits, and gives its continuation.
    func leave() -> UnsafeContinuation<Void, Never>? {
        list?.remove(self)
    }
}

/// A doubly linked list of parked waiters, so that leaving costs the same however many wait.
///
/// `previous` and `last` are unowned because each waiter is kept by the one before it, or by `first`, while it is
/// linked.
final class WaiterList {
    private var first: Waiter?
    private unowned(unsafe) var last: Waiter?

    var isEmpty: Bool { first == nil }

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
        // Last, because this link may be all that keeps the waiter alive.
        if let previous { previous.next = next } else { first = next }
        return continuation
    }
}
