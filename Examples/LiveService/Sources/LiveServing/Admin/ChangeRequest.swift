import HTTPTypes
import Hummingbird
import Settle

/// What a request to change settings says, besides the values.
struct ChangeRequest: Sendable {
    /// The name that belongs to the request's token. No header has a say in it.
    let author: String
    /// Whether the change is only checked.
    let isDryRun: Bool
    /// What the change builds on.
    let precondition: Precondition

    init(_ request: Request, _ context: ServiceContext) throws {
        author = context.author
        isDryRun = try request.flag("dryRun")
        precondition = try Precondition(ifMatch: request.headers[.ifMatch])
    }

    static let dryRun = Operation.Parameter(
        name: "dryRun", place: .query, description: "With true, everything is checked and nothing is written.",
        schema: .boolean)

    static let parameters = [
        dryRun,
        Operation.Parameter(
            name: "If-Match", place: .header,
            description: "The ETag of what the client has read: nothing is written if that has changed since.",
            schema: .string),
    ]
}

extension Request {
    /// A parameter of the query that is true or false, which it is when it is missing.
    func flag(_ name: String) throws -> Bool {
        switch uri.queryParameters[Substring(name)] {
        case nil, "false"?: return false
        case "true"?: return true
        case let other?: throw ServiceError(.badRequest, "\(name) can't be “\(other.prefix(20))”: it is true or false.")
        }
    }
}
