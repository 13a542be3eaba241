/// Whom a writer has to wake, and what it has to let go of, once it holds no lock any more.
@usableFromInline
package struct Signals: Sendable {
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

    /// Whether there is nobody to wake.
    @usableFromInline
    var isEmpty: Bool {
        broadcaster.isNone && notifier.isNone && !wakesPersister
    }
}

/// What the broadcaster and the notifier have to do: under the log's lock while it is collected, their own once it is taken.
struct BroadcastWork {
    var channels: [Channel] = []
    var observers: [(slot: SettingSlot, node: ObservationNode)] = []
}
