import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// A connection on which a test sends whatever it likes.
struct RawConnection {
    private let channel: any Channel
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var unread = ""

    /// Connects, and closes the connection at the end.
    static func with<Result>(
        port: Int, receiveBuffer: Int? = nil, _ body: (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBuffer)
        }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(
                channel: channel.channel, inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// Closes this side, and keeps the other one open.
    func closeOutput() {
        outbound.finish()
    }

    /// Closes the connection without the usual good-bye.
    func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }

    /// The next response.
    ///
    /// - Parameter hasBody: Whether the response has the body that its headers tell of.
    mutating func response(hasBody: Bool = true) async throws -> TestResponse {
        let mark = "\r\n\r\n"
        while !unread.contains(mark) { try await receive() }
        let end = unread.firstRange(of: mark) ?? unread.endIndex..<unread.endIndex
        var response = TestResponse(head: unread[..<end.lowerBound])
        unread = String(unread[end.upperBound...])
        let length = hasBody ? response.header("Content-Length").flatMap { Int($0) } ?? 0 : 0
        while unread.utf8.count < length { try await receive() }
        response.text = String(decoding: unread.utf8.prefix(length), as: UTF8.self)
        unread = String(decoding: unread.utf8.dropFirst(length), as: UTF8.self)
        return response
    }

    /// Waits for a part of what the service sends.
    mutating func receive(until part: String) async throws {
        while !unread.contains(part) { try await receive() }
    }

    /// Everything until the service closes its side, with or without the usual good-bye.
    mutating func rest() async -> String {
        while (try? await receive()) != nil {}
        return unread
    }

    private mutating func receive() async throws {
        guard let buffer = try await inbound.next(isolation: #isolation) else { throw ConnectionClosed() }
        unread += String(buffer: buffer)
    }
}

extension TestResponse {
    /// A response's first line and headers, as they are sent.
    fileprivate init(head: Substring) {
        let lines = head.split(separator: "\r\n")
        let fields = lines.dropFirst().map { $0.split(separator: ": ", maxSplits: 1) }
        self.init(
            status: lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0,
            headers: fields.map { (String($0.first ?? ""), String($0.last ?? "")) }, text: "")
    }
}
