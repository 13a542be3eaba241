import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Following what others store, through everything that happens to a stream.
@Suite(.timeLimit(.minutes(10))) struct WatchTests {
    private let fixture = EtcdFixture()

    private func follower() async throws -> (Follower, FakeTransport) { try await fixture.follower() }

    private func whileTimePasses(_ work: () async throws -> Void) async throws {
        try await fixture.whileTimePasses(work)
    }

    @Test("Every revision comes once and in order") func everyRevision() async throws {
        let (follower, transport) = try await follower()
        transport.state.withLock { ($0.areDoubled, $0.areFragmented, $0.pieces) = (true, true, 3) }
        for number in 1...20 { fixture.cluster.put("/fleet/test/a", "\(number)") }
        try await follower.wait(for: 20)
        #expect(follower.seen.withLock { $0 } == Array(1...20))
        #expect(transport.requests(of: EtcdPath.watch).count == 1)
        #expect(transport.requests(of: EtcdPath.watch)[0].headers["Grpc-Metadata-hasleader"] == "true")
        await follower.storage.close()
    }

    @Test("A stream that is cut at any byte loses nothing") func cutAtAnyByte() async throws {
        let (follower, transport) = try await follower()
        var number: Int64 = 0
        for place in 1...420 {
            transport.state.withLock { $0.cutAfter = place }
            number += 1
            fixture.cluster.put("/fleet/test/a", "\(number)")
            try await whileTimePasses { try await follower.wait(for: number) }
        }
        #expect(follower.seen.withLock { $0 } == Array(1...number))
        #expect(transport.requests(of: EtcdPath.watch).count > 200)
        await follower.storage.close()
    }

    @Test("What was forgotten comes as a difference") func compactedRevisions() async throws {
        let (follower, transport) = try await follower()
        fixture.cluster.put("/fleet/test/a", "1")
        fixture.cluster.put("/fleet/test/gone", "1")
        try await follower.wait(for: 1)
        transport.setAll(.refused)
        transport.endStreams()
        fixture.cluster.delete("/fleet/test/gone")
        for number in 2...9 { fixture.cluster.put("/fleet/test/a", "\(number)") }
        fixture.cluster.compact()
        transport.setAll(nil)
        try await whileTimePasses { try await follower.wait(for: 9) }
        #expect(follower.tree.withLock { $0.root } == ["a": .integer(9)])
        // From here on revision by revision.
        try await whileTimePasses {
            try await eventually("the storage follows the cluster") { await follower.storage.isFollowing }
        }
        for number in 10...12 { fixture.cluster.put("/fleet/test/a", "\(number)") }
        try await follower.wait(for: 12)
        #expect(follower.seen.withLock { $0 } == [1, 9, 10, 11, 12])
        await follower.storage.close()
    }

    @Test("A silent stream is given up") func silentStream() async throws {
        let (follower, transport) = try await follower()
        transport.state.withLock { $0.isStreamSilent = true }
        fixture.cluster.put("/fleet/test/a", "1")
        let reads = transport.requests(of: EtcdPath.range).count
        let time = Task { [clock = fixture.clock] in
            while !Task.isCancelled {
                // Once a read has shown that something is missing, the next stream is good.
                if transport.requests(of: EtcdPath.range).count > reads {
                    transport.state.withLock { $0.isStreamSilent = false }
                }
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(1))
                for _ in 0..<50 { await Task.yield() }
            }
        }
        defer { time.cancel() }
        try await follower.wait(for: 1)
        #expect(transport.requests(of: EtcdPath.watch).count > 1)
        #expect(follower.seen.withLock { $0 } == [1])
        await follower.storage.close()
    }

    @Test("An unreachable cluster is told once and its return too") func unreachableCluster() async throws {
        let (follower, transport) = try await follower()
        transport.setAll(.refused)
        transport.endStreams()
        var told: StorageEvent?
        try await whileTimePasses {
            told = await follower.events.next { if case .unavailable = $0 { true } else { false } }
        }
        guard case .unavailable(let error)? = told else { return }
        #expect(error.description.contains("“/fleet/test/”"))
        fixture.cluster.put("/fleet/test/a", "7")
        transport.setAll(nil)
        try await whileTimePasses { try await follower.wait(for: 7) }
        await follower.storage.close()
    }

    @Test("Own transactions are no news") func ownTransactions() async throws {
        let (follower, _) = try await follower()
        try await follower.storage.append(
            StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        fixture.cluster.put("/fleet/test/b", "2")
        while follower.tree.withLock({ $0["b"] }) == nil {
            await follower.events.next { $0 == .mayHaveChanged }
            try await follower.fetch()
        }
        #expect(follower.tree.withLock { $0.root } == ["b": .integer(2)])
        await follower.storage.close()
    }

    @Test("Two stores follow each other") func twoStores() async throws {
        let (first, second) = (fixture.client().storage, fixture.client().storage)
        let stores = [
            try await SettingsStore.open(storage: first, configuration: .init(clock: fixture.clock)),
            try await SettingsStore.open(storage: second, configuration: .init(clock: fixture.clock)),
        ]
        let settings = try await stores[0].group(Counter.self)
        let others = try await stores[1].group(Counter.self)
        let seen = Task {
            var values: [Int] = []
            for await value in others.$count {
                values.append(value)
                if value == 5 { break }
            }
            return values
        }
        for _ in 1...5 { try await settings.commit { settings.count += 1 } }
        let values = await seen.value
        #expect(values == values.sorted())
        #expect(values.last == 5)
        try await others.commit { others.count += 1 }
        #expect(fixture.cluster.text("/fleet/test/count") == "6")
        for store in stores { try await store.close() }
    }
}
