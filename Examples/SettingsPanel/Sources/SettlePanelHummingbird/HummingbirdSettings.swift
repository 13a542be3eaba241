// Settle 0.1.0-dev: copy this file. The guides “A panel for your program” and “Settings over HTTP” name the products.
// It needs Hummingbird 2.28.1 or later: in earlier versions, a watched client that departs leaves a task that spins.

import HTTPTypes
public import Hummingbird
import NIOCore
import ServiceLifecycle
public import SettleHTTP
import Synchronization

extension RouterMethods {
    /// Serves a panel, a list of panels or an API of settings below its own path.
    public func addSettings(_ responder: some WebResponder) {
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .patch, .put, .delete, .options]
        for method in methods {
            for path in [responder.path, responder.path + "/**"] {
                on(RouterPath(path), method: method) { request, _ in try await responder.response(to: request) }
            }
        }
    }
}

/// Serves a panel, a list of panels or an API of settings before any route is looked for: for routers that have a table
/// of their routes, and for an API at the server's root, beside other routes.
public struct SettingsMiddleware<Context: RequestContext>: RouterMiddleware {
    private let responder: any WebResponder

    /// Creates the middleware. Put it before those that the settings have no need of, such as limits, and before those
    /// that replace the bodies of requests: behind them, only heartbeats notice that the client of a stream has departed.
    public init(_ responder: some WebResponder) {
        self.responder = responder
    }

    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard responder.serves(request.head.path ?? "/") else { return try await next(request, context) }
        return try await responder.response(to: request)
    }
}

extension WebResponder {
    /// Answers a request of Hummingbird.
    fileprivate func response(to request: Request) async throws -> Response {
        let message = try await webRequest(of: request)
        guard request.method == .get || request.method == .head else {
            let (response, state) = await respond(to: message, watching: request)
            return response.forHummingbird(answering: request, on: state)
        }
        let answer = await respond(to: message).forHummingbird(answering: request)
        // Also the head of a stream gets a length, 0: without one, NIO would write the end of a chunked body behind it,
        // which the client would take for the beginning of the next response.
        return request.method == .head ? answer.createHeadResponse() : answer
    }

    /// Takes a request apart.
    ///
    /// Neither this nor what puts a response together is inlined: a connection keeps the memory of its deepest frames.
    @inline(never)
    private func webRequest(of request: Request) async throws -> WebRequest {
        var body: [UInt8] = []
        for try await part in request.body {
            body += part.readableBytesView
            // Enough for the responder to refuse it. Hummingbird drops the rest.
            if body.count > bodySizeLimit { break }
        }
        var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        // The line of the request has it, or the field of that name.
        if let host = request.head.authority { headers.append(("host", host)) }
        return WebRequest(
            method: request.method.rawValue, target: String((request.head.path ?? "/").dropFirst(path.count)),
            headers: headers, body: body)
    }

    /// Answers a request that may change something. If it takes more than a second, the departure of its client cancels
    /// it: a change that has not begun is not made. Also returns the state that this leaves the connection in.
    private func respond(
        to message: WebRequest, watching request: Request
    ) async -> (WebResponse, ClientConnection.State) {
        let answer = Task { await respond(to: message) }
        return await withTaskGroup(of: ClientConnection.State.self) { tasks in
            tasks.addTask {
                // Hummingbird serves no further request on a connection that was watched. Almost every change is faster
                // than this, so its connection stays open.
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return .open }
                let connection = ClientConnection(of: request)
                let losesNext = try? await connection.watch {
                    _ = await answer.value
                } departure: {
                    answer.cancel()
                }
                guard connection.isWatchable else { return .open }
                return losesNext == true ? .losing : .closing
            }
            let response = await withTaskCancellationHandler {
                await answer.value
            } onCancel: {
                answer.cancel()
            }
            tasks.cancelAll()
            return (response, await tasks.next() ?? .open)
        }
    }
}

/// The connection of a request whose body has been read. It does not hold the request, of which ten thousand streams
/// would keep ten thousand copies.
private struct ClientConnection: Sendable {
    /// The state of a connection at the end of an answer.
    enum State: Sendable {
        /// It serves further requests.
        case open
        /// Hummingbird closes it, because it was watched.
        case closing
        /// The client's next request is lost, and only ``NextRequestLost`` closes it.
        case losing
    }

    /// `nil` if the connection can't be watched.
    private let body: RequestBody?

    var isWatchable: Bool { body != nil }

