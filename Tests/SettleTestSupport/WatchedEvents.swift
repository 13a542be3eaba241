package import Settle

/// The events that a watch has reported and no test has taken.
package final class WatchedEvents: Sendable {
    private struct State {
        var events: FileEvents = []
        var waiter: (kinds: FileEvents.Kinds, continuation: CheckedContinuation<FileEvents, Never>)?
    }

    private let state = LockedValue(State())

    package init() {}

    /// The events that were not waited for.
    package var rest: FileEvents { state.withLock { $0.events } }

    package func add(_ new: FileEvents) {
        state.withLock { state in
            state.events.formUnion(new)
            Self.wake(&state)
        }
    }

    /// Waits for an event of this kind, or until the task is cancelled, and forgets all events so far.
    package func next(_ kinds: FileEvents.Kinds) async -> FileEvents {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.waiter = (kinds, continuation)
                    // The flag is set before the handler below runs, so one of the two sees the cancellation.
                    Self.wake(&state, isCancelled: Task.isCancelled)
                }
            }
        } onCancel: {
            state.withLock { Self.wake(&$0, isCancelled: true) }
        }
    }

    private static func wake(_ state: inout State, isCancelled: Bool = false) {
        guard let waiter = state.waiter, isCancelled || state.events.contains(waiter.kinds) else { return }
        waiter.continuation.resume(returning: state.events)
        state.events = []
        state.waiter = nil
    }
}
