/// A response of a ``SettingsAPI`` or a panel, for any HTTP server to send.
public struct WebResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// The complete body.
        case bytes([UInt8])
        /// A stream of events, to be sent piece by piece as they arrive. Each piece is sent at once, without buffering.
        case events(WebEvents)
    }

    /// The status code, such as 200.
    public var status: Int
    /// The header fields, without the length of the body.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: Body

    /// Creates a response.
    public init(_ status: Int, _ headers: [(name: String, value: String)] = [], _ body: Body = .bytes([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}
