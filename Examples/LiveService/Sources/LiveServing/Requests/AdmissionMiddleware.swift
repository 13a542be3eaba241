import Hummingbird
import Settle

/// What each request to a public endpoint passes: it is counted, answered with 503 in maintenance, and with 429 when
/// the limiter has no token. The settings are read now, so a change applies to the very next request.
struct AdmissionMiddleware<Context: RequestContext>: RouterMiddleware {
    let load: ServiceLoad
    let maintenance: MaintenanceSettings
    let limiter: RateLimiter

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Counted before the switch is read, so that no request is missed when maintenance begins.
        load.requestsInProgress += 1
        defer { load.requestsInProgress -= 1 }
        if let message = maintenance.snapshot({ $0.isOn ? $0.message : nil }) {
            throw ServiceProblem(.serviceUnavailable, message, headers: [.retryAfter: "60"])
        }
        if let wait = limiter.take() {
            let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
            throw ServiceProblem(
                .tooManyRequests, "Too many requests. Try again in \(seconds) s.",
                headers: [.retryAfter: "\(seconds)"])
        }
        return try await next(request, context)
    }
}
