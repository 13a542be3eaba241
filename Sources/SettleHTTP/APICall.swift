import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An admitted request to a route.
struct APICall: Sendable {
    let request: WebRequest
    let client: APIClient
    let query: FormFields
    /// The decoded parameters of the path.
    let captures: [(name: String, value: String)]

    func capture(_ name: String) -> String { captures.first { $0.name == name }?.value ?? "" }

    /// Returns a parameter of the query that is true or false, which it is when it is missing.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch query[name] {
        case nil, "false"?: return false
        case "true"?: return true
        case let other?:
            throw Problem(.invalidRequest, "\(name) can't be “\(other.prefix(20))”: it is true or false.")
        }
    }

    /// Returns the body, which must be one JSON value.
    func json() throws(Problem) -> SettingValue {
        do {
            return try SettingValue(json: Data(request.body))
        } catch {
            throw Problem(.invalidBody, "The body must be one JSON value. \(error)")
        }
    }

    /// Whether the body is a JSON Merge Patch (RFC 7396).
    ///
    /// - Throws: ``Problem`` for a media type that a value can't have, and for more than one. The defaults of clients
    ///   are accepted: the body is JSON all the same.
    func isMergePatch() throws(Problem) -> Bool {
        let types = request.values(of: "content-type")
        guard types.count <= 1 else { throw Problem(.invalidRequest, "A request has one Content-Type.") }
        let type = types.first?.split(separator: ";").first ?? ""
        switch type.filter({ $0 != " " && $0 != "\t" }).lowercased() {
        case "application/merge-patch+json": return true
        case "", "application/json", "application/x-www-form-urlencoded", "text/plain": return false
        default:
            var problem = Problem(
                .unsupportedMediaType, "The body is application/json or application/merge-patch+json.")
            problem.headers = [("Accept-Patch", "application/json, application/merge-patch+json")]
            throw problem
        }
    }
}

extension WebResponse {
    static let jsonMediaType = "application/json; charset=utf-8"

    /// A JSON response.
    static func json(_ entries: SettingValue.Entries, status: Int = 200) -> WebResponse {
        WebResponse(
            status, [("Content-Type", jsonMediaType)],
            .bytes(SettingValue.dictionary(entries).jsonLine))
    }

    /// The bytes of the body; none of a stream.
    var bytes: [UInt8] {
        guard case .bytes(let bytes) = body else { return [] }
        return bytes
    }
}
