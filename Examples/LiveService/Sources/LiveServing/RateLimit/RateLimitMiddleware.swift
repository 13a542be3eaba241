import Hummingbird

/// Responds with 429 when the limiter has no token.
struct RateLimitMiddleware<Context: RequestContext>: RouterMiddleware {
    let limiter: RateLimiter

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let wait = limiter.take() {
            let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
            throw ServiceError(
                .tooManyRequests, "Too many requests. Try again in \(seconds) s.",
                headers: [.retryAfter: "\(seconds)"])
        }
        return try await next(request, context)
    }
}
