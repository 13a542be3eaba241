/// A request that was answered, for an access log. It never has a token, a query or a value.
public struct APIAccess: Sendable, Hashable {
    /// The method, as it was sent, at most 20 bytes of it. Here and in the path, a byte other than visible ASCII is a
    /// question mark.
    public let method: String
    /// The first 200 bytes of the path, without the query.
    public let path: String
    /// The path of the route, such as `/settings/{key}`; `nil` if there is none.
    public let route: String?
    /// The status of the response.
    public let status: Int
    /// The number of bytes of the response's body; `nil` for a stream.
    public let size: Int?
    /// How long it took to answer; for a stream, until it began.
    public let duration: Duration
    /// The name that belongs to the client's token; `nil` if the client was not admitted.
    public let client: String?
    /// The address of the client, if the server has stated it.
    public let peer: String?
    /// The identifier of the request, which the response has as `X-Request-ID`.
    public let requestID: String
    /// The error behind the status 500, of which the client may see only a general sentence; `nil` for other statuses.
    /// Unlike the rest, it may have anything in it.
    public let failure: String?
}
