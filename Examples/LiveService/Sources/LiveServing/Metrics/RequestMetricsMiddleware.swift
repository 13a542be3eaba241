import CoreMetrics
import Hummingbird

/// Counts requests by endpoint and status, and measures how long their responses take.
struct RequestMetricsMiddleware<Context: RequestContext>: RouterMiddleware {
    let factory: any MetricsFactory

    /// The methods that are counted by name. A caller could make up any number of others.
    private static var methods: [HTTPRequest.Method] { [.get, .head, .patch, .put, .post, .delete, .options] }

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        do {
            let response = try await next(request, context)
            record(request, context, response.status, since: start)
            return response
        } catch {
            record(request, context, (error as? any HTTPResponseError)?.status ?? .internalServerError, since: start)
            throw error
        }
    }

    private func record(
        _ request: Request, _ context: Context, _ status: HTTPResponse.Status, since start: ContinuousClock.Instant
    ) {
        // The route, not the path, which any caller can make up.
        let route = context.endpointPath ?? "none"
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        Counter(
            label: "http_requests_total",
            dimensions: [("method", method), ("route", route), ("status", "\(status.code)")],
            factory: factory
        ).increment()
        Timer(label: "http_request_duration_seconds", dimensions: [("route", route)], factory: factory)
            .recordNanoseconds(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
    }
}
