import Settle
import SettleTesting
import Synchronization
import Testing

@testable import LiveServing

@Suite(.timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    private static let hello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test("The connection that has waited longest gives way") func theConnectionThatHasWaitedLongestGivesWay() {
        let list = List(limit: 3)
        for name in ["a", "b", "c"] { list.open(name) }
        list.serve("a")
        list.open("d")
        #expect(list.gaveWay == ["b"])
        list.open("e")
        #expect(list.gaveWay == ["b", "c"])
    }

    @Test("A flood of new connections leaves alone those that have sent a request")
    func aFloodOfNewConnectionsLeavesAloneThoseThatHaveSentARequest() {
        let list = List(limit: 10)
        list.open("client")
        list.serve("client")
        for number in 0..<1_000 { list.open("\(number)") }
        #expect(!list.gaveWay.contains("client"))
        #expect(list.gaveWay.count == 991)
    }

    @Test("New connections keep a quarter for themselves") func newConnectionsKeepAQuarterForThemselves() {
        let list = List(limit: 12)
        for number in 0..<12 {
            list.open("old \(number)")
            list.serve("old \(number)")
        }
        for number in 0..<4 { list.open("new \(number)") }
        // At first, there is room for each; then they make it for one another.
        #expect(list.gaveWay == ["old 0", "old 1", "old 2", "new 0"])
    }

    @Test("Connections in use never give way") func connectionsInUseNeverGiveWay() {
        let list = List(limit: 2)
        for name in ["a", "b"] {
            list.open(name)
            list.use(name)
        }
        #expect(!list.open("c"))
        #expect(list.gaveWay == [])
        list.serve("a")
        #expect(list.open("d"))
        #expect(list.gaveWay == ["a"])
    }

    @Test("A connection that gets a request instead of giving way stays")
    func aConnectionThatGetsARequestInsteadOfGivingWayStays() {
        let list = List(limit: 1, closesAtOnce: false)
        list.open("a")
        list.open("b")
        #expect(list.gaveWay == ["a"])
        list.use("a")
        // There is one too many now, and the next one makes up for it.
        #expect(list.connections.count == 2)
        list.open("c")
        #expect(list.gaveWay == ["a", "b"])
        #expect(list.connections.count == 2)
    }

    @Test("A lower limit applies to open connections") func aLowerLimitAppliesToOpenConnections() {
        let list = List(limit: 5)
        for name in ["a", "b", "c", "d", "e"] { list.open(name) }
        list.settings.limit = 2
        list.connections.reconsider()
        #expect(list.gaveWay == ["a", "b", "c"])
    }

    @Test("The process may allow fewer than the setting") func theProcessMayAllowFewerThanTheSetting() {
        let list = List(limit: 100, ceiling: 1)
        list.open("a")
        list.open("b")
        #expect(list.gaveWay == ["a"])
    }

    @Test("The store keeps descriptors for itself") func theStoreKeepsDescriptorsForItself() {
        #expect(Descriptors.forConnections(of: 256, cores: 2) == 210)
        #expect(Descriptors.forConnections(of: 20_000, cores: 16) == 19_912)
        // Too few for anything: some are accepted all the same, and NIO waits when there are none left.
        #expect(Descriptors.forConnections(of: 20, cores: 2) == 8)
    }

    @Test("Half-open connections do not keep others out") func halfOpenConnectionsDoNotKeepOthersOut() async throws {
        try await TestService.with { service async throws in
            service.settings.connections.limit = 4
            try await Self.hold(6, port: service.port) { () async throws in
                for _ in 0..<10 { #expect(try await service.send(.get("/hello")).status == 200) }
                #expect(try await service.send(.admin(.patch, "/settings/limits.burst", "7")).status == 200)
            }
        }
    }

    @Test("A changed limit holds without a restart") func aChangedLimitHoldsWithoutARestart() async throws {
        try await TestService.with { service async throws in
            try await service.withEvents { events async throws in
                _ = try await events.next()
                service.settings.connections.limit = 1
                try await RawConnection.with(port: service.port) { connection async throws in
                    let refusal = try await connection.response()
                    #expect(refusal.status == 503)
                    #expect(refusal.header("Retry-After") == "1")
                    #expect(refusal.error == "Too many connections are in use.")
                    #expect(await connection.rest() == "")
                }
                service.settings.connections.limit = 2
                #expect(try await service.send(.get("/hello")).status == 200)
            }
        }
    }

    @Test("A changed time-out holds for open connections") func aChangedTimeOutHoldsForOpenConnections() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.hello)
                #expect(try await connection.response().status == 200)
                try await connection.send("GET /hello HT")
                service.settings.connections.receiveTimeout = .milliseconds(100)
                #expect(try await connection.response().status == 408)
            }
            service.settings.connections.receiveTimeout = .seconds(3_600)
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.hello)
                #expect(try await connection.response().status == 200)
                service.settings.connections.idleTimeout = .milliseconds(100)
                #expect(await connection.rest() == "")
            }
        }
    }

    @Test("A client that reads nothing is cut off") func aClientThatReadsNothingIsCutOff() async throws {
        try await TestService.with { service async throws in
            // More than the buffers of both sides hold.
            let ballast = try await service.store.group(Ballast.self, at: "ballast")
            ballast.text = String(repeating: "x", count: 12 << 20)
            let authorization = "Authorization: Bearer \(TestRequest.token)"
            try await RawConnection.with(port: service.port, receiveBuffer: 4_096) { connection async throws in
                try await connection.send(
                    "GET /settings HTTP/1.1\r\nHost: localhost\r\n\(authorization)\r\n\r\n")
                service.settings.connections.sendTimeout = .milliseconds(100)
                let line = "http_connections_cut_off_total{reason=\"stalled\"} 1\n"
                try await eventually("the stalled connection is cut off") {
                    try await service.send(.get("/metrics")).text.contains(line)
                }
            }
            withExtendedLifetime(ballast) {}
        }
    }

    /// Opens connections, on each of which a part of a request is sent.
    private static func hold(_ count: Int, port: Int, _ body: () async throws -> Void) async throws {
        guard count > 0 else { return try await body() }
        try await RawConnection.with(port: port) { connection async throws in
            try await connection.send("GET /hello HTTP/1.1\r\nX: ")
            try await hold(count - 1, port: port, body)
        }
    }
}

