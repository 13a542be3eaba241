public import Hummingbird
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
            for place in [carrier.path, carrier.path + "/**"] {
                on(RouterPath(place), method: method) { request, _ in try await carrier.respond(to: request) }
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
