import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// What the stream loses, and what is left behind in the cluster.
@Suite(.timeLimit(.minutes(10))) struct AuditTests {
    private let fixture = EtcdFixture()

    /// - Parameter cut: Whose streams are cut every 100 seconds.
    private func letTimePass(
        _ follower: Follower, cut: FakeTransport? = nil, until isDone: () -> Bool
    ) async throws {
        let time = Task { [clock = fixture.clock] in
            var count = 0
            while !Task.isCancelled {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(5))
                count += 1
                if count % 20 == 0 { cut?.endStreams() }
                for _ in 0..<50 { await Task.yield() }
            }
        }
        defer { time.cancel() }
        while !isDone() {
            await follower.events.next { $0 == .mayHaveChanged || $0 == .available }
            try await follower.fetch()
        }
    }

    @Test("A put that is left out is found", arguments: [false, true])
    func omittedPut(_ isCutOften: Bool) async throws {
        fixture.cluster.put("/fleet/test/a", "1")
        let (follower, transport) = try await fixture.follower()
        transport.state.withLock { $0.lostEvents = 1 }
        fixture.cluster.put("/fleet/test/a", "2")
        fixture.cluster.put("/fleet/test/b", "1")
        while follower.tree.withLock({ $0["b"] }) == nil {
            await follower.events.next { $0 == .mayHaveChanged }
            try await follower.fetch()
        }
        // A later event hides it.
        #expect(follower.tree.withLock { $0["a"] } == .integer(1))
        try await letTimePass(follower, cut: isCutOften ? transport : nil) {
            follower.tree.withLock { $0["a"] } == .integer(2)
        }
        // It is no other history.
        #expect(follower.events.issues.withLock { $0 }.isEmpty)
        await follower.storage.close()
    }

    @Test("A deletion that is left out is found") func omittedDeletion() async throws {
        fixture.cluster.put("/fleet/test/a", "1")
        let (follower, transport) = try await fixture.follower()
        transport.state.withLock { $0.lostEvents = 1 }
        fixture.cluster.delete("/fleet/test/a")
        try await letTimePass(follower) { follower.tree.withLock { $0["a"] } == nil }
        #expect(follower.events.issues.withLock { $0 }.isEmpty)
        await follower.storage.close()
    }

    /// Of a large prefix, an answer takes longer than the next change.
    @Test("A read of everything ends although the stream is always faster") func fasterStream() async throws {
        let transport = SlowReads(fixture.cluster)
        let storage = EtcdStorage(fixture.configuration(), transport: transport)
        _ = try await storage.load()
        storage.watch { _ in }
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        let reads = LockedValue(0)
        transport.pause.withLock { pause in
            pause = { [cluster = fixture.cluster] in
                let number = reads.withLock { count in
                    count += 1
                    return count
                }
                guard number < 100 else { return }
                let revision = cluster.put("/fleet/test/a", "1")
                try await eventually("the stream is faster") { await storage.view.followed >= revision }
            }
        }
        let error = await #expect(throws: StorageError.self) { try await storage.reread() }
        #expect(error?.code == .unavailable && error?.description.contains("“/fleet/test/”") == true)
        #expect(reads.withLock { $0 } == EtcdStorage.attemptLimit)
        transport.pause.withLock { $0 = nil }
        try await storage.reread()
        await storage.close()
    }

    @Test("The marker of a client that does not come back goes with age") func oldMarker() async throws {
        let now = TimeSource(fixture.clock).now()
        func marker(_ name: String, days: Double) {
            fixture.cluster.put(
                "/fleet/test/$settle/markers/\(name)", "{\"session\":\"7\",\"time\":\(now - days * 86_400)}")
        }
        marker("old", days: 31)
        marker("new", days: 20)
        let (follower, _) = try await fixture.follower()
        let start = fixture.clock.now
        try await fixture.whileTimePasses(by: .seconds(300)) {
            try await eventually("the old marker is removed") {
                fixture.cluster.text("/fleet/test/$settle/markers/old") == nil
            }
        }
        #expect(start.duration(to: fixture.clock.now) >= .seconds(86_400))
        #expect(fixture.cluster.text("/fleet/test/$settle/markers/new") != nil)
        await follower.storage.close()
    }

    /// Without its marker, a client whose answer was lost would take its first transaction for one that was not stored.
    @Test("A wrong wall clock does not remove a marker that its client needs", arguments: [false, true])
    func aWrongWallClockDoesNotRemoveAMarker(
        _ isAuditorAhead: Bool
    ) async throws {
        let (time, month) = (TimeSource(fixture.clock).now(), 31.0 * 86_400)
        let (follower, audits) = try await fixture.follower {
            if isAuditorAhead { $0.wallClock = { time + month } }
        }
        let (client, transport) = fixture.client { if !isAuditorAhead { $0.wallClock = { time - month } } }
        _ = try await client.load()
        transport.set { $0.path == EtcdPath.transaction ? .answerLost : nil }
        let batch = StorageBatch(revision: 1, values: ["a": .integer(1)])
        let error = await #expect(throws: StorageError.self) {
            _ = try await client.append(batch, durability: .synced)
        }
        #expect(error?.isOutcomeUnknown == true)
        // An audit looks for clients of the prefixes around this one, too.
        try await fixture.whileTimePasses(by: .seconds(5)) {
            try await eventually("the auditor has looked three times") {
                audits.requests(of: EtcdPath.transaction).count >= 3
            }
        }
        transport.setAll(nil)
        _ = try await client.append(batch, durability: .synced)
        let stored = fixture.cluster.state.withLock { state in
            state.allEvents.values.joined().count { $0.value?.bytes == [UInt8(ascii: "1")] }
        }
        #expect(stored == 1)
        for storage in [client, follower.storage] { await storage.close() }
    }

    @Test("The wall clock of the configuration dates changes") func theWallClockDatesChanges() async throws {
        let (storage, _) = fixture.client { $0.wallClock = { 1_000 } }
        _ = try await storage.load()
        try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        let name = await storage.view.clientName
        #expect(await storage.view.mirror.marker(of: name).value?.time == 1_000)
        await storage.close()
    }

    @Test("A follower that never writes gets a new token") func renewedToken() async throws {
        fixture.cluster.state.withLock { ($0.password, $0.watchRefusal) = ("secret", "etcdserver: permission denied") }
        let (storage, transport) = fixture.client {
            $0.credentials = .init(name: "root", password: "secret")
            $0.deadline = .seconds(100_000)
        }
        let follower = try await Follower(storage)
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        fixture.cluster.endTokens()
        transport.endStreams()
        // Nothing but the stream asks, and what comes before it is followed: a read as of the known revision.
        transport.set { request in
            let isOfPast = GatewayObject(request.body)?.entries["revision"] != nil
            return request.path == EtcdPath.range && !isOfPast ? .refused : nil
        }
        try await fixture.whileTimePasses {
            try await eventually("the cluster has a watcher") { fixture.cluster.watcherCount > 0 }
        }
        transport.setAll(nil)
        fixture.cluster.put("/fleet/test/a", "3")
        try await fixture.whileTimePasses { try await follower.wait(for: 3) }
        await storage.close()
    }
}

/// Carries requests, and has the answers of reads wait.
private final class SlowReads: EtcdTransport {
    private let transport: FakeTransport
    /// What an answer waits for.
    let pause = LockedValue<(@Sendable () async throws -> Void)?>(nil)

    init(_ cluster: FakeEtcd) { transport = FakeTransport(cluster) }

    func call(_ request: EtcdRequest) async throws -> EtcdAnswer {
        let answer = try await transport.call(request)
        if request.path == EtcdPath.range, let pause = pause.withLock({ $0 }) { try await pause() }
        return answer
    }

    func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
        try await transport.stream(request)
    }
}
