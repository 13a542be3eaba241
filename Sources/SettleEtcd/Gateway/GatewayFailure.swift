/// The reason that a gateway call has no result, and whether the call can have taken effect.
struct GatewayFailure: Error, Equatable {
    enum Kind: Equatable {
        /// No endpoint was reached. Nothing has happened.
        case unreached
        /// The answer was lost or came too late. The call may have taken effect.
        case unanswered
        /// etcd refused the call, with this gRPC code. Nothing has happened.
        case refused(code: Int64)
    }

    var kind: Kind
    var endpoint: String
    var reason: String

    /// The gRPC codes with which etcd reports a decision: nothing has happened, and nothing will. Others, such as a
    /// time-out within the cluster, leave the outcome open.
    enum Code {
        static let invalidArgument: Int64 = 3
        static let notFound: Int64 = 5
        static let permissionDenied: Int64 = 7
        /// The database is full. The outcome is decided, but the first transaction that finds the database full has
        /// landed all the same.
        static let resourceExhausted: Int64 = 8
        static let failedPrecondition: Int64 = 9
        static let outOfRange: Int64 = 11
        static let unimplemented: Int64 = 12
        static let unauthenticated: Int64 = 16

        static let definite: Set<Int64> = [
            invalidArgument, notFound, permissionDenied, failedPrecondition, outOfRange, unimplemented,
            unauthenticated,
        ]
    }
}

extension GatewayFailure {
    /// Whether the token is no longer valid, whatever the code.
    var isUnauthenticated: Bool {
        kind == .refused(code: Code.unauthenticated) || reason.contains("invalid auth token")
            || reason.contains("auth store is old")
    }

    /// Whether the user may not do this.
    var isDenied: Bool { kind == .refused(code: Code.permissionDenied) }

    /// Whether etcd does not know the user with this password. The code is that of an invalid argument.
    var isAboutPassword: Bool { reason.contains("authentication failed") }

    /// Whether no connection was made because one side does not accept the other's certificate, as far as the
    /// transport's message shows.
    var isAboutCertificates: Bool {
        let words = reason.lowercased()
        return kind == .unreached && ["certificate", "handshake", "x509"].contains { words.contains($0) }
    }

    /// Returns whether the outcome is decided. The gateway also uses the code of a full database for answers that are
    /// too long for it.
    private static func isDecided(_ code: Int64, _ message: String) -> Bool {
        guard code == Code.resourceExhausted else { return Code.definite.contains(code) }
        return message.contains("space exceeded") || message.contains("too many requests")
    }

    /// Reads an answer with an error.
    init(status: Int, body: [UInt8], endpoint: String) {
        let object = GatewayObject(body)
        // On a stream, the error is a nested object.
        let inner = object?.object("error")
        let code = object?.signed("code") ?? 0
        let found = code != 0 ? code : inner?.signed("grpc_code") ?? 0
        let message = [object?.text("message"), object?.text("error"), inner?.text("message")]
            .compactMap { $0 }.first { !$0.isEmpty }
        self.endpoint = endpoint
        if found != 0 {
            kind = Self.isDecided(found, message ?? "") ? .refused(code: found) : .unanswered
            reason = message ?? "etcd's error \(found)"
        } else if status == 401 {
            kind = .refused(code: Code.unauthenticated)
            reason = message ?? "the name or the password is wrong"
        } else if (400..<500).contains(status) {
            kind = .refused(code: Code.unimplemented)
            reason = "its answer has status \(status) and is not from a gateway of etcd's v3 API; is it the client URL?"
        } else {
            kind = .unanswered
            reason = message ?? "it answers with status \(status)"
        }
    }
}
