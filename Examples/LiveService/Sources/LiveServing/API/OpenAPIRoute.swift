import Hummingbird
import Settle
import SettleInterchange

/// `GET /openapi.json`.
struct OpenAPIRoute: Sendable {
    let store: SettingsStore

    private static let operation = Operation(
        method: .get, path: "/openapi.json", summary: "This document",
        answers: [.ok("The OpenAPI description of the service.", Schema(["type": .string("object")]))])

    /// A table of endpoints, with the one that describes them all, but for HEAD, which each GET has.
    func describing(_ endpoints: [Endpoint]) -> [Endpoint] {
        let operations = endpoints.map(\.operation).filter { $0.method != .head } + [Self.operation]
        return endpoints + [
            Endpoint(operation: Self.operation) { [store] _, _ in
                Response(json: OpenAPIDocument(operations: operations, settings: store.file.schema().settings).json)
            }
        ]
    }
}
