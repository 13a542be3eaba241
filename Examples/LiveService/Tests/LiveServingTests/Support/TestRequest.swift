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
        _ method: Method, _ path: String, token: String = token, _ body: String = ""
    ) -> TestRequest {
        TestRequest(method: method, path: path, headers: [("Authorization", "Bearer \(token)")], body: body)
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

    /// The sentence of a problem.
    var detail: String? {
        guard header("Content-Type") == "application/problem+json",
            case .string(let sentence)? = try? json()["detail"]
        else { return nil }
        return sentence
    }
}

/// A document lacks a field that a test reads.
struct MissingField: Error {}
