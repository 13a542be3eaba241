import Hummingbird
import Settle

/// Rejects requests without the admin's bearer token.
struct AdminMiddleware<Context: RequestContext>: RouterMiddleware {
    let settings: AdminSettings

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let token = settings.token
        guard !token.revealed.isEmpty else {
            throw ServiceError(
                .forbidden, "The admin endpoints are closed, because no token is set. Restart the service to get one.")
        }
        guard AdminToken(of: request)?.matches(token) == true else {
            throw ServiceError(
                .unauthorized, "The admin endpoints want “Authorization: Bearer <token>” with the service's token.",
                headers: [.wwwAuthenticate: "Bearer realm=\"live-service\""])
        }
        return try await next(request, context)
    }
}
