import HTTPTypes
import NIOCore
import NIOHTTP1

/// Stands between NIO's HTTP/1 and the router: it closes connections whose clients are too slow, too quiet or one too
/// many, answers what can't be delivered, and keeps to HTTP's rules about which request is the last one.
///
/// Requests come one by one; see `HTTPServerPipelineHandler`.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: Connections
    /// `nil` before the connection is taken in, and once it is closed.
    private var id: Connections.ID?
    private var isWaiting = true
    private var state = ConnectionState(now: .now())
    private var alarm: (time: NIODeadline, task: Scheduled<Void>)?
    /// The request that is being received or answered.
    private var request: HTTPRequestHead?
    /// Whether the connection ends after the answer.
    private var isLast = false
    /// Whether nothing of the answer was taken for the time of `sendTimeout`, as far as is known.
    private var isStalled = false

    init(_ connections: Connections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        state = ConnectionState(now: context.eventLoop.now)
        let this = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        id = connections.open { order in
            eventLoop.execute { this.value.handler.obey(order, this.value.context) }
        }
        if id == nil { context.close(promise: nil) }
        setAlarm(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        alarm = nil
        id.map(connections.close)
        id = nil
        context.fireChannelInactive()
    }
}

// MARK: - Requests

extension ConnectionHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What comes after the last request is read only so that the client can read its answer.
        guard state.phase != .leaving else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body: context.fireChannelRead(data)
        case .end:
            state.requestEnded()
            context.fireChannelRead(data)
        }
        noteProgress(context)
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        state.requestBegan(at: context.eventLoop.now)
        request = head
        let hosts = head.headers["Host"].count
        guard hosts == 1 || hosts == 0 && head.isOld else {
            return refuse(ServiceProblem(.badRequest, "A request must have one Host header, not \(hosts)."), context)
        }
        // The parser takes nothing after a request to switch protocols.
        if !head.isKeepAlive || head.headers.contains(name: "Upgrade") || head.method == .CONNECT { isLast = true }
        if !head.isOld, head.headers.contains(name: "Expect") {
            let invitation = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(invitation)), promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let parserError = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        if parserError == .invalidEOFState, state.phase != .receiving { return context.close(promise: nil) }
        switch state.phase {
        case .receiving: giveUp(ServiceProblem(.badRequest, "The rest of the request is missing."), context)
        case .new, .idle:
            refuse(ServiceProblem(.badRequest, "The request is not valid HTTP, or its header is too large."), context)
        // A request that was given up has its answer.
        case .answering, .leaving: break
        }
        noteProgress(context)
    }

    /// Ends a request whose rest can't be received. The router waits for its body, and makes this error its answer.
    private func giveUp(_ problem: ServiceProblem, _ context: ChannelHandlerContext) {
        state.requestEnded()
        isLast = true
        context.fireErrorCaught(problem)
    }
}

// MARK: - Answers

extension ConnectionHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            finish(&head)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body where request?.method == .HEAD: promise?.succeed()
        case .body: context.write(data, promise: promise)
        case .end: end(data, context, promise)
        }
    }

    /// Gives the head of an answer the version and the connection that the client understands.
    private func finish(_ head: inout HTTPResponseHead) {
        isStalled = false
        guard let request else { return }
        let hasLength = head.headers.contains(name: "Content-Length")
        if request.isOld || request.method == .HEAD && !hasLength { head.version = .http1_0 }
        // Without chunks and a length, the answer ends with the connection. The rest of a request that is answered
        // before it has arrived is not waited for.
        if head.version == .http1_0 && !hasLength || state.phase == .receiving { isLast = true }
        if isLast || request.isOld {
            head.headers.replaceOrAdd(name: "Connection", value: isLast ? "close" : "keep-alive")
        }
    }

    private func end(_ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        // The state changes before the write, which may deliver the next request.
        if isLast {
            state.left(at: context.eventLoop.now)
            let sent = promise ?? context.eventLoop.makePromise()
            let this = NIOLoopBound(context, eventLoop: context.eventLoop)
            // Closing both sides at once could take the answer from a client that is still sending.
            sent.futureResult.whenSuccess { this.value.close(mode: .output, promise: nil) }
            context.write(data, promise: sent)
        } else {
            state.answerEnded(at: context.eventLoop.now)
            context.write(data, promise: promise)
        }
        noteProgress(context)
    }

    /// Answers a request that the router does not get.
    private func refuse(_ problem: ServiceProblem, _ context: ChannelHandlerContext) {
        let text = problem.json
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: problem.status.code))
        head.headers.add(name: "Connection", value: "close")
        head.headers.add(name: "Content-Type", value: "application/problem+json")
        head.headers.add(name: "Content-Length", value: "\(text.utf8.count)")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        leave(context)
    }

    private func leave(_ context: ChannelHandlerContext) {
        state.left(at: context.eventLoop.now)
        context.close(mode: .output, promise: nil)
    }
}

// MARK: - Time

extension ConnectionHandler {
    private func obey(_ order: Connections.Order, _ context: ChannelHandlerContext) {
        guard id != nil else { return }
        switch order {
        case .end where state.phase == .answering || isSending(context): isLast = true
        case .end: context.close(promise: nil)
        case .reconsider: setAlarm(context)
        }
    }

    private func noteProgress(_ context: ChannelHandlerContext) {
        if let id, isWaiting != (state.phase != .answering) {
            isWaiting.toggle()
            connections.update(id, isWaiting: isWaiting)
        }
        setAlarm(context)
    }

    private func setAlarm(_ context: ChannelHandlerContext) {
        guard id != nil, let deadline = state.deadline(connections.limits) else { return }
        // An alarm that comes too soon is set again then. That is cheaper than moving it with each request.
        if let alarm, alarm.time <= deadline { return }
        alarm?.task.cancel()
        let this = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: deadline) { this.value.handler.ring(this.value.context) }
        alarm = (deadline, task)
    }

    private func ring(_ context: ChannelHandlerContext) {
        alarm = nil
        guard let deadline = state.deadline(connections.limits) else { return }
        guard deadline <= context.eventLoop.now else { return setAlarm(context) }
        switch state.phase {
        case .receiving: giveUp(ServiceProblem(.requestTimeout, "The request took too long to arrive."), context)
        // The client still reads, and has its time after that.
        case .idle where isSending(context): state.answerEnded(at: context.eventLoop.now)
        case .leaving where isSending(context): state.left(at: context.eventLoop.now)
        case .new, .idle, .answering, .leaving: return context.close(promise: nil)
        }
        noteProgress(context)
    }

    /// NIO's handler for idle connections reports that no write was completed for the time of `sendTimeout`. At the first
    /// report, that may be the time before the answer.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? IdleStateHandler.IdleStateEvent == .write else {
            return context.fireUserInboundEventTriggered(event)
        }
        if isStalled, isSending(context) { return context.close(promise: nil) }
        isStalled = isSending(context)
    }

    /// Whether the client has not taken all of its answer yet.
    private func isSending(_ context: ChannelHandlerContext) -> Bool {
        ((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0) > 0
    }
}

extension HTTPRequestHead {
    /// HTTP/1.0 has neither chunks nor `100 Continue`, and closes connections unless asked not to.
    fileprivate var isOld: Bool { version == .http1_0 }
}
