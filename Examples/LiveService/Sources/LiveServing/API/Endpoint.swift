import Hummingbird

/// An entry of the table of endpoints, from which both the router and the OpenAPI document are made.
struct Endpoint: Sendable {
    let operation: Operation
    let handle: @Sendable (Request, ServiceContext) async throws -> Response
}

extension RouterMethods<ServiceContext> {
    func add(_ endpoints: [Endpoint]) {
        for endpoint in endpoints {
            on(RouterPath(endpoint.operation.path), method: endpoint.operation.method, use: endpoint.handle)
        }
    }
}
