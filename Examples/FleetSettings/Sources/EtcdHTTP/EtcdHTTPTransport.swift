// Settle 0.1.0-dev: copy this file. The guide “A fleet” names the products that it needs.

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
public import SettleEtcd
import Synchronization

/// Carries the requests of an `EtcdStorage` with AsyncHTTPClient.
///
/// ```swift
/// let transport = try EtcdHTTPTransport(tls: .init(authority: "/etc/etcd/ca.pem"))
/// let storage = EtcdStorage(configuration, transport: transport)
/// …
/// try await transport.shutdown()
/// ```
///
/// One transport serves any number of storages, which share the tokens of their users. It has no deadlines of its own,
/// except for making a connection: the storage cancels what takes too long.
public struct EtcdHTTPTransport: EtcdTransport {
    /// How connections are encrypted.
    public struct TLS: Sendable {
        /// The file with the certificates, as PEM, of the authority for those of the members; `nil` for the system's.
        public var authority: String?
        /// The files with the client's own certificate and key, as PEM, where the members ask for one.
        public var certificate: (chain: String, key: String)?

        /// Creates a way to encrypt; by default one that trusts what the system trusts.
        public init(authority: String? = nil, certificate: (chain: String, key: String)? = nil) {
            self.authority = authority
            self.certificate = certificate
        }
    }

    /// Those of all its storages.
    public let tokens: EtcdTokens? = EtcdTokens()

    private let client: HTTPClient
    private let longestAnswer: Int

    /// - Parameters:
    ///   - tls: Matters to endpoints that begin with `https`.
    ///   - connectTimeout: How long making a connection may take.
    ///   - longestAnswer: How many bytes an answer may have.
    /// - Throws: If a certificate can't be read.
    public init(
        tls: TLS = TLS(), connectTimeout: Duration = .seconds(3), longestAnswer: Int = 256 << 20
    ) throws {
        var secure = TLSConfiguration.makeClientConfiguration()
        if let authority = tls.authority {
            secure.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authority))
        }
        if let (chain, key) = tls.certificate {
            secure.certificateChain = try NIOSSLCertificate.fromPEMFile(chain).map { .certificate($0) }
            secure.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: secure)
        configuration.timeout.connect = TimeAmount(connectTimeout)
        // The storage continues with the next member.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A stream of changes keeps its connection, so none may wait for another's.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1 << 20
        // With HTTP/2, which encrypted connections could choose, all streams would share one, and end with it.
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.longestAnswer = longestAnswer
    }

    /// Closes all connections. Must be called before the last copy of the transport goes.
    public func shutdown() async throws {
        try await client.shutdown()
    }

    public func call(_ request: EtcdRequest) async throws -> EtcdAnswer {
        let response = try await execute(request)
        do {
            let body = try await response.body.collect(upTo: longestAnswer)
            return EtcdAnswer(status: Int(response.status.code), body: Array(body.readableBytesView))
        } catch {
            throw EtcdTransportError("the answer was cut off (\(error))")
        }
    }

    public func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
        try await execute(request).body.map { Array($0.readableBytesView) }
    }

    private func execute(_ request: EtcdRequest) async throws -> HTTPClientResponse {
        var message = HTTPClientRequest(url: request.endpoint + request.path)
        message.method = .POST
        message.headers.add(name: "Content-Type", value: "application/json")
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
            message.headers.add(name: name, value: value)
        }
        let body = RequestBody(request.body)
        message.body = .stream(body, length: .known(Int64(request.body.count)))
        do {
            return try await client.execute(message, deadline: .distantFuture)
        } catch {
            // No error shows this for sure: the network may go before there is a connection, and within an answer.
            guard body.hasBegun else {
                throw EtcdTransportError("no connection could be made (\(error))", isSurelyUnsent: true)
            }
            throw EtcdTransportError("the connection failed (\(error))")
        }
    }
}

/// The body of a request, which knows whether it has begun to leave.
///
/// The client asks for it once there is a connection and the head was written. So long as it was not asked for, the
/// member has no whole request, and does nothing.
private final class RequestBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let bytes: ByteBuffer
    private let begun = Atomic(false)

    init(_ bytes: [UInt8]) { self.bytes = ByteBuffer(bytes: bytes) }

    /// Whether some of it may have arrived.
    var hasBegun: Bool { begun.load(ordering: .sequentiallyConsistent) }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: RequestBody
        private var isOver = false

        fileprivate init(body: RequestBody) { self.body = body }

        mutating func next() async -> ByteBuffer? {
            guard !isOver else { return nil }
            isOver = true
            body.begun.store(true, ordering: .sequentiallyConsistent)
            return body.bytes
        }
    }
}
