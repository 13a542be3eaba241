import Hummingbird
import Settle

/// The endpoints that the service exists for.
struct PublicRoutes: Sendable {
    let settings: ServiceSettings
    let clock: any Clock<Duration>

    /// The longest time that `GET /slow` accepts.
    private static let longest = 60_000

    var endpoints: [Endpoint] { [hello, feature, slow] }

    private var hello: Endpoint {
        let operation = Operation(
            method: .get, path: "/hello", summary: "A greeting, in capitals with the feature “loud”", access: .limited,
            answers: [.ok("The greeting.", .object(["greeting": .string]))])
        return Endpoint(
            operation: operation,
            handle: limited { _, _ in Response(json: ["greeting": .string(isOn("loud") ? "HELLO!" : "Hello.")]) })
    }

    private var feature: Endpoint {
        let name = Operation.Parameter(
            name: "name", place: .path, description: "The feature's name.", schema: .string)
        let operation = Operation(
            method: .get, path: "/features/{name}", summary: "Whether a feature is on", access: .limited,
            parameters: [name],
            answers: [.ok("The feature.", .object(["name": .string, "isOn": .boolean]))])
        return Endpoint(
            operation: operation,
            handle: limited { _, context in
                let name = try context.parameter("name")
                return Response(json: ["name": .string(name), "isOn": .bool(isOn(name))])
            })
    }

    private var slow: Endpoint {
        let range = 0...Self.longest
        let milliseconds = Operation.Parameter(
            name: "ms", place: .query, description: "How long it takes.", schema: .integer(in: range), isRequired: true)
        let operation = Operation(
            method: .get, path: "/slow", summary: "An answer after a while", access: .limited,
            parameters: [milliseconds],
            answers: [.ok("How long it took.", .object(["waitedMilliseconds": .integer(in: range)]))])
        return Endpoint(
            operation: operation,
            handle: limited { request, _ in
                guard let milliseconds = request.uri.queryParameters.get("ms", as: Int.self),
                    range.contains(milliseconds)
                else { throw ServiceError(.badRequest, "Say how long it may take: /slow?ms=0 to ms=\(Self.longest).") }
                try await clock.sleep(for: .milliseconds(milliseconds))
                return Response(json: ["waitedMilliseconds": .integer(Int64(milliseconds))])
            })
    }

    private func isOn(_ feature: String) -> Bool {
        settings.features.enabled.contains(feature)
    }

    /// A handler that responds with 504 after the time-out in force when its request arrived.
    private func limited(
        _ handler: @escaping @Sendable (Request, ServiceContext) async throws -> Response
    ) -> @Sendable (Request, ServiceContext) async throws -> Response {
        { request, context in
            let timeout = settings.requests.timeout
            do {
                return try await withTimeout(timeout, clock: clock) { try await handler(request, context) }
            } catch is TimeoutError {
                throw ServiceError(.gatewayTimeout, "The request took longer than \(timeout).")
            }
        }
    }
}
