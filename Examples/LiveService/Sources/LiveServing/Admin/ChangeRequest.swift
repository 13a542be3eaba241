import HTTPTypes
import Hummingbird
import Settle

/// What the headers and the query of a request to change settings say.
struct ChangeRequest: Sendable {
    /// The name in the request, without characters that can't be seen.
    let author: String
    /// Whether the change is only checked.
    let isDryRun: Bool
    /// The entity tags of `If-Match`.
    private let expected: [String]?

    init(_ request: Request) throws {
        author = Self.author(request)
        isDryRun = try Self.isDryRun(request)
        expected = request.headers[.ifMatch]?.split(separator: ",").map { $0.trimmingWhitespace() }
    }

    /// - Parameter revision: The store's revision, in the transaction that makes the change.
    func checkPrecondition(_ revision: UInt64) throws {
        guard let expected, !expected.contains("*"), !expected.contains(Self.entityTag(revision)) else { return }
        throw ServiceError(
            .preconditionFailed, "Settings have changed since. The revision is \(revision) now. Nothing is written.",
            headers: [.eTag: Self.entityTag(revision)])
    }

    static func entityTag(_ revision: UInt64) -> String { "\"\(revision)\"" }

    static let parameters = [
        Operation.Parameter(
            name: "dryRun", place: .query, description: "With true, everything is checked and nothing is written.",
            schema: .boolean),
        Operation.Parameter(
            name: "If-Match", place: .header, description: "The ETag of a listing: change nothing that is newer.",
            schema: .string),
        Operation.Parameter(
            name: "X-Changed-By", place: .header, description: "The author of the change.", schema: .string),
    ]

    private static func isDryRun(_ request: Request) throws -> Bool {
        switch request.uri.queryParameters["dryRun"] {
        case nil, "false"?: return false
        case "true"?: return true
        case let other?: throw ServiceError(.badRequest, "dryRun can't be “\(other.prefix(20))”: it is true or false.")
        }
    }

    private static func author(_ request: Request) -> String {
        let name = request.headers[.changedBy]?.visible.prefix(bytes: 80)
        guard let name, !name.isEmpty else { return "the admin endpoint" }
        return name
    }
}

extension HTTPField.Name {
    /// The author of a change.
    static let changedBy = HTTPField.Name("X-Changed-By") ?? .from
}

extension Substring {
    fileprivate func trimmingWhitespace() -> String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
