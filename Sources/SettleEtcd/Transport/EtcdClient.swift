import Settle

/// Makes calls to a cluster: chooses the member, ends calls that take too long, and maintains a valid token.
///
/// ```
///   call ──unreached──▶ next member ──…──▶ every member was tried, a single one twice: unreached
///     │ unanswered, a call that may be repeated ──▶ next member
///     │ unanswered, another ──▶ unanswered
///     │ the token is not known (any more) ──▶ authenticate, the same member once more
///     └ refused ──▶ refused
/// ```
///
/// The first call begins with a random member, so that many clients spread over all members. After a failure, the next
/// call begins with the next member.
actor EtcdClient {
    private let transport: any EtcdTransport
    private let endpoints: [String]
    private let tokens: EtcdTokens
    /// The user; `nil` where etcd requires none.
    private let user: EtcdTokens.User?
    private let deadline: Duration
    private let time: TimeSource
    /// The member to begin with.
    private var preferred: Int
    /// The token of the newest stream.
    private var streamToken: String?

    init(_ transport: any EtcdTransport, _ configuration: EtcdConfiguration, _ time: TimeSource) {
        self.transport = transport
        let endpoints = configuration.endpoints.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.endpoints = endpoints
        tokens = transport.tokens ?? EtcdTokens()
        user = configuration.credentials.map { EtcdTokens.User(endpoints: Set(endpoints), credentials: $0) }
        deadline = configuration.deadline
        preferred = max(0, min(Int(configuration.random() * Double(endpoints.count)), endpoints.count - 1))
        self.time = time
    }

    /// - Parameter mayRepeat: Whether making the call twice is harmless.
    func call(
        _ path: String, _ body: [UInt8], mayRepeat: Bool
    ) async throws(GatewayFailure) -> GatewayObject {
        var failure = Self.noEndpoint
        // A connection may have been closed while idle, for example by a load balancer.
        for _ in 0..<(endpoints.isEmpty ? 0 : max(2, endpoints.count)) {
            let endpoint = endpoints[preferred]
            do throws(GatewayFailure) {
                return try await call(endpoint, path, body)
            } catch {
                failure = error
            }
            if case .refused = failure.kind { throw failure }
            skip(endpoint)
            if failure.kind == .unanswered, !mayRepeat { throw failure }
        }
        throw failure
    }

    /// Reads a stream until it ends.
    ///
    /// - Parameters:
    ///   - receive: Receives the bytes as they arrive. Its error ends the stream.
    func stream(
        _ path: String, _ body: [UInt8], headers: [String: String],
        _ receive: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws(GatewayFailure) {
        guard !endpoints.isEmpty else { throw Self.noEndpoint }
        let endpoint = endpoints[preferred]
        var request = EtcdRequest(endpoint: endpoint, path: path, headers: headers, body: body)
        streamToken = try await token(at: endpoint)
        if let streamToken { request.headers["Authorization"] = streamToken }
        do {
            for try await bytes in try await transport.stream(request) { try await receive(bytes) }
        } catch {
            throw Self.failure(error, endpoint)
        }
    }

    /// The member that the next call begins with.
    var endpoint: String { endpoints.isEmpty ? "" : endpoints[preferred] }

    /// Begins with the next member, unless another call has already moved on from this one.
    func skip(_ endpoint: String) {
        if !endpoints.isEmpty, endpoints[preferred] == endpoint { preferred = (preferred + 1) % endpoints.count }
    }

    /// Forgets the token of the newest stream because it is no longer known, for example after the member that issued
    /// it has ended.
    func forgetStreamToken() {
        if let user { tokens.remove(streamToken, of: user) }
    }

    // MARK: One member

    private func call(_ endpoint: String, _ path: String, _ body: [UInt8]) async throws(GatewayFailure) -> GatewayObject
    {
        let used = try await token(at: endpoint)
        do throws(GatewayFailure) {
            return try await post(endpoint, path, body, token: used)
        } catch {
            guard error.isUnauthenticated, let user else { throw error }
            tokens.remove(used, of: user)
        }
        // The call was refused before anything happened, so repeating it is harmless.
        return try await post(endpoint, path, body, token: try await token(at: endpoint))
    }

    /// Returns the user's token, obtained from this member if there is none yet.
    private func token(at endpoint: String) async throws(GatewayFailure) -> String? {
        guard let user else { return nil }
        do throws(GatewayFailure) {
            return try await tokens.token(of: user, at: endpoint) { [self] in
                await authenticate(user.credentials, at: endpoint)
            }
        } catch {
            var failure = error
            // Whatever the outcome of that call, the call that needs the token has had no effect.
            if failure.kind == .unanswered { failure.kind = .unreached }
            throw failure
        }
    }

    private func authenticate(
        _ credentials: EtcdConfiguration.Credentials, at endpoint: String
    ) async -> Result<String?, GatewayFailure> {
        do throws(GatewayFailure) {
            let body = GatewayObject(["name": .string(credentials.name), "password": .string(credentials.password)])
            return .success(try await post(endpoint, EtcdPath.authenticate, body.json, token: nil).name("token"))
        } catch {
            return .failure(error)
        }
    }

    private func post(
        _ endpoint: String, _ path: String, _ body: [UInt8], token: String?
    ) async throws(GatewayFailure) -> GatewayObject {
        var request = EtcdRequest(endpoint: endpoint, path: path, body: body)
        if let token { request.headers["Authorization"] = token }
        let sent = request
        let result = await Deadline.run(within: deadline, by: time) { [transport] in try await transport.call(sent) }
        switch result {
        case .failure(let error): throw Self.failure(error, endpoint)
        case .success(let answer):
            guard (200..<300).contains(answer.status) else {
                throw GatewayFailure(status: answer.status, body: answer.body, endpoint: endpoint)
            }
            guard let object = GatewayObject(answer.body) else {
                throw GatewayFailure(kind: .unanswered, endpoint: endpoint, reason: "its answer is cut off or not JSON")
            }
            // Anything else would look like an empty cluster, or like a failed transaction.
            let header = object.object("header") ?? object.object("result")?.object("header")
            guard GatewayHeader(header).cluster != 0 else {
                throw GatewayFailure(
                    kind: .unanswered, endpoint: endpoint, reason: "its answer has no header of an etcd cluster")
            }
            return object
        }
    }

    private static let noEndpoint = GatewayFailure(
        kind: .unreached, endpoint: "", reason: "no endpoint is configured")

    private static func failure(_ error: any Error, _ endpoint: String) -> GatewayFailure {
        switch error {
        case let error as EtcdTransportError:
            GatewayFailure(
                kind: error.isSurelyUnsent ? .unreached : .unanswered, endpoint: endpoint, reason: error.description)
        case let error as GatewayFailure: error
        default: GatewayFailure(kind: .unanswered, endpoint: endpoint, reason: "\(error)")
        }
    }
}

/// The paths of the gateway.
enum EtcdPath {
    static let range = "/v3/kv/range"
    static let transaction = "/v3/kv/txn"
    static let watch = "/v3/watch"
    static let authenticate = "/v3/auth/authenticate"
    static let grantLease = "/v3/lease/grant"
    static let keepLeaseAlive = "/v3/lease/keepalive"
    static let revokeLease = "/v3/lease/revoke"
}
