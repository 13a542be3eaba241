import Synchronization

/// The number of open handles of a store.
///
/// ```
///   0, 1, 2 … ──close of the last──▶ closed ──the close has failed──▶ 1
/// ```
///
/// A store without a handle stays open as long as a group of it is in use, so releasing the last handle closes nothing.
struct HandleCount: ~Copyable, Sendable {
    private let count = Atomic(0)
    private static var closed: Int { -1 }

    init() {}

    /// Counts a handle. Returns false if the store is closed or being closed.
    func open() -> Bool {
        change { $0 == Self.closed ? nil : $0 + 1 } != nil
    }

    /// - Returns: Whether it was the last handle: then the store accepts no further ones.
    func close() -> Bool {
        change { $0 == 1 ? Self.closed : $0 - 1 } == 1
    }

    /// Reverts a close that has failed.
    func reopen(_ wasLast: Bool) {
        _ = change { wasLast ? 1 : $0 + 1 }
    }

    /// Whether the last handle has been closed, or is being closed.
    var areClosed: Bool { count.load(ordering: .acquiring) == Self.closed }

    /// Stops counting a handle that was released without being closed.
    func release() {
        _ = change { $0 - 1 }
    }

    /// - Returns: The count before, or `nil` if it is unchanged.
    private func change(_ next: (Int) -> Int?) -> Int? {
        var current = count.load(ordering: .acquiring)
        while let desired = next(current) {
            let (isExchanged, original) = count.weakCompareExchange(
                expected: current, desired: desired, ordering: .acquiringAndReleasing)
            if isExchanged { return original }
            current = original
        }
        return nil
    }
}
