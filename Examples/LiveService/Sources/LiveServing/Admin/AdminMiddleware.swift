import Hummingbird
import Settle

/// Rejects requests without the admin's bearer token.
struct AdminMiddleware: RouterMiddleware {
    let settings: AdminSettings
    let refusals: Refusals

    func handle(
        _ request: Request, context: ServiceContext,
        next: @concurrent (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        if let reason = reasonToRefuse(request) {
            refusals.report(request, context, reason)
            throw ServiceError(refusedFor: reason)
        }
        return try await next(request, context)
    }

    private func reasonToRefuse(_ request: Request) -> Refusals.Reason? {
        let token = settings.token
        if token.revealed.isEmpty { return .closed }
        guard let presented = AdminToken(of: request) else { return .missing }
        return presented.matches(token) ? nil : .wrong
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
