import Hummingbird
import NIOCore
import NIOHTTPTypes

/// A request's context, which knows its connection.
struct ServiceContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    /// The name that belongs to the request's token; empty for requests that need none.
    var author = ""
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The other end of the connection: the client, or the proxy in front of the service.
    var remoteAddress: SocketAddress? { channel.remoteAddress }

    /// A part of the path, decoded.
    func parameter(_ name: String) throws -> String {
        let spelled = try parameters.require(name)
        guard let parameter = spelled.percentDecoded else {
            throw ServiceError(.badRequest, "In the path, “\(spelled)” is not UTF-8 in percent encoding.")
        }
        return parameter
    }

    /// Asks a client that waits for it to send the body of its request.
    func inviteBody(of request: Request) async throws {
        guard request.headers.contains(.expect) else { return }
        try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
    }

    /// Ends when the client closes its side of the connection, also after requests that are still to be answered.
    func untilClientLeaves() -> AsyncStream<Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        channel.eventLoop.execute { [channel] in
            guard let handler = try? channel.pipeline.syncOperations.handler(type: ConnectionHandler.self) else {
                return continuation.finish()
            }
            handler.whenInputCloses { continuation.finish() }
        }
        return stream
    }
}
