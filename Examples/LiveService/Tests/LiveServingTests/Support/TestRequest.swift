import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct TestRequest: Sendable {
    /// The token of the services in tests.
    static let token = "a-token-that-nobody-may-see-plugh"

    enum Method: String {
        case get = "GET"
        case patch = "PATCH"
        case post = "POST"
        case delete = "DELETE"
    }

    var method = Method.get
    var path: String
    var headers: [(String, String)] = []
    var body = ""

    static func get(_ path: String) -> TestRequest { TestRequest(path: path) }

    /// A request with the admin's token.
    static func admin(
        _ method: Method, _ path: String, lastEventID: String? = nil, ifMatch: String? = nil,
        token: String = token, _ body: String = ""
    ) -> TestRequest {
        var headers = [("Authorization", "Bearer \(token)")]
        if let lastEventID { headers.append(("Last-Event-ID", lastEventID)) }
        if let ifMatch { headers.append(("If-Match", ifMatch)) }
        return TestRequest(method: method, path: path, headers: headers, body: body)
    }
}

struct TestResponse: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    var text: String

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func value() throws -> SettingValue { try SettingValue(json: Data(text.utf8)) }

    func json() throws -> SettingValue.Entries {
        guard case .dictionary(let object) = try value() else { return [:] }
        return object
    }

    /// The sentence of an error response.
    var error: String? {
        guard case .string(let sentence)? = try? json()["error"] else { return nil }
        return sentence
    }
}
