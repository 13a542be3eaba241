import Hummingbird

/// Counts the requests in progress.
struct LoadMiddleware<Context: RequestContext>: RouterMiddleware {
    let load: ServiceLoad

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        load.requestsInProgress += 1
        defer { load.requestsInProgress -= 1 }
        return try await next(request, context)
    }
}
