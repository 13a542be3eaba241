import Hummingbird
import Settle

/// The endpoints that the service exists for.
struct PublicRoutes: Sendable {
    private struct Greeting: ResponseEncodable { let greeting: String }

    private struct Feature: ResponseEncodable {
        let name: String
        let isOn: Bool
    }

    private struct Wait: ResponseEncodable { let waitedMilliseconds: Int }

    let settings: ServiceSettings
    let clock: any Clock<Duration>

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.addGet("/hello") { _, _ in
            try await limited { Greeting(greeting: isOn("loud") ? "HELLO!" : "Hello.") }
        }
        router.addGet("/features/{name}") { _, context in
            let name = try context.parameters.require("name")
            return try await limited { Feature(name: name, isOn: isOn(name)) }
        }
        router.addGet("/slow") { request, _ in
            guard let wait = request.uri.queryParameters.get("ms", as: Int.self), (0...60_000).contains(wait) else {
                throw ServiceProblem(.badRequest, "Specify the delay: /slow?ms=0 to ms=60000.")
            }
            return try await limited {
                try await clock.sleep(for: .milliseconds(wait))
                return Wait(waitedMilliseconds: wait)
            }
        }
    }

    private func isOn(_ feature: String) -> Bool { settings.features.enabled.contains(feature) }

    /// Answers with 504 after the time-out in force when the request arrived.
    private func limited<Answer: Sendable>(
        _ answer: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let timeout = settings.requests.timeout
        return try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask { try await answer() }
            group.addTask {
                try await clock.sleep(for: timeout)
                throw ServiceProblem(.gatewayTimeout, "The request took longer than \(timeout).")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

extension RouterMethods<BasicRequestContext> {
    /// Adds an endpoint that is only read. Other methods are answered with 405, and `OPTIONS` with those that it has.
    func addGet(
        _ path: RouterPath,
        use handler:
            @escaping @Sendable @concurrent (Request, BasicRequestContext) async throws
            -> some ResponseGenerator
    ) {
        let allow: HTTPFields = [.allow: "GET, HEAD, OPTIONS"]
        get(path, use: handler)
        on(path, method: .options) { _, _ in Response(status: .noContent, headers: allow) }
        for method: HTTPRequest.Method in [.post, .put, .patch, .delete] {
            on(path, method: method) { _, _ -> Response in
                throw ServiceProblem(.methodNotAllowed, "This endpoint is read-only.", headers: allow)
            }
        }
    }
}
