import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Followers get whole revisions, once and in order, although reads and own transactions are ahead of the stream.
@Suite(.timeLimit(.minutes(10))) struct WholeRevisionTests {
    private let fixture = EtcdFixture()

    private func ranges(_ transport: FakeTransport) -> Int { transport.requests(of: EtcdPath.range).count }

    /// Waits until a read has shown what the stream has not brought.
    private func awaitRead(after count: Int, _ transport: FakeTransport) async throws {
        try await eventually("a read is sent") { ranges(transport) != count }
    }

    private func put(_ numbers: ClosedRange<Int>) {
        for number in numbers { fixture.cluster.put("/fleet/test/a", "\(number)") }
    }

    @Test("A read that is ahead of the stream waits for it") func readAhead() async throws {
        let (follower, transport) = try await fixture.follower()
        transport.holdStreams()
        put(1...20)
        let before = ranges(transport)
        let fetch = Task { try await follower.fetch() }
        try await awaitRead(after: before, transport)
        transport.releaseStreams()
        try await fetch.value
        try await follower.wait(for: 20)
        #expect(follower.seen.withLock { $0 } == Array(1...20))
        #expect(transport.requests(of: EtcdPath.watch).count == 1)
        await follower.storage.close()
    }

    @Test("What the stream does not bring in time is read from the past") func lateStream() async throws {
        let (follower, transport) = try await fixture.follower()
        transport.holdStreams()
        put(1...20)
        let due = fixture.clock.now.advanced(by: .seconds(25_000))
        let fetch = Task { try await follower.fetch() }
        await fixture.clock.deadlines { $0.contains(due) }
        fixture.clock.advance(by: .seconds(25_000))
        try await fetch.value
        #expect(follower.seen.withLock { $0 } == Array(1...20))
        #expect(transport.requests(of: EtcdPath.watch).count == 2)
        // What the stream brings after all is known already.
        transport.releaseStreams()
        put(21...21)
        try await follower.wait(for: 21)
        #expect(follower.seen.withLock { $0 } == Array(1...21))
        await follower.storage.close()
    }

    /// Of what another tool deletes nothing is left that tells when.
    @Test("A deletion that only a read has shown is followed") func readDeletion() async throws {
        let (follower, transport) = try await fixture.follower()
        put(1...1)
        try await follower.wait(for: 1)
        let place = try #require(follower.storage.token)
        transport.holdStreams()
        transport.set { $0.path == EtcdPath.watch ? .refused : nil }
        fixture.cluster.delete("/fleet/test/a")
        let deletion = fixture.cluster.revision
        fixture.cluster.put("/elsewhere", "1")
        let due = fixture.clock.now.advanced(by: .seconds(25_000))
        let fetch = Task { try await follower.fetch() }
        await fixture.clock.deadlines { $0.contains(due) }
        fixture.clock.advance(by: .seconds(25_000))
        try await fetch.value
        #expect(follower.tree.withLock { $0["a"] } == nil)
        #expect(follower.storage.token != place)
        transport.setAll(nil)
        let found = try #require(try await follower.storage.records(after: place, limit: 9))
        #expect(found.map(\.token.position) == [UInt64(deletion)])
        #expect(found.first?.transactions[0].mutations?.map(\.newValue) == [nil])
        let end = try #require(found.last?.token)
        #expect(try await follower.storage.records(after: end, limit: 9) == [])
        await follower.storage.close()
    }

    @Test("A conflict is followed revision by revision") func followedConflict() async throws {
        let (follower, transport) = try await fixture.follower()
        let position = try await follower.storage.append(
            StorageBatch(revision: 1, values: ["b": .integer(1)]), durability: .synced
        ).position
        transport.holdStreams()
        put(1...5)
        let count = transport.requests(of: EtcdPath.transaction).count
        let commit = Task {
            try await follower.storage.append(
                StorageBatch(revision: 2, values: ["b": .integer(2)], conditions: [.at(position)]), durability: .synced)
        }
        try await eventually("the transaction is sent") { transport.requests(of: EtcdPath.transaction).count != count }
        transport.releaseStreams()
        let error = await #expect(throws: StorageError.self) { _ = try await commit.value }
        #expect(error?.code == .conflict)
        try await follower.fetch()
        #expect(follower.seen.withLock { $0 } == Array(1...5))
        await follower.storage.close()
    }

    @Test("Without a stream a read is followed revision by revision too") func readWithoutStream() async throws {
        let (storage, _) = fixture.client()
        let position = try await storage.load().position
        put(1...3)
        fixture.cluster.put("/fleet/test/gone", "1")
        fixture.cluster.delete("/fleet/test/gone")
        put(4...4)
        let changes = try await storage.changes(after: position).changes
        let numbers: [Int64] = changes.compactMap { change in
            guard case .values(let values) = change.content, case .integer(let number)?? = values["a"] else {
                return nil
            }
            return number
        }
        #expect(numbers == [1, 2, 3, 4])
        #expect(changes.count == 6)
        #expect(changes.allSatisfy { $0.token != nil })
        await storage.close()
    }

    @Test("A commit is one request when nothing is new") func oneRequest() async throws {
        let (follower, transport) = try await fixture.follower()
        // Others write elsewhere in the cluster, so revisions are left out.
        for number in 1...5 {
            fixture.cluster.put("/elsewhere", "\(number)")
            let position = try await follower.storage.changes(after: StoragePosition(0)).position
            let before = transport.state.withLock { $0.requests.count }
            try await follower.storage.append(
                StorageBatch(
                    revision: UInt64(number), values: ["b": .integer(Int64(number))], conditions: [.at(position)]),
                durability: .synced)
            #expect(transport.state.withLock { $0.requests.count } == before + 1)
        }
        await follower.storage.close()
    }

    @Test("What the stream brings together is one call of the store") func broughtTogether() async throws {
        let (follower, transport) = try await fixture.follower()
        let before = transport.state.withLock { $0.requests.count }
        put(1...5)
        try await eventually("the mirror has the last value") {
            await follower.storage.view.mirror.value(at: "a") == .integer(5)
        }
        try await follower.wait(for: 5)
        #expect(follower.seen.withLock { $0 } == Array(1...5))
        // Nothing more was asked of the cluster, and what comes next is told again.
        put(6...6)
        try await follower.wait(for: 6)
        #expect(transport.state.withLock { $0.requests.count } == before)
        await follower.storage.close()
    }

    @Test("The commits of a store are one request each") func storeCommits() async throws {
        let (storage, transport) = fixture.client { $0.deadline = .seconds(100_000) }
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        // What the store asks at its beginning comes before the first commit.
        try await store.commit { try store.keys.setValue(0, forKey: "b") }
        let before = transport.state.withLock { $0.requests.count }
        for number in 1...5 { try await store.commit { try store.keys.setValue(number, forKey: "b") } }
        #expect(transport.state.withLock { $0.requests.count } == before + 5)
        try await store.close()
    }

    // MARK: Deletions

    @Test("A deletion before an own plain write is not lost") func deletionBeforeOwnWrite() async throws {
        fixture.cluster.put("/fleet/test/b", "1")
        let (follower, transport) = try await fixture.follower()
        #expect(follower.tree.withLock { $0["b"] } == .integer(1))
        transport.holdStreams()
        fixture.cluster.delete("/fleet/test/b")
        let receipt = try await follower.storage.append(
            StorageBatch(revision: 1, values: ["c": .integer(1)]), durability: .synced)
        #expect(!receipt.hasExternalChanges)
        transport.releaseStreams()
        while follower.tree.withLock({ $0["b"] }) != nil {
            await follower.events.next { $0 == .mayHaveChanged }
            try await follower.fetch()
        }
        await follower.storage.close()
    }

    @Test("A lock that is freed before an own commit is free") func freedLock() async throws {
        let (other, _) = fixture.client()
        _ = try await other.load()
        let lease = try #require(try await other.tryLock(named: "job"))
        let (follower, transport) = try await fixture.follower()
        #expect(try await follower.storage.tryLock(named: "job") == nil)
        let position = try await follower.storage.changes(after: StoragePosition(0)).position
        transport.holdStreams()
        await other.unlock(lease)
        try await follower.storage.append(
            StorageBatch(revision: 1, values: ["c": .integer(1)], conditions: [.at(position)]), durability: .synced)
        transport.releaseStreams()
        try await eventually("the lock is free") { try await follower.storage.tryLock(named: "job") != nil }
        for storage in [other, follower.storage] { await storage.close() }
    }

    @Test("Own transactions have their places in order") func orderOfOwnTransactions() async throws {
        let (follower, transport) = try await fixture.follower()
        let start = try #require(
            try await follower.storage.append(
                StorageBatch(revision: 1, values: ["b": .integer(1)]), durability: .synced
            ).token)
        transport.holdStreams()
        fixture.cluster.put("/elsewhere", "1")
        fixture.cluster.delete("/fleet/test/b")
        var tokens: [ChangeToken?] = []
        for number in 2...3 {
            let batch = StorageBatch(revision: UInt64(number), values: ["c": .integer(Int64(number))])
            tokens.append(try await follower.storage.append(batch, durability: .synced).token)
        }
        #expect(follower.storage.token == tokens.last)
        let records = Task { try await follower.storage.records(after: start, limit: 9) }
        for _ in 0..<100 { await Task.yield() }
        transport.releaseStreams()
        // The follower has not been told of the deletion yet.
        #expect(try await records.value == [])
        try await follower.fetch()
        let found = try #require(try await follower.storage.records(after: start, limit: 9))
        #expect(found.map(\.token).suffix(2) == tokens[...])
        #expect(found.map { $0.transactions[0].mutations?.map(\.key) } == [["b"], ["c"], ["c"]])
        // Another machine has the same places.
        let (other, _) = fixture.client()
        _ = try await other.load()
        #expect(try await other.records(after: start, limit: 9)?.map(\.token) == found.map(\.token))
        for storage in [other, follower.storage] { await storage.close() }
    }

    @Test("What one client stored twice has two places") func storedTwice() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        let start = try #require(
            try await storage.append(
                StorageBatch(revision: 1, values: ["b": .integer(1)]), durability: .synced
            ).token)
        put(1...2)
        try await storage.append(StorageBatch(revision: 2, values: ["b": .integer(2)]), durability: .synced)
        let found = try #require(try await storage.records(after: start, limit: 9))
        #expect(found.map { $0.transactions[0].mutations?.first?.newValue } == [1, 2, 2].map { .integer($0) })
        await storage.close()
    }
}
