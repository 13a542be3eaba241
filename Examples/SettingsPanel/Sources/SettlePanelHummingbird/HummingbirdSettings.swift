// Settle 0.1.0-dev: copy this file. The guides “A panel for your program” and “Settings over HTTP” name the products.

import HTTPTypes
public import Hummingbird
import NIOCore
import ServiceLifecycle
public import SettleHTTP

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

    /// Creates the middleware. Put it before those that the settings have no need of, such as limits.
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
    /// Takes a request of Hummingbird apart, and puts the response together.
    fileprivate func response(to request: Request) async throws -> Response {
        var body: [UInt8] = []
        for try await part in request.body {
            body += part.readableBytesView
            // Enough for the responder to refuse it. Hummingbird drops the rest.
            if body.count > bodySizeLimit { break }
        }
        var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        // The line of the request has it, or the field of that name.
        if let host = request.head.authority { headers.append(("host", host)) }
        let response = await respond(
            to: WebRequest(
                method: request.method.rawValue, target: String((request.head.path ?? "/").dropFirst(path.count)),
                headers: headers, body: body))
        return request.method == .head ? response.forHummingbird.createHeadResponse() : response.forHummingbird
    }
}

extension WebResponse {
    fileprivate var forHummingbird: Response {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        switch body {
        case .bytes(let bytes):
            return Response(
                status: .init(code: status), headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .events(let events):
            return Response(
                status: .init(code: status), headers: fields,
                body: ResponseBody { writer in
                    // Only one task uses it at a time: this one waits while a child writes.
                    nonisolated(unsafe) var writer = writer
                    try await withGracefulShutdownHandler {
                        // What it throws, of a client that has gone or is stalled, closes the connection, and
                        // Hummingbird logs it as a trace.
                        try await events.send { try await writer.write(ByteBuffer(bytes: $0)) }
                    } onGracefulShutdown: {
                        events.end()
                    }
                    try await writer.finish(nil)
                })
        }
    }
}
