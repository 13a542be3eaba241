import CoreMetrics
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Settle
import Testing

@testable import LiveServing

/// What happens when clients take their time; the time is the event loop's, and simulated.
struct ConnectionTimeTests {
    private let settings = ConnectionSettings()
    private let metrics = PrometheusMetrics()
    private let channel = EmbeddedChannel()

    init() throws {
        settings.receiveTimeout = .seconds(10)
        settings.idleTimeout = .seconds(60)
        let connections = Connections(settings: settings, ceiling: 10, factory: metrics)
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

    @Test("A connection on which nothing comes is closed without a word")
    func aConnectionOnWhichNothingComesIsClosedWithoutAWord() throws {
        pass(9)
        #expect(channel.isActive)
        pass(1)
        #expect(!channel.isActive)
        #expect(try received() == "")
        #expect(metrics.text().contains("http_connections_cut_off_total{reason=\"slow_head\"} 1\n"))
    }

    @Test("A request that drips gets 408 after its time however many drops come")
    func aRequestThatDripsGets408AfterItsTimeHoweverManyDropsCome() throws {
        try send("GET /hello HTTP/1.1\r\n")
        for _ in 0..<9 {
            pass(1)
            try send("X: y\r\n")
        }
        #expect(try received() == "")
        pass(1)
        #expect(try received().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
    }

    @Test("A body that drips ends its request with 408") func aBodyThatDripsEndsItsRequestWith408() throws {
        try send("PATCH /settings/a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1")
        pass(9)
        try send("2")
        try channel.throwIfErrorCaught()
        pass(1)
        // The router waits for the body, and makes this error its response.
        let error = #expect(throws: ServiceError.self) { try channel.throwIfErrorCaught() }
        #expect(error?.status == .requestTimeout)
        try answer()
        #expect(try received().contains("Connection: close\r\n"))
        pass(2)
        #expect(!channel.isActive)
    }

    @Test("A body that does not come after its answer ends the connection")
    func aBodyThatDoesNotComeAfterItsAnswerEndsTheConnection() throws {
        try send("PATCH /settings/a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1")
        try answer()
        pass(10 + 2)
        #expect(!channel.isActive)
    }

    @Test("An idle connection is closed and a busy one is not") func anIdleConnectionIsClosedAndABusyOneIsNot() throws {
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        // The router has its own time-outs.
        pass(3_600)
        #expect(channel.isActive)
        try answer()
        pass(59)
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        try answer()
        pass(59)
        #expect(channel.isActive)
        pass(1)
        #expect(!channel.isActive)
        #expect(metrics.text().contains("http_connections_cut_off_total{reason=\"idle\"} 1\n"))
    }

    @Test("The next request of a connection has its own time") func theNextRequestOfAConnectionHasItsOwnTime() throws {
        try send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        try answer()
        pass(30)
        try send("GET /hel")
        _ = try received()
        pass(9)
        #expect(try received() == "")
        pass(1)
        #expect(try received().hasPrefix("HTTP/1.1 408 "))
    }

    @Test("A request that waits for the one before it loses no time")
    func aRequestThatWaitsForTheOneBeforeItLosesNoTime() throws {
        try send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTT")
        pass(3_600)
        #expect(channel.isActive)
        try answer()
        try send("P/1.1\r\nHost: a\r\n\r\n")
        try answer()
        #expect(try received().ranges(of: "HTTP/1.1 200 OK").count == 2)
    }

    @Test("A shorter time-out holds for open connections") func aShorterTimeOutHoldsForOpenConnections() throws {
        pass(5)
        settings.receiveTimeout = .seconds(6)
        // What the service's reaction to the change sends to each connection.
        channel.triggerUserOutboundEvent(ConnectionEvent.reconsider, promise: nil)
        pass(1)
        #expect(!channel.isActive)
    }
}
