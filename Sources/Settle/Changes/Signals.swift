/// Whom a writer has to wake once it holds no lock any more.
@usableFromInline
package struct Signals: Sendable {
    enum Broadcaster: Sendable {
        case none
        case start
        case resume(UnsafeContinuation<Void, Never>)
    }

    var broadcaster = Broadcaster.none
    var wakesPersister = false

    @usableFromInline
    var isEmpty: Bool {
        if case .none = broadcaster { return !wakesPersister }
        return false
    }
}

/// What the broadcaster has to do: under the log's lock while it is collected, the broadcaster's own once it is taken.
struct BroadcastWork {
    var channels: [Channel] = []
    var observers: [(slot: SettingSlot, node: ObservationNode)] = []

    var isEmpty: Bool { channels.isEmpty && observers.isEmpty }
}
