import Hummingbird
import Settle

/// Responds with 503 during maintenance. Requests that came before it go on.
struct MaintenanceMiddleware<Context: RequestContext>: RouterMiddleware {
    let settings: MaintenanceSettings

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let message = settings.snapshot { $0.isOn ? $0.message : nil }
        if let message { throw ServiceError(.serviceUnavailable, message, headers: [.retryAfter: "60"]) }
        return try await next(request, context)
    }
}
