import Settle
import Synchronization

/// The open connections. When there are too many, the one that has waited longest for a request is closed.
///
/// Those that have never sent a whole request come first, so that a flood of them leaves the other clients alone; but
/// not while they are less than a quarter of all, so that a new client has the time for its first request.
final class Connections: Sendable {
    typealias ID = UInt64

    /// An order to a connection.
    enum Order: Sendable {
        /// Make room for a new connection, at once or after the answer to the request that has come.
        case end
        /// The limits have changed.
        case reconsider
    }

    private struct Connection {
        /// The order in which it began to wait for a request; `nil` while one is answered.
        var rank: UInt64?
        var hasSentRequest = false
        let send: @Sendable (Order) -> Void
    }

    private struct State {
        /// Without those that were ordered to end.
        var open: [ID: Connection] = [:]
        var ranks: UInt64 = 0

        /// Takes out connections until a number of them can be added, or all others are in use.
        mutating func makeRoom(for added: Int, of limit: Int) -> [Connection] {
            guard open.count + added > limit else { return [] }
            let waiting = open.filter { $0.value.rank != nil }.sorted { $0.value.rank ?? 0 < $1.value.rank ?? 0 }
            var newcomers = waiting.filter { !$0.value.hasSentRequest }[...]
            var regulars = waiting.filter { $0.value.hasSentRequest }[...]
            var dispensable: [Connection] = []
            while open.count + added > limit,
                let next = newcomers.count > limit / 4 || regulars.isEmpty ? newcomers.popFirst() : regulars.popFirst()
            {
                open[next.key] = nil
                dispensable.append(next.value)
            }
            return dispensable
        }
    }

    private let state = Mutex(State())
    private let settings: ConnectionSettings
    /// How many connections the process has descriptors for.
    private let ceiling: Int

    init(settings: ConnectionSettings, ceiling: Int) { (self.settings, self.ceiling) = (settings, ceiling) }

    var limits: ConnectionLimits { settings.snapshot { ConnectionLimits($0) } }

    private var limit: Int { min(settings.limit, ceiling) }

    var count: Int { state.withLock { $0.open.count } }

    /// Takes in a connection, and ends another for it if there are too many.
    ///
    /// - Parameter send: Sends an order to the connection, from any thread.
    /// - Returns: `nil` if there are too many, and all of them are in use.
    func open(_ send: @escaping @Sendable (Order) -> Void) -> ID? {
        let limit = limit
        let (id, dispensable) = state.withLock { state -> (ID?, [Connection]) in
            let dispensable = state.makeRoom(for: 1, of: limit)
            guard state.open.count < limit else { return (nil, dispensable) }
            state.ranks += 1
            state.open[state.ranks] = Connection(rank: state.ranks, send: send)
            return (state.ranks, dispensable)
        }
        for connection in dispensable { connection.send(.end) }
        return id
    }

    func close(_ id: ID) { state.withLock { _ = $0.open.removeValue(forKey: id) } }

    /// Records that a connection waits for a request, so that it may be closed for another, or that it has one.
    func update(_ id: ID, isWaiting: Bool) {
        state.withLock { state in
            state.ranks += 1
            state.open[id]?.rank = isWaiting ? state.ranks : nil
            state.open[id]?.hasSentRequest = true
        }
    }

    /// Applies changed limits to all connections.
    func reconsider() {
        let limit = limit
        let (dispensable, all) = state.withLock { ($0.makeRoom(for: 0, of: limit), Array($0.open.values)) }
        for connection in dispensable { connection.send(.end) }
        for connection in all { connection.send(.reconsider) }
    }
}
