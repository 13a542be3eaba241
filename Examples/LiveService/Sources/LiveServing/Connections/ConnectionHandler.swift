import NIOCore

/// Stands between the socket and HTTP: it cuts off clients that are too slow, too quiet or one too many, notices those
/// that leave, and closes a connection so that its client can read the last answer.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let connections: Connections
    private var isOpen = false
    /// `nil` for a connection that was not taken in.
    private var connection: Connections.ID?
    private var state = ConnectionStateMachine(now: .now())
    private var alarm: (time: NIODeadline, task: Scheduled<Void>)?
    /// `nil` while the bytes that arrive may belong to several requests.
    private var requestLine: RequestLine? = RequestLine()
    private var bytesWritten = 0
    private var inputIsClosed = false
    private var onInputClosed: [@Sendable () -> Void] = []

    init(_ connections: Connections) {
        self.connections = connections
    }

    /// Calls a closure when the client has closed its side, whatever it sent before that.
    func whenInputCloses(_ body: @escaping @Sendable () -> Void) {
        if inputIsClosed { body() } else { onInputClosed.append(body) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        state = ConnectionStateMachine(now: context.eventLoop.now)
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        guard !isOpen else { return }
        isOpen = true
        let channel = context.channel
        connection = connections.open { channel.triggerUserOutboundEvent($0, promise: nil) }
        if connection == nil { refuse(.tooManyConnections, context) }
        setAlarm(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        close()
    }

    private func close() {
        isOpen = false
        alarm?.task.cancel()
        alarm = nil
        connection.map(connections.close)
        connection = nil
        inputClosed()
    }

    private func inputClosed() {
        inputIsClosed = true
        for body in onInputClosed { body() }
        onInputClosed = []
    }
}

// MARK: - Bytes

extension ConnectionHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the last answer, the rest of what the client sends is read only so that it can read that answer.
        guard !state.isLeaving else { return }
        state.bytesArrived(at: context.eventLoop.now)
        requestLine?.append(unwrapInboundIn(data).readableBytesView)
        setAlarm(context)
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if state.isLeaving { context.read() }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            inputClosed()
            if state.isLeaving { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !state.isLeaving else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        bytesWritten += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        measureSending(context)
    }

    private func measureSending(_ context: ChannelHandlerContext) {
        let unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        state.sendingProgressed(sent: bytesWritten - unsent, isWaiting: unsent > 0, at: context.eventLoop.now)
        setAlarm(context)
    }
}

// MARK: - Requests

extension ConnectionHandler {
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let event = event as? ConnectionEvent else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        handle(event, context)
        promise?.succeed()
    }

    private func handle(_ event: ConnectionEvent, _ context: ChannelHandlerContext) {
        switch event {
        case .requestBegan: state.requestBegan()
        case .requestArrived:
            state.requestArrived(at: context.eventLoop.now)
            requestLine = nil
        case .answerSent:
            state.answerSent(at: context.eventLoop.now)
            requestLine = RequestLine()
        case .refuse(let error): refuse(error, context)
        case .notHTTP(let error): refuse(ServiceError(error, in: requestLine), context)
        case .leave: leave(context)
        case .giveWay: giveWay(context)
        case .reconsider: break
        }
        connection.map { connections.update($0, isDispensable: state.isDispensable) }
        setAlarm(context)
    }

    private func giveWay(_ context: ChannelHandlerContext) {
        guard state.isDispensable else { return }
        cutOff(context, because: "made_room")
    }

    private func refuse(_ error: ServiceError, _ context: ChannelHandlerContext) {
        guard !state.isLeaving else { return }
        connections.refused(error)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(error.message)), promise: nil)
        leave(context)
    }

    /// Closes the output, and the connection once the client has closed its side too. Closing it at once could take
    /// the answer from a client that is still sending.
    private func leave(_ context: ChannelHandlerContext) {
        guard !state.isLeaving else { return }
        state.left(at: context.eventLoop.now)
        guard !inputIsClosed else { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        context.read()
    }
}

// MARK: - Time

extension ConnectionHandler {
    private func setAlarm(_ context: ChannelHandlerContext) {
        guard isOpen, let deadline = state.deadline(connections.timeouts) else { return }
        // An alarm that comes too soon is set anew then. That is cheaper than moving it with each request.
        if let alarm, alarm.time <= deadline.time { return }
        alarm?.task.cancel()
        let this = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: deadline.time) {
            this.value.handler.ring(this.value.context)
        }
        alarm = (deadline.time, task)
    }

    private func ring(_ context: ChannelHandlerContext) {
        alarm = nil
        if state.isSending { measureSending(context) }
        if let deadline = state.deadline(connections.timeouts), deadline.time <= context.eventLoop.now {
            end(context, because: deadline.reason)
        }
        setAlarm(context)
    }

    private func end(_ context: ChannelHandlerContext, because reason: ConnectionStateMachine.Overdue) {
        switch reason {
        case .slowHead where state.hasReceivedBytes: refuse(.tooSlow, context)
        case .slowBody:
            state.requestGivenUp()
            context.fireUserInboundEventTriggered(BodyTooSlow())
        case .idle, .slowHead, .stalled, .lingering: cutOff(context, because: reason.rawValue)
        }
    }

    private func cutOff(_ context: ChannelHandlerContext, because reason: String) {
        if !state.isLeaving { connections.cutOff(because: reason) }
        context.close(promise: nil)
    }
}