    init(of request: Request) {
        // If a middleware has replaced the body, Hummingbird may not know its connection any more, and would stop the
        // process. No API of it shows that. Without a watch, a heartbeat of the stream notices the departure.
        guard Mirror(reflecting: request.body).descendant("_backing", "nioAsyncChannelRequestBody") != nil else {
            body = nil
            return
        }
        // Hummingbird expects the end of a body before it watches, and stops the process if the client departs first.
        // The real end has been read, so here is another one.
        var watched = request
        watched.body = RequestBody(buffer: ByteBuffer())
        body = watched.body
    }

    /// Runs an operation, and calls a closure if the client closes the connection meanwhile, or its half of it.
    /// Hummingbird closes the connection once this request has been answered.
    ///
    /// - Returns: Whether the client has sent another request meanwhile. It is lost, and the watch has ended with it.
    ///   Hummingbird does not close the connection then: throw ``NextRequestLost`` once this request has been answered.
    func watch(
        _ operation: @Sendable () async throws -> Void, departure: @escaping @Sendable () -> Void
    ) async throws -> Bool {
        guard let body else {
            try await operation()
            return false
        }
        let hasClosed = Atomic(false)
        try await body.consumeWithInboundCloseHandler { _ in
            try await operation()
        } onInboundClosed: {
            hasClosed.store(true, ordering: .relaxed)
            departure()
        }
        // The end of the operation cancels the watch, which closes the stream of requests. Only another request ends
        // the watch without that.
        return !hasClosed.load(ordering: .relaxed)
    }
}

/// Makes Hummingbird close a connection whose next request is lost. Otherwise the client would take the answer to a
/// later request for that to the lost one, and a graceful shutdown would wait for an answer that never comes.
private struct NextRequestLost: Error {}

extension WebResponse {
    @inline(never)
    fileprivate func forHummingbird(
        answering request: Request, on state: ClientConnection.State = .open
    ) -> Response {
        var fields = HTTPFields()
        // Hummingbird adds the date.
        fields.reserveCapacity(headers.count + 1)
        for (name, value) in headers {
            if let name = HTTPField.Name(known: name) { fields.append(HTTPField(name: name, value: value)) }
        }
        switch body {
        case .bytes(let bytes):
            let buffer = ByteBuffer(bytes: bytes)
            // HTTP/2 forbids the field. There a client sends its own scheme, which is nearly always HTTPS; of HTTP/1.1,
            // Hummingbird reports HTTP, also behind TLS.
            if state != .open, request.head.scheme != "https" { fields[.connection] = "close" }
            guard state == .losing else {
                return Response(status: .init(code: status), headers: fields, body: ResponseBody(byteBuffer: buffer))
            }
            return Response(
                status: .init(code: status), headers: fields,
                body: ResponseBody(contentLength: buffer.readableBytes) { writer in
                    try await writer.write(buffer)
                    try await writer.finish(nil)
                    // Closing discards what the socket has not taken yet, and no API of Hummingbird says when it has
                    // taken everything. A client has a second to receive a long answer.
                    try? await Task.sleep(for: .seconds(1))
                    throw NextRequestLost()
                })
        case .events(let events):
            let connection = ClientConnection(of: request)
            return Response(
                status: .init(code: status), headers: fields,
                body: ResponseBody { writer in
                    // Only one task uses it at a time: this one waits while a child writes.
                    nonisolated(unsafe) var writer = writer
                    // One closure for both: each would take memory as long as the stream lasts.
                    let end: @Sendable () -> Void = { events.end() }
                    let losesNext = try await withGracefulShutdownHandler(
                        operation: {
                            // What it throws, of a client that has gone or is stalled, closes the connection, and
                            // Hummingbird logs it as a trace.
                            try await connection.watch(
                                { try await events.send { try await writer.write(ByteBuffer(bytes: $0)) } },
                                departure: end)
                        }, onGracefulShutdown: end)
                    try await writer.finish(nil)
                    if losesNext { throw NextRequestLost() }
                })
        }
    }
}

extension HTTPField.Name {
    private static let requestID = Self("X-Request-ID")
    private static let accelBuffering = Self("X-Accel-Buffering")

    /// Creates the name of a field. The names that nearly every response has are constants, which take neither a check
    /// nor memory.
    fileprivate init?(known name: String) {
        let constant: Self? =
            switch name {
            case "Content-Type": .contentType
            case "Cache-Control": .cacheControl
            case "ETag": .eTag
            case "X-Request-ID": Self.requestID
            case "X-Content-Type-Options": .xContentTypeOptions
            case "X-Accel-Buffering": Self.accelBuffering
            default: Self(name)
            }
        guard let constant else { return nil }
        self = constant
    }
}
