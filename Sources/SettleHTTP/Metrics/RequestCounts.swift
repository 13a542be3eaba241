import Synchronization

/// Counts what an API has answered.
final class RequestCounts: Sendable {
    /// The requests that are counted together.
    struct Group: Sendable, Hashable {
        let method: String
        /// The route, not the path, which any client can make up.
        let route: String
        let status: Int
    }

    /// An event that the status does not show.
    enum Event: Sendable, Hashable, CaseIterable {
        /// A change was refused because something had changed, or an undo had nothing left to undo.
        case conflict
        case undo
        /// A stream of a client that came back with `Last-Event-ID`.
        case resumption
        /// A stream that went on with a snapshot, because the client's changes were no longer known.
        case lostResumption
        /// An answer that was given again for an idempotency key, or for a change that the client had made itself.
        case replay
    }

    private struct State {
        var requests: [Group: UInt64] = [:]
        var events: [Event: UInt64] = [:]
    }

    private let state = Mutex(State())

    func count(_ group: Group) { state.withLock { $0.requests[group, default: 0] += 1 } }

    func count(_ event: Event) { state.withLock { $0.events[event, default: 0] += 1 } }

    var requests: [Group: UInt64] { state.withLock { $0.requests } }

    func events(_ event: Event) -> UInt64 { state.withLock { $0.events[event, default: 0] } }
}
