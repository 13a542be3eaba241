/// A request that was refused because of its token, for the program's log. It never has a token or a query.
public struct APIRefusal: Sendable, Hashable {
    /// Why a request was refused.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No token is set, so no client is admitted.
        case closed
        /// The request has no bearer token.
        case missing
        /// The request has a token that is none of the API's.
        case wrong
        /// The token does not permit the request.
        case notPermitted = "not-permitted"
    }

    /// Why the request was refused.
    public let reason: Reason
    /// The method, as it was sent, at most 20 bytes of it. Here and in the path, a byte other than visible ASCII is a
    /// question mark.
    public let method: String
    /// The first 200 bytes of the path, without the query.
    public let path: String
    /// The address of the client, if the server has stated it.
    public let peer: String?
    /// The identifier of the request.
    public let requestID: String
    /// How many refusals were not reported since the last one that was.
    public let unreported: Int
}
