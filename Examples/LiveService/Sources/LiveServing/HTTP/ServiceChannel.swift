import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Sets up each connection: time-outs and limits next to the socket, then HTTP/1, then the router.
struct ServiceChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: Responder
    let connections: Connections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try Self.addHandlers(to: channel.pipeline.syncOperations, connections: connections)
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations, connections: Connections) throws {
        try pipeline.addHandler(ConnectionHandler(connections))
        // With pipelining assistance requests are delivered one by one, and a client is read from no faster than it
        // is answered.
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try pipeline.addHandler(ExchangeHandler())
    }

    /// In bytes.
    private static var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1_024
        limits.maxHeaderListSize = 32 * 1_024
        limits.maxHeaderFieldCount = 100
        return limits
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
