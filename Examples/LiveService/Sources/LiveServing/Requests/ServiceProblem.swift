import Hummingbird
import Settle

/// A refusal as `application/problem+json` (RFC 9457), as those of the API of settings are.
struct ServiceProblem: HTTPResponseError {
    let status: HTTPResponse.Status
    /// The explanation, as a sentence.
    let detail: String
    let headers: HTTPFields

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        (self.status, self.detail, self.headers) = (status, detail, headers)
    }

    /// The document on one line.
    var json: String {
        SettingValue.dictionary([
            "type": .string("about:blank"), "title": .string(status.reasonPhrase),
            "status": .integer(Int64(status.code)), "detail": .string(detail),
        ]).jsonText + "\n"
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        var fields = headers
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }
}

/// Answers with a problem where the framework answers with a bare status, such as for an unknown path.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as ServiceProblem {
            throw problem
        } catch let error as any HTTPResponseError {
            let isUnknown = error.status == .notFound
            throw ServiceProblem(error.status, isUnknown ? "There is no such endpoint." : "\(error.status).")
        }
    }
}
