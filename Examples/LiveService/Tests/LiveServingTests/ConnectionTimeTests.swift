import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Settle
import Testing

@testable import LiveServing

/// What happens when clients take their time; the time is the event loop's, and simulated.
@Suite struct ConnectionTimeTests {
    private let settings = ConnectionSettings()
    private let connections: Connections
    private let channel = EmbeddedChannel()

    init() throws {
        settings.receiveTimeout = .seconds(10)
        settings.idleTimeout = .seconds(60)
        // NIO's handler for it reads the real time, so it must not come into play.
        settings.sendTimeout = .seconds(3_600)
        connections = Connections(settings: settings, ceiling: 10)
        try ServiceChannel.addHandlers(to: channel.pipeline.syncOperations, connections: connections)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
    }

    private func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    private func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    private func answer() throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    /// What the client has received since the last call.
    private func received() throws -> String {
        var text = ""
        while case .byteBuffer(let buffer)? = try channel.readOutbound(as: IOData.self) {
            text += String(buffer: buffer)
        }
        return text
    }

    @Test("A connection on which nothing comes is closed without a word") func nothingComes() throws {
        pass(9)
        #expect(channel.isActive)
        pass(1)
        #expect(!channel.isActive)
        #expect(try received() == "")
    }

    @Test("A header that drips is closed after its time, however many drops come") func headerDrips() throws {
        try send("GET /hello HTTP/1.1\r\n")
        for _ in 0..<9 {
            pass(1)
            try send("X: y\r\n")
        }
        #expect(channel.isActive)
        pass(1)
        #expect(!channel.isActive)
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
    }

    @Test("A body that drips ends its request with 408") func bodyDrips() throws {
        try send("PATCH /settings/a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1")
        pass(9)
        try send("2")
        try channel.throwIfErrorCaught()
        pass(1)
        // The router waits for the body, and makes this error its response.
        let problem = #expect(throws: ServiceProblem.self) { try channel.throwIfErrorCaught() }
        #expect(problem?.status == .requestTimeout)
        try answer()
        #expect(try received().contains("Connection: close\r\n"))
        pass(2)
        #expect(!channel.isActive)
    }

    @Test("A body that has not come by its answer ends the connection") func bodyAfterAnswer() throws {
        try send("PATCH /settings/a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1")
        try answer()
        #expect(try received().contains("Connection: close\r\n"))
        pass(2)
        #expect(!channel.isActive)
    }

    @Test("An idle connection is closed, and a busy one is not") func idleAndBusy() throws {
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        // The router has its own time-outs.
        pass(600)
        #expect(channel.isActive)
        try answer()
        pass(59)
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        try answer()
        pass(59)
        #expect(channel.isActive)
        pass(1)
        #expect(!channel.isActive)
    }

    @Test("The next request of a connection has its own time") func nextRequest() throws {
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        try answer()
        pass(55)
        try send("PATCH /settings/a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1")
        pass(9)
        try channel.throwIfErrorCaught()
        #expect(channel.isActive)
        pass(1)
        #expect(throws: ServiceProblem.self) { try channel.throwIfErrorCaught() }
    }

    @Test("A request that waits for the one before it loses no time") func pipelinedRequest() throws {
        try send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTT")
        pass(600)
        #expect(channel.isActive)
        try answer()
        try send("P/1.1\r\nHost: a\r\n\r\n")
        try answer()
        #expect(try received().ranges(of: "HTTP/1.1 200 OK").count == 2)
    }

    @Test("A shorter time-out holds for open connections") func shorterTimeout() throws {
        pass(5)
        settings.receiveTimeout = .seconds(6)
        // As the service's reaction to the change does.
        connections.reconsider()
        pass(1)
        #expect(!channel.isActive)
    }

    @Test("A connection that is to make room closes, but not before its answer") func makesRoom() throws {
        settings.limit = 1
        try send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(connections.open { _ in } == nil)
        try answer()
        #expect(connections.open { _ in } != nil)
        pass(0)
        #expect(!channel.isActive)
        #expect(try received().contains("HTTP/1.1 200 OK"))
    }

    @Test("A connection that is to make room while its answer is on the way ends with the next one")
    func makesRoomWhileSending() throws {
        settings.limit = 1
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        // Not flushed yet, as for a client that reads slowly.
        let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])
        channel.write(HTTPResponsePart.head(head), promise: nil)
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        #expect(connections.open { _ in } != nil)
        pass(0)
        channel.flush()
        #expect(channel.isActive)
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        try answer()
        #expect(try received().contains("Connection: close\r\n"))
        pass(2)
        #expect(!channel.isActive)
    }
}
