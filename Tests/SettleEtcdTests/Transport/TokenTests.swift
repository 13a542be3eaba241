import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// The tokens of users, which the storages of a transport share.
@Suite(.timeLimit(.minutes(10))) struct TokenTests {
    private let fixture = EtcdFixture()

    init() { fixture.cluster.state.withLock { $0.password = "secret" } }

    private var authentications: Int { fixture.cluster.state.withLock { $0.authentications } }

    private func configuration(first: Double = 0.2) -> EtcdConfiguration {
        fixture.configuration {
            $0.credentials = .init(name: "root", password: "secret")
            $0.random = { first }
        }
    }

    private func client(_ transport: any EtcdTransport, first: Double = 0.2) -> EtcdClient {
        let configuration = configuration(first: first)
        return EtcdClient(transport, configuration, TimeSource(configuration.clock))
    }

    private func read(_ client: EtcdClient) async throws {
        let (key, end) = KeySpace(prefix: fixture.prefix).range
        _ = try await client.call(EtcdPath.range, RangeRequest(key: key, end: end).json, mayRepeat: true)
    }

    /// Keeps answers to checks of a password back until they are let go.
    private final class Gate: EtcdTransport {
        private let base: FakeTransport
        private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))
        private let arrivals = AsyncStream.makeStream(of: Void.self)

        init(_ base: FakeTransport) { self.base = base }

        var tokens: EtcdTokens? { base.tokens }

        func call(_ request: EtcdRequest) async throws -> EtcdAnswer {
            let answer = try await base.call(request)
            guard request.path == EtcdPath.authenticate else { return answer }
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
                arrivals.continuation.yield()
            }
            return answer
        }

        func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
            try await base.stream(request)
        }

        /// Waits until a check has come, and others had time to come.
        func wait() async {
            for await _ in arrivals.stream { break }
            for _ in 0..<1_000 { await Task.yield() }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    @Test("The storages of a transport authenticate once") func authenticatedOnce() async throws {
        let transport = FakeTransport(fixture.cluster)
        let gate = Gate(transport)
        let storages = (0..<20).map { _ in EtcdStorage(configuration(), transport: gate) }
        let loads = storages.map { storage in Task { try await storage.load() } }
        await gate.wait()
        gate.open()
        for load in loads { _ = try await load.value }
        #expect(authentications == 1)
        // Once more, for all, when it has ended.
        fixture.cluster.endTokens()
        let again = storages.map { storage in Task { try await storage.load() } }
        for load in again { _ = try await load.value }
        #expect(authentications == 2)
        #expect(transport.requests(of: EtcdPath.range).last?.headers["Authorization"] == "token2")
        for storage in storages { await storage.close() }
    }

    @Test("The calls of a client wait for one token") func waitingCalls() async throws {
        let gate = Gate(FakeTransport(fixture.cluster))
        let client = client(gate)
        let reads = (0..<20).map { _ in Task { try await read(client) } }
        await gate.wait()
        gate.open()
        for call in reads { try await call.value }
        #expect(authentications == 1)
    }

    @Test("Whoever is cancelled leaves the token to the others") func cancelledWaiter() async throws {
        let gate = Gate(FakeTransport(fixture.cluster))
        let (first, second) = (client(gate), client(gate))
        let cancelled = Task { try await read(first) }
        await gate.wait()
        let waiting = Task { try await read(second) }
        cancelled.cancel()
        gate.open()
        try await waiting.value
        #expect(authentications == 1)
        _ = await cancelled.result
    }

    @Test("A member that is silent holds up only who has turned to it") func silentMember() async throws {
        let transport = FakeTransport(fixture.cluster)
        transport.set { $0.path == EtcdPath.authenticate && $0.endpoint == "http://a" ? .silence : nil }
        let (silent, other) = (client(transport), client(transport, first: 0.5))
        let waiting = Task { try await read(silent) }
        await fixture.clock.sleepers(atLeast: 1)
        try await read(other)
        #expect(authentications == 1)
        fixture.clock.advance(by: .seconds(5))
        try await waiting.value
        #expect(authentications == 1)
    }

    /// Its streams end one after the other; the second one ends after there is a new token.
    @Test("Followers of an ended token get one new one") func followersOfEndedToken() async throws {
        let transport = FakeTransport(fixture.cluster)
        var configuration = configuration()
        // The clock runs faster than the calls. Whoever had to wait for long would turn to the other member.
        configuration.deadline = .seconds(100_000)
        configuration.silence = .seconds(100_000)
        var followers: [Follower] = []
        for _ in 0..<5 {
            followers.append(try await Follower(EtcdStorage(configuration, transport: transport)))
            try await eventually("the storage follows the cluster") {
                await followers.last?.storage.isFollowing == true
            }
        }
        #expect(authentications == 1)
        fixture.cluster.endTokens()
        transport.endStreams()
        fixture.cluster.put("/fleet/test/a", "1")
        try await fixture.whileTimePasses {
            for follower in followers { try await follower.wait(for: 1) }
        }
        #expect(authentications == 2)
        for follower in followers { await follower.storage.close() }
    }

    @Test("What needs a token has not happened without one") func withoutToken() async throws {
        let transport = FakeTransport(fixture.cluster)
        let storage = EtcdStorage(configuration(), transport: transport)
        _ = try await storage.load()
        fixture.cluster.endTokens()
        transport.set { $0.path == EtcdPath.authenticate && $0.endpoint == "http://a" ? .answerLost : nil }
        try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        #expect(transport.requests(of: EtcdPath.transaction).map(\.endpoint) == ["http://a", "http://b"])
        await storage.close()
    }

    @Test("A wrong password is named and never shown") func wrongPassword() async throws {
        let (storage, _) = fixture.client {
            $0.credentials = .init(name: "root", password: "guess")
            $0.endpoints = ["http://me:guess@a:2379"]
        }
        let error = await #expect(throws: StorageError.self) { _ = try await storage.load() }
        #expect(error?.code == .permissionDenied)
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains("at “http://…@a:2379”") && text.hasSuffix("Check the user's name and password."))
        await storage.close()
        var configuration = EtcdConfiguration(
            endpoints: ["http://me:guess@a:2379", "b"], prefix: "/x/",
            credentials: .init(name: "root", password: "guess"))
        #expect("\(configuration)" == "“/x/” at http://…@a:2379, b as “root”")
        for shown in [configuration, configuration.credentials as Any] as [Any] {
            var dumped = ""
            dump(shown, to: &dumped)
            #expect(!(dumped + String(describing: shown) + String(reflecting: shown)).contains("guess"))
        }
        configuration.credentials = nil
        #expect("\(configuration)" == "“/x/” at http://…@a:2379, b")
        // A slash that should have been spelled %2F.
        configuration.endpoints = ["http://me:gu/ess@a:2379", "me:gu/ess@b"]
        #expect("\(configuration)" == "“/x/” at http://…@a:2379, …@b")
    }

    @Test("A refused certificate is named") func refusedCertificate() {
        let failure = GatewayFailure(
            kind: .unreached, endpoint: "https://a", reason: "handshakeFailed: CERTIFICATE_VERIFY_FAILED")
        let error = KeySpace(prefix: "/x/").error(failure, "read")
        #expect(error.code == .unavailable && error.description.contains("Check that the client trusts the authority"))
    }

    @Test("Each user of each cluster has a token of its own") func separateTokens() async throws {
        let tokens = EtcdTokens()
        let user = EtcdTokens.User(endpoints: ["a", "b"], credentials: .init(name: "one", password: "1"))
        var (other, elsewhere) = (user, user)
        other.credentials.name = "two"
        elsewhere.endpoints = ["c"]
        for (number, user) in [user, other, elsewhere].enumerated() {
            #expect(try await tokens.token(of: user, at: "a") { .success("\(number)") } == "\(number)")
        }
        // Only the one that was not accepted goes.
        tokens.remove("0", of: other)
        #expect(try await tokens.token(of: other, at: "a") { .success("new") } == "1")
        tokens.remove("1", of: other)
        #expect(try await tokens.token(of: other, at: "a") { .success("new") } == "new")
        #expect(try await tokens.token(of: user, at: "b") { .success("new") } == "0")
    }
}
