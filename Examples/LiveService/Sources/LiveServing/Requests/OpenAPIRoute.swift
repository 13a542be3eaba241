import Hummingbird
import Settle
import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `GET /openapi.json`: the service's own endpoints, and those of the API with the schemas of all settings.
struct OpenAPIRoute: Sendable {
    let api: SettingsAPI

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.addGet("/openapi.json") { _, _ in
            let own = try SettingValue(json: Data(Self.document.utf8))
            let text = try await api.openAPIDocument(mergedInto: own).jsonText + "\n"
            return Response(
                status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }

    private static let document = """
        {
          "openapi": "3.1.0", "info": {"title": "Live service", "version": "\(LiveService.version)"},
          "paths": {
            "/hello": {"get": {"summary": "A greeting, in capitals with the feature “loud”", "responses": {
              "200": {"description": "The greeting.", \(json("greeting", "string"))}, \(refusals)}}},
            "/features/{name}": {"get": {"summary": "Whether a feature is on", "parameters": [
              {"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}], "responses": {
              "200": {"description": "The feature.", \(json("isOn", "boolean"))}, \(refusals)}}},
            "/slow": {"get": {"summary": "An answer after a while", "parameters": [
              {"name": "ms", "in": "query", "required": true, "schema": \(milliseconds)}], "responses": {
              "200": {"description": "How long it took.", \(json("waitedMilliseconds", "integer"))},
              "400": {"description": "`ms` is missing, or not a number from 0 to 60000.", \(problem)}, \(refusals)}}}
          },
          "components": {"schemas": {"ServiceProblem": {"type": "object", "required": ["title", "status", "detail"]}}}
        }
        """

    private static let milliseconds = #"{"type": "integer", "minimum": 0, "maximum": 60000}"#

    private static let problem =
        ##""content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ServiceProblem"}}}"##

    /// The refusals of the public endpoints.
    private static let refusals = """
        "429": {"description": "The rate limit is exceeded.", \(problem)},
        "503": {"description": "Maintenance is on.", \(problem)},
        "504": {"description": "The request took longer than `requests.timeout`.", \(problem)}
        """

    /// An answer with an object that has a member.
    private static func json(_ name: String, _ type: String) -> String {
        let schema = #"{"type": "object", "required": ["\#(name)"], "properties": {"\#(name)": {"type": "\#(type)"}}}"#
        return #""content": {"application/json": {"schema": \#(schema)}}"#
    }
}
