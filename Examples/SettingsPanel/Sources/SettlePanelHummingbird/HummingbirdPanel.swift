// Settle 0.1.0-dev: copy this file. The guide “A panel for your program” names the products that it needs.

import HTTPTypes
public import Hummingbird
import NIOCore
import ServiceLifecycle
public import SettlePanel

extension RouterMethods {
    /// Serves a panel below its own path.
    public func addSettingsPanel(_ panel: SettingsPanel) {
        add(PanelCarrier(path: panel.path) { await panel.respond(to: $0) })
    }

    /// Serves the panels of several programs, with a front page.
    public func addSettingsPanels(_ directory: PanelDirectory) {
        add(PanelCarrier(path: directory.path) { await directory.respond(to: $0) })
    }

    private func add(_ carrier: PanelCarrier) {
        for method in [HTTPRequest.Method.get, .head, .post] {
            for path in [carrier.path, carrier.path + "/**"] {
                on(RouterPath(path), method: method) { request, _ in try await carrier.respond(to: request) }
            }
        }
    }
}

/// Serves a panel before any route is looked for: for routers that have a table of their routes.
public struct SettingsPanelMiddleware<Context: RequestContext>: RouterMiddleware {
    private let carrier: PanelCarrier

    /// Creates the middleware. Put it before those that the panel has no need of, such as limits.
    public init(_ panel: SettingsPanel) {
        carrier = PanelCarrier(path: panel.path) { await panel.respond(to: $0) }
    }

    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard carrier.serves(request) else { return try await next(request, context) }
        return try await carrier.respond(to: request)
    }
}

/// Takes requests of Hummingbird apart for a panel, and puts its responses together.
private struct PanelCarrier: Sendable {
    /// Below which the panel is.
    let path: String
    let answer: @Sendable (PanelRequest) async -> PanelResponse

    init(path: String, _ answer: @escaping @Sendable (PanelRequest) async -> PanelResponse) {
        (self.path, self.answer) = (path, answer)
    }

    /// Whether a request is for the panel.
    func serves(_ request: Request) -> Bool {
        request.uri.path == path || request.uri.path.hasPrefix(path + "/")
    }

    func respond(to request: Request) async throws -> Response {
        // It throws for a larger body, which Hummingbird answers with 413.
        let body = try await request.body.collect(upTo: SettingsPanel.bodyLimit)
        var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        // The line of the request has it, or the field of that name.
        if let host = request.head.authority { headers.append(("host", host)) }
        let response = await answer(
            PanelRequest(
                method: request.method.rawValue, target: String((request.head.path ?? "/").dropFirst(path.count)),
                headers: headers, body: Array(body.readableBytesView)))
        return request.method == .head ? response.forHummingbird.createHeadResponse() : response.forHummingbird
    }
}

extension PanelResponse {
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
                    try await withGracefulShutdownHandler {
                        for await piece in events { try await writer.write(ByteBuffer(bytes: piece)) }
                    } onGracefulShutdown: {
                        events.end()
                    }
                    try await writer.finish(nil)
                })
        }
    }
}
