import Hummingbird
import Settle

/// The endpoints that the service exists for.
struct PublicRoutes: Sendable {
    let settings: ServiceSettings
    let clock: any Clock<Duration>

    /// The longest time that `GET /slow` accepts.
    private static let longest = 60_000

    func add(to router: some RouterMethods<some RequestContext>) {
        router.get(
            "hello",
            use: limited { _, _ in
                Response(json: ["greeting": .string(isOn("loud") ? "HELLO!" : "Hello.")])
            })
        router.get(
            "features/:name",
            use: limited { _, context in
                let name = try context.parameters.require("name")
                return Response(json: ["name": .string(name), "isOn": .bool(isOn(name))])
            })
        router.get(
            "slow",
            use: limited { request, _ in
                guard let milliseconds = request.uri.queryParameters.get("ms", as: Int.self),
                    (0...Self.longest).contains(milliseconds)
                else { throw ServiceError(.badRequest, "Say how long it may take: /slow?ms=0 to ms=\(Self.longest).") }
                try await clock.sleep(for: .milliseconds(milliseconds))
                return Response(json: ["waitedMilliseconds": .integer(Int64(milliseconds))])
            })
    }

    private func isOn(_ feature: String) -> Bool {
        settings.features.enabled.contains(feature)
    }

    /// A handler that responds with 504 after the time-out in force when its request arrived.
    private func limited<Context>(
        _ handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> @Sendable (Request, Context) async throws -> Response where Context: RequestContext {
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
