import Hummingbird

/// Says in a sentence what the framework refuses with a bare status, such as a path that leads nowhere.
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
