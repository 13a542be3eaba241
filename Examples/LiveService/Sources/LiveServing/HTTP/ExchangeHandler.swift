import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Translates between HTTP/1 and the router's types, and keeps to HTTP's rules about connections: when they close, what
/// has no body, and what is refused.
///
/// Requests come one by one; see `HTTPServerPipelineHandler`.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var exchange: Exchange?
    /// Whether the last answer of the connection has been given. What comes after it is not taken.
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes): receive(bytes, context)
        case .end(let trailers): end(trailers, context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        do {
            let request = try Exchange.request(head)
            exchange = Exchange(head)
            tell(.requestBegan, context)
            context.fireChannelRead(wrapInboundOut(.head(request)))
        } catch {
            isOver = true
            tell(.refuse(error), context)
        }
    }

    private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        context.fireChannelRead(wrapInboundOut(.body(bytes)))
    }

    private func end(_ trailers: HTTPHeaders?, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        exchange?.requestIsComplete = true
        tell(.requestArrived, context)
        context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields($0, splitCookie: false) })))
    }

    private func tell(_ event: ConnectionEvent, _ context: ChannelHandlerContext) {
        context.triggerUserOutboundEvent(event, promise: nil)
    }
}

// MARK: - Responses

extension ExchangeHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let response) where response.status.kind == .informational:
            inform(response, context, promise)
        case .head(let response):
            guard let head = exchange?.begin(response) else { return context.write(data, promise: promise) }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes):
            guard exchange?.isHead == false else { promise?.succeed(); return }
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers):
            finish(trailers.map { HTTPHeaders($0) }, context, promise)
        }
    }

    /// Sends `100 Continue` to a client that waits for it.
    private func inform(
        _ response: HTTPResponse, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        guard exchange?.waitsForInvitation == true else { promise?.succeed(); return }
        exchange?.waitsForInvitation = false
        context.write(wrapOutboundOut(.head(HTTPResponseHead(response))), promise: promise)
    }

    private func finish(
        _ trailers: HTTPHeaders?, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        let isLast = exchange?.isLast ?? true
        isOver = isLast
        exchange?.answer = .complete
        let sent = promise ?? context.eventLoop.makePromise()
        let this = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        sent.futureResult.whenSuccess {
            this.value.handler.tell(.answerSent, this.value.context)
            if isLast { this.value.handler.tell(.leave, this.value.context) }
        }
        context.write(wrapOutboundOut(.end(trailers)), promise: sent)
    }
}

// MARK: - Errors

extension ExchangeHandler {
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState, is IOError: clientIsGone(context)
        case let error as HTTPParserError: giveUp(context, .notHTTP(error), ServiceError(error, in: nil))
        // Other errors follow those.
        default: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is BodyTooSlow else { return context.fireUserInboundEventTriggered(event) }
        giveUp(context, .leave, .tooSlow)
    }

    func channelInactive(context: ChannelHandlerContext) {
        clientIsGone(context)
        context.fireChannelInactive()
    }

    /// Ends a request whose rest can't be received. If it has begun, the router responds with an error.
    private func giveUp(_ context: ChannelHandlerContext, _ event: ConnectionEvent, _ error: ServiceError) {
        guard !isOver else { return }
        guard let exchange, !exchange.requestIsComplete else { return tell(event, context) }
        guard exchange.answer != .complete else { return tell(.leave, context) }
        self.exchange?.isLast = true
        context.fireErrorCaught(error)
    }

    /// Ends a request whose rest will never come. Without this, the router would take what has come for all of it.
    private func clientIsGone(_ context: ChannelHandlerContext) {
        guard let exchange, !exchange.requestIsComplete else { return }
        self.exchange?.isLast = true
        self.exchange?.requestIsComplete = true
        context.fireErrorCaught(ClientGone())
    }
}
