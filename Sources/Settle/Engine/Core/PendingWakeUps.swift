/// The tasks that a writer has to wake, and the entries that it has to release, once it holds no lock.
@usableFromInline
package struct PendingWakeUps: Sendable {
    enum Wake: Sendable {
        case none
        case start
        case resume(UnsafeContinuation<Void, Never>)

        var isNone: Bool {
            if case .none = self { true } else { false }
        }
    }

    var broadcaster = Wake.none
    var notifier = Wake.none
    var wakesPersister = false
    var dropped = DroppedEntries()

    /// Whether there is no task to wake.
    @usableFromInline
    var isEmpty: Bool {
        broadcaster.isNone && notifier.isNone && !wakesPersister
    }

    /// Wakes the tasks that drain the log, or starts them. Without any lock.
    func resumeTasks(of log: MutationLog) {
        switch broadcaster {
        case .none: break
        case .start: ChangeBroadcaster.start(draining: log)
        case .resume(let continuation): continuation.resume()
        }
        switch notifier {
        case .none: break
        case .start: ObserverNotifier.start(draining: log)
        case .resume(let continuation): continuation.resume()
        }
    }
}
