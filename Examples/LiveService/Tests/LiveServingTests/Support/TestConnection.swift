import NIOCore
import NIOHTTP1
import NIOPosix

/// A connection to the service, which is kept alive between requests.
struct TestConnection {
    typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private var inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>

    /// Connects, and closes the connection at the end.
    ///
    /// - Parameter receiveBuffer: How much unread data the system keeps; the system's default if `nil`.
    static func with<Result>(
        port: Int, receiveBuffer: Int? = nil, _ body: (inout TestConnection) async throws -> Result
    ) async throws -> Result {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBuffer)
        }
        let channel =
            try await bootstrap
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = TestConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    /// Sends a request and reads the whole response.
    mutating func send(_ request: TestRequest) async throws -> TestResponse {
        let head = try await begin(request)
        var text = ""
        while let part = try await nextPart() { text += part }
        return TestResponse(
            status: Int(head.status.code), headers: head.headers.map { ($0.name, $0.value) }, text: text)
    }

    /// Sends a request and reads the response's head.
    mutating func begin(_ request: TestRequest) async throws -> HTTPResponseHead {
        var headers = HTTPHeaders(request.headers)
        headers.add(name: "Host", value: "127.0.0.1")
        headers.add(name: "Content-Length", value: "\(request.body.utf8.count)")
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue), uri: request.path,
            headers: headers)
        try await outbound.write(.head(head))
        try await outbound.write(.body(.byteBuffer(ByteBuffer(string: request.body))))
        try await outbound.write(.end(nil))
        while let part = try await inbound.next(isolation: #isolation) {
            if case .head(let head) = part { return head }
        }
        throw ConnectionClosed()
    }

    /// The next part of a body; `nil` at its end.
    mutating func nextPart() async throws -> String? {
        switch try await inbound.next(isolation: #isolation) {
        case .body(let buffer): String(buffer: buffer)
        case .end: nil
        case .head, nil: throw ConnectionClosed()
        }
    }
}

/// The service closed the connection in the middle of a response.
struct ConnectionClosed: Error {}
