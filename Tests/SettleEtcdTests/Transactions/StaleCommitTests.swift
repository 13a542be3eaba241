import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Commits of a client whose stream is late, that change nothing of what they know.
@Suite(.timeLimit(.minutes(10))) struct StaleCommitTests {
    private let fixture = EtcdFixture()

    /// Two clients that know `switch = "A"`. Then the first is behind: the second has stored "B".
    private func open() async throws -> (first: SettingsStore, transport: FakeTransport, second: SettingsStore) {
        // The tests' time passes fast, and a lock is not to end meanwhile.
        let lasting: (inout EtcdConfiguration) -> Void = { $0.lockTimeToLive = .seconds(1_000_000) }
        let (storage, transport) = fixture.client(lasting)
        let first = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        try await first.commit { try first.keys.setValue("A", forKey: "switch") }
        let second = try await SettingsStore.open(
            storage: fixture.client(lasting).storage, configuration: .init(clock: fixture.clock))
        try await eventually("the storage has a stream") { transport.state.withLock { !$0.streams.isEmpty } }
        // Afterwards the store does not read again by itself: the check that follows an opening has been made.
        try await first.reload()
        transport.holdStreams()
        try await second.commit { try second.keys.setValue("B", forKey: "switch") }
        #expect(try first.keys.value(forKey: "switch", as: String.self) == "A", "It is not behind.")
        return (first, transport, second)
    }

    @Test("Writing the same again is stored") func sameValueAgain() async throws {
        let (first, transport, second) = try await open()
        try await fixture.whileDeadlinesPass {
            try await first.commit { try first.keys.setValue("A", forKey: "switch") }
        }
        let storage = fixture.client().storage
        #expect(try await storage.load().tree["switch"] == .string("A"))
        transport.releaseStreams()
        for store in [first, second] { try await store.close() }
        await storage.close()
    }

    @Test("Reading returns the newest") func newestRead() async throws {
        let (first, transport, second) = try await open()
        let read = try await fixture.whileDeadlinesPass {
            try await first.commit { try first.keys.value(forKey: "switch", as: String.self) }
        }
        #expect(read == "B")
        transport.releaseStreams()
        for store in [first, second] { try await store.close() }
    }

    @Test("A stale token is refused") func staleToken() async throws {
        let (first, transport, second) = try await open()
        let token = try #require(first.history.token)
        await #expect(throws: SettingsError.self) {
            try await fixture.whileDeadlinesPass {
                try await first.commit(ifUnchangedSince: token) { try first.keys.setValue("A", forKey: "switch") }
            }
        }
        transport.releaseStreams()
        for store in [first, second] { try await store.close() }
    }

    /// Also if the stream has brought something older that the store has not taken yet.
    @Test("The holder of a lock reads what the last one committed", arguments: [false, true])
    func nextHolderReads(hasNews: Bool) async throws {
        let (first, transport, second) = try await open()
        try await fixture.whileDeadlinesPass {
            try await second.withLock(named: "job") {
                try await second.commit { try second.keys.setValue("C", forKey: "switch") }
            }
            if hasNews { fixture.cluster.put("/fleet/test/other", "1") }
            try await first.withLock(named: "job") {
                let (value, other) = (
                    try first.keys.value(forKey: "switch", as: String.self),
                    try first.keys.value(forKey: "other", as: Int.self)
                )
                #expect(value == "C" && other == (hasNews ? 1 : nil))
            }
        }
        transport.releaseStreams()
        for store in [first, second] { try await store.close() }
    }

    @Test("Without a member it fails") func withoutMember() async throws {
        let (first, transport, second) = try await open()
        transport.setAll(.refused)
        let error = await #expect(throws: SettingsError.self) {
            try await first.commit { try first.keys.setValue("A", forKey: "switch") }
        }
        #expect(error?.description.hasPrefix("The commit was undone, and nothing was stored: ") == true)
        transport.setAll(nil)
        transport.releaseStreams()
        for store in [first, second] { try await store.close() }
    }
}
