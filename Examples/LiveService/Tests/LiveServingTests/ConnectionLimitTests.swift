import Settle
import SettleTesting
import Synchronization
import Testing

@testable import LiveServing

@Suite(.timeLimit(.minutes(10))) struct ConnectionLimitTests {
    private static let hello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test("The connection that has waited longest gives way") func longestIdle() {
        let list = List(limit: 3)
        for name in ["a", "b", "c"] { list.open(name) }
        list.serve("a")
        list.open("d")
        #expect(list.ended == ["b"])
        list.open("e")
        #expect(list.ended == ["b", "c"])
    }

    @Test("A flood of new connections leaves alone those that have sent a request") func flood() {
        let list = List(limit: 10)
        list.open("client")
        list.serve("client")
        for number in 0..<1_000 { list.open("\(number)") }
        #expect(!list.ended.contains("client"))
        #expect(list.ended.count == 991)
    }

    @Test("New connections keep a quarter for themselves") func quarterForNew() {
        let list = List(limit: 12)
        for number in 0..<12 {
            list.open("old \(number)")
            list.serve("old \(number)")
        }
        for number in 0..<5 { list.open("new \(number)") }
        // At first, there is room for each; then they make it for one another.
        #expect(list.ended == ["old 0", "old 1", "old 2", "old 3", "new 0"])
    }

    @Test("Connections in use never give way") func inUse() {
        let list = List(limit: 2)
        for name in ["a", "b"] {
            list.open(name)
            list.use(name)
        }
        #expect(!list.open("c"))
        #expect(list.ended == [])
        list.serve("a")
        #expect(list.open("d"))
        #expect(list.ended == ["a"])
    }

    @Test("A lower limit applies to open connections") func loweredLimit() {
        let list = List(limit: 5)
        for name in ["a", "b", "c", "d", "e"] { list.open(name) }
        list.settings.limit = 2
        list.connections.reconsider()
        #expect(list.ended == ["a", "b", "c"])
    }

    @Test("The process may allow fewer than the setting") func processLimit() {
        let list = List(limit: 100, ceiling: 1)
        list.open("a")
        list.open("b")
        #expect(list.ended == ["a"])
    }

    @Test("Half-open connections do not keep others out") func halfOpen() async throws {
        try await TestService.with { service async throws in
            service.settings.connections.limit = 4
            try await Self.hold(6, port: service.port) { () async throws in
                for _ in 0..<10 { #expect(try await service.send(.get("/hello")).status == 200) }
                #expect(try await service.send(.admin(.patch, "/settings/limits.burst", "7")).status == 200)
            }
        }
    }

    @Test("A changed limit holds without a restart") func changedLimit() async throws {
        try await TestService.with { service async throws in
            try await TestConnection.with(port: service.port) { stream async throws in
                _ = try await stream.begin(.admin(.get, "/settings/changes"))
                service.settings.connections.limit = 1
                try await RawConnection.with(port: service.port) { connection async throws in
                    #expect(await connection.rest() == "")
                }
                service.settings.connections.limit = 2
                #expect(try await service.send(.get("/hello")).status == 200)
            }
        }
    }

    @Test("A changed time-out holds for open connections") func changedTimeOut() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.hello)
                #expect(try await connection.response().status == 200)
                service.settings.connections.idleTimeout = .milliseconds(100)
                #expect(await connection.rest() == "")
            }
        }
    }

    @Test("A client that reads nothing is cut off") func readsNothing() async throws {
        try await TestService.with { service async throws in
            // More than the buffers of both sides hold.
            let ballast = try await service.store.group(Ballast.self, at: "ballast")
            ballast.text = String(repeating: "x", count: 12 << 20)
            service.settings.connections.sendTimeout = .milliseconds(100)
            let authorization = "Authorization: Bearer \(TestRequest.token)"
            try await RawConnection.with(port: service.port, receiveBuffer: 4_096) { connection async throws in
                // Once this is answered, the connection counts.
                try await connection.send(Self.hello)
                #expect(try await connection.response().status == 200)
                try await connection.send(
                    "GET /settings HTTP/1.1\r\nHost: localhost\r\n\(authorization)\r\n\r\n")
                try await eventually("the stalled connection is cut off") {
                    try await service.send(.get("/metrics")).text.contains("\nhttp_connections 1\n")
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
    private let state = Mutex<(ids: [String: Connections.ID], ended: [String])>(([:], []))

    init(limit: Int, ceiling: Int = 1_000) {
        settings.limit = limit
        connections = Connections(settings: settings, ceiling: ceiling)
    }

    var ended: [String] { state.withLock { $0.ended } }

    @discardableResult
    func open(_ name: String) -> Bool {
        let id = connections.open { [unowned self] order in
            if case .end = order { state.withLock { $0.ended.append(name) } }
        }
        state.withLock { $0.ids[name] = id }
        return id != nil
    }

    func use(_ name: String) {
        state.withLock { $0.ids[name] }.map { connections.update($0, isWaiting: false) }
    }

    func serve(_ name: String) {
        use(name)
        state.withLock { $0.ids[name] }.map { connections.update($0, isWaiting: true) }
    }
}

/// A long text in the listing.
private struct Ballast: SettingsGroup {
    @Setting var text = ""
}
