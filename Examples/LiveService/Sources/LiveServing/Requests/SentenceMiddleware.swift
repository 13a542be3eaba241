import Hummingbird

/// Adds a sentence where the framework responds with a bare status, such as for an unknown path.
struct SentenceMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServiceError {
            throw error
        } catch let error as any HTTPResponseError {
            throw ServiceError(error.status, Self.sentence(for: error.status))
        }
    }

    private static func sentence(for status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "There is no such endpoint."
        case .contentTooLarge: "The body is larger than any that this service takes."
        default: "\(status.reasonPhrase)."
        }
    }
}
