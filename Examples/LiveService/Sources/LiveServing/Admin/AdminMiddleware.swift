import Hummingbird
import Settle

/// Rejects requests without the bearer token of an admin, and tells the others' authors.
struct AdminMiddleware: RouterMiddleware {
    let settings: AdminSettings
    let refusals: Refusals

    func handle(
        _ request: Request, context: ServiceContext,
        next: @concurrent (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        switch author(of: request) {
        case .success(let author):
            var context = context
            context.author = author
            return try await next(request, context)
        case .failure(let reason):
            refusals.report(request, context, reason)
            throw ServiceError(refusedFor: reason)
        }
    }

    private func author(of request: Request) -> Result<String, Refusals.Reason> {
        guard !settings.isClosed else { return .failure(.closed) }
        guard let token = AdminToken(of: request) else { return .failure(.missing) }
        return settings.holder(of: token).map { .success($0) } ?? .failure(.wrong)
    }
}

extension ServiceError {
    fileprivate init(refusedFor reason: Refusals.Reason) {
        switch reason {
        case .closed:
            self.init(
                .forbidden, "The admin endpoints are closed, because no token is set. Restart the service to get one.")
        case .missing, .wrong:
            self.init(
                .unauthorized, "The admin endpoints want “Authorization: Bearer <token>” with the service's token.",
                headers: [.wwwAuthenticate: "Bearer realm=\"live-service\""])
        }
    }
}
