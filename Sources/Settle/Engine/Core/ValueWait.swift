import Synchronization

/// A subscriber's wait for another version of a setting's value than the one it has seen.
///
/// Counts no references to the box and its placement: the subscribers that a change wakes would all count at once, on
/// several processors, and the count of the box is beside the value, which the writer needs. What is in here takes
/// memory for each waiting subscriber.
@usableFromInline
struct ValueWait: Sendable {
    /// Kept alive by the iterator, and in turn keeps the store's log and the setting's slot alive.
    private let box: Unmanaged<AnySettingBox>
    private let waiter: Waiter

    init(for box: AnySettingBox, with waiter: Waiter, seen: UInt64) {
        self.box = .passUnretained(box)
        self.waiter = waiter
        waiter.seen = seen
    }

    /// Parks the subscriber, or resumes it at once if there is another version already. Checking and parking are one
    /// step under the lock that publishes, so no value falls between them.
    @usableFromInline
    func park(_ continuation: UnsafeContinuation<Void, Never>) {
        box._withUnsafeGuaranteedRef { box in
            guard let placement = box.current.load(ordering: .acquiring) else {
                // Of a setting that nothing has used yet.
                return park(continuation, in: box.placement)
            }
            placement._withUnsafeGuaranteedRef { park(continuation, in: $0) }
        }
    }

    private func park(_ continuation: UnsafeContinuation<Void, Never>, in placement: Placement) {
        placement.engine.log.park(continuation, on: placement.slot, with: waiter) {
            box._withUnsafeGuaranteedRef { $0.version.load(ordering: .relaxed) } != waiter.seen
        }
    }

    @usableFromInline
    func cancel() {
        box._withUnsafeGuaranteedRef { $0.placement.engine.log.cancel(waiter) }
    }

    /// Whether there may be a newer value, now that the wait has ended.
    @usableFromInline
    var mayHaveNewer: Bool {
        !waiter.isFinished || box._withUnsafeGuaranteedRef { $0.version.load(ordering: .relaxed) } != waiter.seen
    }
}
