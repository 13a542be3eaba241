import HTTPTypes
import Hummingbird

/// A router that knows the methods of each path: it answers OPTIONS, and other methods with 405.
final class ServiceRouter: RouterMethods {
    typealias Context = ServiceContext

    private let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    /// By path.
    private var methods: [String: Set<String>] = [:]

    /// The routes that were added, such as `GET /hello`.
    var routes: Set<String> {
        Set(methods.flatMap { path, methods in methods.subtracting(["HEAD", "OPTIONS"]).map { "\($0) \(path)" } })
    }

    @discardableResult
    func on<Responder: HTTPResponder>(
        _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
    ) -> Self where Responder.Context == ServiceContext {
        methods[path.description, default: ["OPTIONS"]].formUnion(method == .get ? ["GET", "HEAD"] : [method.rawValue])
        router.on(path, method: method, responder: responder)
        return self
    }

    @discardableResult
    func add(middleware: any MiddlewareProtocol<Request, Response, ServiceContext>) -> Self {
        router.add(middleware: middleware)
        return self
    }

    /// Called once, after all routes have been added.
    func responder() -> some HTTPResponder<ServiceContext> {
        let others = Router(context: ServiceContext.self)
        for (path, methods) in methods {
            let allow = HTTPFields.allowing(methods)
            others.on(RouterPath(path), method: .options) { _, _ in Response(status: .noContent, headers: allow) }
            others.on(RouterPath(path), method: .get) { _, _ -> Response in
                throw ServiceError(
                    .methodNotAllowed, "This endpoint has \(allow[.allow] ?? "no methods").", headers: allow)
            }
        }
        // Routes have only the middleware that was added before them. So this is for requests that have none.
        let all: Set<String> = methods.values.reduce([]) { $0.union($1) }
        router.add(middleware: OtherMethods(responder: others.buildResponder(), all: all))
        return router.buildResponder()
    }
}

/// Responds to methods that a path does not have.
private struct OtherMethods: RouterMiddleware {
    let responder: RouterResponder<ServiceContext>
    let all: Set<String>

    func handle(
        _ request: Request, context: ServiceContext,
        next: @concurrent (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var head = request.head
        if head.method == .options, head.path == "*" { return Response(status: .noContent, headers: .allowing(all)) }
        if head.method != .options { head.method = .get }
        let response = try await responder.respond(to: Request(head: head, body: request.body), context: context)
        return response.status == .notFound ? try await next(request, context) : response
    }
}

extension HTTPFields {
    fileprivate static func allowing(_ methods: Set<String>) -> HTTPFields {
        [.allow: methods.sorted().joined(separator: ", ")]
    }
}
