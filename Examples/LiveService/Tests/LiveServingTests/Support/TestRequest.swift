import NIOHTTP1
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct TestRequest: Sendable {
    /// The token of the services in tests.
    static let token = "a-token-that-nobody-may-see-4711"

    var method = HTTPMethod.GET
    var path: String
    var headers: [(String, String)] = []
    var body = ""

    static func get(_ path: String) -> TestRequest { TestRequest(path: path) }

    /// A request with the admin's token.
    static func admin(
        _ method: HTTPMethod = .GET, _ path: String, by writer: String? = nil, lastEventID: String? = nil,
        token: String = token, _ body: String = ""
    ) -> TestRequest {
        var headers = [("Authorization", "Bearer \(token)")]
        if let writer { headers.append(("X-Changed-By", writer)) }
        if let lastEventID { headers.append(("Last-Event-ID", lastEventID)) }
        return TestRequest(method: method, path: path, headers: headers, body: body)
    }
}

struct TestResponse: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    func json() throws -> [String: SettingValue] {
        guard case .dictionary(let object) = try SettingValue(json: Data(text.utf8)) else { return [:] }
        return object
    }

    /// The sentence of an answer that is not what was asked for.
    var error: String? {
        guard case .string(let sentence)? = try? json()["error"] else { return nil }
        return sentence
    }
}