/// A list of connections that have names.
private final class List: Sendable {
    let settings = ConnectionSettings()
    let connections: Connections
    private let closesAtOnce: Bool
    private let state = Mutex<(ids: [String: Connections.ID], gaveWay: [String])>(([:], []))

    init(limit: Int, ceiling: Int = 1_000, closesAtOnce: Bool = true) {
        settings.limit = limit
        self.closesAtOnce = closesAtOnce
        connections = Connections(settings: settings, ceiling: ceiling, factory: PrometheusMetrics())
    }

    var gaveWay: [String] { state.withLock { $0.gaveWay } }

    @discardableResult
    func open(_ name: String) -> Bool {
        let id = connections.open { [unowned self] event in
            guard case .giveWay = event else { return }
            let id = state.withLock { state in
                state.gaveWay.append(name)
                return state.ids[name]
            }
            if closesAtOnce, let id { connections.close(id) }
        }
        state.withLock { $0.ids[name] = id }
        return id != nil
    }

    func use(_ name: String) {
        state.withLock { $0.ids[name] }.map { connections.update($0, isDispensable: false) }
    }

    func serve(_ name: String) {
        use(name)
        state.withLock { $0.ids[name] }.map { connections.update($0, isDispensable: true) }
    }
}

/// A long text in the listing.
private struct Ballast: SettingsGroup {
    @Setting var text = ""
}
