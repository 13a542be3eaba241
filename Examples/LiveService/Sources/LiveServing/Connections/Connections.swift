import CoreMetrics
import NIOCore
import Settle
import Synchronization

/// The open connections. When there are too many, the one that has been waiting longest for a request is closed.
///
/// Those that have never sent a whole request come first, so that a flood of them leaves the other clients alone; but
/// not while they are less than a quarter of all, so that a new client has the time for its first request.
final class Connections: Sendable {
    typealias ID = UInt64

    fileprivate struct Connection {
        /// Its place in a queue; `nil` while a request is processed, and once it has been told to give way.
        var turn: UInt64?
        var givesWay = false
        var hasSentRequest = false
        let send: @Sendable (ConnectionEvent) -> Void
    }

    /// Connections in the order in which they began to wait. Those that no longer wait are skipped.
    fileprivate typealias Queue = CircularBuffer<(id: ID, turn: UInt64)>

    fileprivate struct State {
        var open: [ID: Connection] = [:]
        /// The connections that wait for their first request, and for another one.
        var (newcomers, regulars) = (Queue(), Queue())
        var turns: UInt64 = 0
        var givingWay = 0
    }

    private let state = Mutex(State())
    private let settings: ConnectionSettings
    let factory: any MetricsFactory
    /// How many connections the process has descriptors for.
    private let ceiling: Int

    init(settings: ConnectionSettings, ceiling: Int, factory: any MetricsFactory) {
        self.settings = settings
        self.ceiling = ceiling
        self.factory = factory
    }

    var timeouts: ConnectionTimeouts { settings.snapshot { ConnectionTimeouts($0) } }

    /// Takes in a connection, and closes others for it if there are too many.
    ///
    /// - Parameter send: Sends an event to the connection, from any thread.
    /// - Returns: `nil` if there are too many, and all of them are in use.
    func open(_ send: @escaping @Sendable (ConnectionEvent) -> Void) -> ID? {
        let limit = limit
        let (id, dispensable) = state.withLock { state -> (ID?, [Connection]) in
            let dispensable = state.makeRoom(for: limit - 1)
            guard state.remaining < limit else { return (nil, dispensable) }
            return (state.add(send), dispensable)
        }
        for connection in dispensable { connection.send(.giveWay) }
        measure()
        return id
    }

    func close(_ id: ID) {
        state.withLock { state in
            guard let connection = state.open.removeValue(forKey: id) else { return }
            if connection.givesWay { state.givingWay -= 1 }
        }
        measure()
    }

    /// - Parameter isDispensable: Whether the connection may be closed for another.
    func update(_ id: ID, isDispensable: Bool) {
        state.withLock { isDispensable ? $0.wait(id) : $0.use(id) }
    }

    /// Applies changed settings to all connections.
    func reconsider() {
        let limit = limit
        let (dispensable, all) = state.withLock { ($0.makeRoom(for: limit), Array($0.open.values)) }
        for connection in dispensable { connection.send(.giveWay) }
        for connection in all { connection.send(.reconsider) }
    }

    var count: Int { state.withLock { $0.open.count } }

    private var limit: Int { min(settings.limit, ceiling) }
}

extension Connections.State {
    /// The connections that have not been told to give way.
    fileprivate var remaining: Int { open.count - givingWay }

    fileprivate mutating func add(_ send: @escaping @Sendable (ConnectionEvent) -> Void) -> Connections.ID {
        turns += 1
        let id = turns
        open[id] = Connections.Connection(send: send)
        wait(id)
        return id
    }

    fileprivate mutating func use(_ id: Connections.ID) {
        guard let connection = open[id] else { return }
        if connection.givesWay { givingWay -= 1 }
        open[id] = Connections.Connection(hasSentRequest: true, send: connection.send)
    }

    fileprivate mutating func wait(_ id: Connections.ID) {
        guard let connection = open[id], connection.turn == nil, !connection.givesWay else { return }
        turns += 1
        open[id]?.turn = turns
        connection.hasSentRequest ? enqueue(id, in: \.regulars) : enqueue(id, in: \.newcomers)
    }

    private mutating func enqueue(_ id: Connections.ID, in queue: WritableKeyPath<Self, Connections.Queue>) {
        self[keyPath: queue].append((id, turns))
        guard self[keyPath: queue].count > 2 * open.count + 64 else { return }
        self[keyPath: queue] = CircularBuffer(self[keyPath: queue].filter { open[$0.id]?.turn == $0.turn })
    }

    /// Chooses connections to close until no more than a number of them remain, or none of the rest is dispensable.
    fileprivate mutating func makeRoom(for limit: Int) -> [Connections.Connection] {
        var dispensable: [Connections.Connection] = []
        while remaining > limit, let (id, turn) = nextToGiveWay(limit: limit) {
            guard let connection = open[id], connection.turn == turn else { continue }
            open[id]?.turn = nil
            open[id]?.givesWay = true
            givingWay += 1
            dispensable.append(connection)
        }
        return dispensable
    }

    private mutating func nextToGiveWay(limit: Int) -> Connections.Queue.Element? {
        newcomers.count > limit / 4 || regulars.isEmpty ? newcomers.popFirst() : regulars.popFirst()
    }
}
