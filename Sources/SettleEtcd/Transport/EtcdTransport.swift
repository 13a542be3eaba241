/// Carries requests to etcd: the part of `EtcdStorage` that an HTTP library implements.
///
/// It opens connections and encrypts them. It chooses no endpoint, repeats nothing, and knows no deadlines: a call that
/// takes too long is cancelled, and should then end.
public protocol EtcdTransport: Sendable {
    /// Posts a request, and returns the whole answer, whatever its status.
    ///
    /// - Throws: ``EtcdTransportError``; after any other error, the request counts as one that may have arrived.
    func call(_ request: EtcdRequest) async throws -> EtcdAnswer

    /// Posts a request whose answer does not end, and returns its bytes, in pieces of any size as they arrive, whatever
    /// the status. The sequence is read once. When it is no longer read, the connection is closed.
    ///
    /// - Throws: ``EtcdTransportError`` if there is no answer. The sequence throws if the connection ends with an
    ///   error.
    func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable

    /// The collection in which the storages that it serves keep their users' tokens: always the same one. By default
    /// `nil`, and each storage has a token of its own.
    var tokens: EtcdTokens? { get }
}

extension EtcdTransport {
    /// `nil`: each storage has a token of its own.
    public var tokens: EtcdTokens? { nil }
}

/// A request to one member of a cluster.
public struct EtcdRequest: Sendable, Hashable {
    /// The client URL of the member, such as `https://10.0.0.1:2379`, without a slash at its end.
    public var endpoint: String
    /// The path, such as `/v3/kv/txn`.
    public var path: String
    /// The header fields. The content type of the body is `application/json`.
    public var headers: [String: String]
    /// The body, as JSON in UTF-8.
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
    /// The HTTP status code.
    public var status: Int
    /// The body, as JSON in UTF-8.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// The reason that a request has no answer.
public struct EtcdTransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem, as the end of a sentence: “the connection was refused”.
    public var description: String
    /// Whether certainly nothing of the request has arrived, for example because no connection could be made. If in
    /// doubt it is false: a request that is considered lost would be made twice.
    public var isSurelyUnsent: Bool

    /// Creates an error; by default one after which the request may have arrived.
    public init(_ description: String, isSurelyUnsent: Bool = false) {
        self.description = description
        self.isSurelyUnsent = isSurelyUnsent
    }
}
