/// Carries requests to etcd: what a library for HTTP does for `EtcdStorage`.
///
/// It opens connections and encrypts them. It chooses no endpoint, repeats nothing, and knows no deadlines: a call that
/// takes too long is cancelled, and should end then.
public protocol EtcdTransport: Sendable {
    /// Posts a request, and returns the whole answer, whatever its status.
    ///
    /// - Throws: ``EtcdTransportError``; any other error counts as one after which the request may have arrived.
    func call(_ request: EtcdRequest) async throws -> EtcdAnswer

    /// Posts a request whose answer does not end, and returns its bytes, in pieces of any size as they come, whatever
    /// the status. The sequence is read once. When nobody reads it any more, the connection is closed.
    ///
    /// - Throws: ``EtcdTransportError`` if there is no answer. The sequence throws if the connection ends with an
    ///   error.
    func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable

    /// Where the storages that it serves keep the tokens of their users: always the same collection. By default `nil`,
    /// and each storage has a token of its own.
    var tokens: EtcdTokens? { get }
}

extension EtcdTransport {
    /// None: each storage has a token of its own.
    public var tokens: EtcdTokens? { nil }
}

/// A request to one member of a cluster.
public struct EtcdRequest: Sendable, Hashable {
    /// The client URL of the member, such as `https://10.0.0.1:2379`, without a slash at its end.
    public var endpoint: String
    /// The path, such as `/v3/kv/txn`.
    public var path: String
    /// The header fields. The body's type is `application/json`.
    public var headers: [String: String]
    /// JSON in UTF-8.
    public var body: [UInt8]

    /// Creates a request.
    public init(endpoint: String, path: String, headers: [String: String] = [:], body: [UInt8]) {
        self.endpoint = endpoint
        self.path = path
        self.headers = headers
        self.body = body
    }
}

/// The answer to a request.
public struct EtcdAnswer: Sendable, Hashable {
    /// The status code of HTTP.
    public var status: Int
    /// JSON in UTF-8.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Why a request has no answer.
public struct EtcdTransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, as the end of a sentence: “the connection was refused”.
    public var description: String
    /// Whether surely nothing of the request has arrived, such as when no connection could be made. In doubt it is
    /// false: a request that is taken for lost would be made twice.
    public var isSurelyUnsent: Bool

    /// Creates an error; by default one after which the request may have arrived.
    public init(_ description: String, isSurelyUnsent: Bool = false) {
        self.description = description
        self.isSurelyUnsent = isSurelyUnsent
    }
}
