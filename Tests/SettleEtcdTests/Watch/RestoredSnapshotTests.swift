import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// A snapshot that was restored with the cluster's identity, and has overtaken a client that was away.
@Suite(.timeLimit(.minutes(10))) struct RestoredSnapshotTests {
    private let fixture = EtcdFixture()
    private let copy = InMemoryStorage()

    private func put(_ name: String, _ value: Int) { fixture.cluster.put("/fleet/test/\(name)", "\(value)") }

    private func client() -> (storage: EtcdStorage, transport: FakeTransport) {
        fixture.client(localCopy: InMemoryStorage(sharing: copy))
    }

    /// Restores a snapshot, and stores more than was lost: first elsewhere, so that no revision under the prefix shows
    /// it.
    private func restore(_ snapshot: FakeEtcd, isCompacted: Bool = false) {
        let lost = fixture.cluster.revision
        fixture.cluster.restore(snapshot)
        while fixture.cluster.revision < lost { fixture.cluster.put("/elsewhere", "1") }
        for number in 1...3 { put("c", number) }
        if isCompacted { fixture.cluster.compact() }
    }

    // MARK: Following

    /// - Parameter name: What the lost history has written: a setting that the snapshot has, or a new one.
    @Test("A follower of the lost history reads everything again", arguments: ["a", "new"], [false, true])
    func followedLostHistory(name: String, isCompacted: Bool) async throws {
        // That a key is gone is no proof without the history.
        if isCompacted, name == "new" { return }
        put("a", 1)
        let (follower, transport) = try await fixture.follower()
        let snapshot = fixture.cluster.copy()
        put("b", 7)
        put(name, 2)
        while follower.tree.withLock({ $0[name] }) != .integer(2) {
            await follower.events.next { $0 == .mayHaveChanged }
            try await follower.fetch()
        }
        let token = try #require(follower.storage.token)
        transport.setAll(.refused)
        transport.endStreams()
        restore(snapshot, isCompacted: isCompacted)
        transport.setAll(nil)
        var issue: StorageEvent?
        try await fixture.whileTimePasses {
            issue = await follower.events.next { if case .issue = $0 { true } else { false } }
            try await eventually("the restored value is in force") {
                if follower.tree.withLock({ $0["c"] }) == .integer(3) { return true }
                try await follower.fetch()
                return false
            }
        }
        guard case .issue(let error)? = issue else { return }
        #expect(error.description.contains("another history") && error.description.contains("“/fleet/test/”"))
        #expect(follower.tree.withLock { $0.root } == ["a": .integer(1), "c": .integer(3)])
        #expect(try await follower.storage.records(after: token, limit: 9) == nil)
        // From here on, the new history is followed.
        put("a", 4)
        try await fixture.whileTimePasses { try await follower.wait(for: 4) }
        await follower.storage.close()
    }

    /// Also while no stream is open, and of more keys than a transaction compares.
    @Test("A call notices it before the next stream", arguments: [false, true]) func noticedByCall(
        isCommit: Bool
    ) async throws {
        for number in 0..<1_000 { put("key\(number)", 0) }
        let (follower, transport) = try await fixture.follower()
        let snapshot = fixture.cluster.copy()
        put("key7", 1)
        while follower.tree.withLock({ $0["key7"] }) != .integer(1) {
            await follower.events.next { $0 == .mayHaveChanged }
            try await follower.fetch()
        }
        let position = try await follower.storage.changes(after: StoragePosition(0)).position
        transport.set { $0.path == EtcdPath.watch ? .refused : nil }
        transport.endStreams()
        try await eventually("the stream has ended") { await !follower.storage.isFollowing }
        try await eventually("the interruption is noticed") { await follower.storage.isInterrupted }
        let lost = fixture.cluster.revision
        fixture.cluster.restore(snapshot)
        while fixture.cluster.revision <= lost { fixture.cluster.put("/elsewhere", "1") }
        if isCommit {
            let batch = StorageBatch(revision: 1, values: ["sum": .integer(1)], conditions: [.at(position)])
            let error = await #expect(throws: StorageError.self) {
                _ = try await follower.storage.append(batch, durability: .synced)
            }
            #expect(error?.code == .conflict)
            #expect(fixture.cluster.text("/fleet/test/sum") == nil)
        }
        try await follower.fetch()
        #expect(follower.tree.withLock { $0["key7"] } == .integer(0))
        await follower.storage.close()
    }

    @Test("A follower that was away for long is not alarmed", arguments: [false, true])
    func longAway(isCompacted: Bool) async throws {
        for name in ["a", "b", "gone"] { put(name, 1) }
        let (follower, transport) = try await fixture.follower()
        try await follower.storage.append(StorageBatch(revision: 1, values: ["d": .integer(1)]), durability: .synced)
        let token = try #require(follower.storage.token)
        let (other, _) = fixture.client()
        _ = try await other.load()
        for round in 1...3 {
            transport.setAll(.refused)
            transport.endStreams()
            // What was stored last here is changed and removed as well.
            fixture.cluster.delete("/fleet/test/gone")
            for number in 2...9 { put("b", number) }
            try await other.append(
                StorageBatch(revision: 1, values: ["d": round == 2 ? nil : .integer(2)]), durability: .synced)
            put("a", 10 * round)
            put("gone", round)
            if isCompacted { fixture.cluster.compact() }
            transport.setAll(nil)
            try await fixture.whileTimePasses { try await follower.wait(for: Int64(10 * round)) }
            try await fixture.whileTimePasses {
                try await eventually("the storage follows the cluster") { await follower.storage.isFollowing }
            }
        }
        #expect(follower.events.issues.withLock { $0 }.isEmpty)
        let isKnown = try await follower.storage.records(after: token, limit: 99) != nil
        #expect(isKnown == !isCompacted)
        for storage in [other, follower.storage] { await storage.close() }
    }

    /// Nothing was stored under the prefix for long, and etcd has compacted what was known last.
    @Test("A quiet prefix is not read as a whole after an interruption, and keeps its history")
    func quietPrefix() async throws {
        put("a", 1)
        let (follower, transport) = try await fixture.follower()
        let token = try #require(follower.storage.token)
        put("c", 1)
        fixture.cluster.delete("/fleet/test/c")
        let deletion = fixture.cluster.revision
        try await eventually("the deletion is followed") { await follower.storage.view.followed >= deletion }
        try await follower.fetch()
        let past = try await follower.storage.records(after: token, limit: 9)?.map(\.token)
        #expect(past?.count == 2)
        let known = await follower.storage.view.mirror.revision
        for _ in 1...5 { fixture.cluster.put("/elsewhere", "1") }
        try await fixture.whileTimePasses {
            try await eventually("the mirror has a later revision") {
                await follower.storage.view.mirror.revision != known
            }
        }
        fixture.cluster.compact()
        let before = transport.requests(of: EtcdPath.range).count
        let streams = transport.requests(of: EtcdPath.watch).count
        transport.endStreams()
        try await eventually("the stream has ended") { await !follower.storage.isFollowing }
        let end = fixture.clock.now.advanced(by: .seconds(60))
        try await fixture.whileTimePasses {
            try await eventually("the storage follows the cluster for a minute") {
                await follower.storage.isFollowing && fixture.clock.now >= end
            }
        }
        // etcd refuses the first one, whose beginning it has forgotten.
        #expect(transport.requests(of: EtcdPath.watch).count == streams + 2)
        let ranges = transport.requests(of: EtcdPath.range).dropFirst(before).compactMap { GatewayObject($0.body) }
        #expect(try await follower.storage.records(after: token, limit: 9)?.map(\.token) == past)
        // Only an audit reads all keys, without the values.
        #expect(!ranges.isEmpty && ranges.allSatisfy { $0.signed("min_mod_revision") > 0 || $0.bool("keys_only") })
        await follower.storage.close()
    }

    /// The check of the history comes before the batch is settled.
    @Test("A batch in doubt stays so while the history cannot be checked") func uncheckedBatch() async throws {
        let (follower, transport) = try await fixture.follower()
        let batch = StorageBatch(revision: 1, values: ["a": .integer(1)])
        transport.set { $0.path == EtcdPath.transaction ? .answerLost : nil }
        let first = await #expect(throws: StorageError.self) {
            _ = try await follower.storage.append(batch, durability: .synced)
        }
        #expect(first?.isOutcomeUnknown == true)
        transport.setAll(.refused)
        transport.endStreams()
        try await eventually("the interruption is noticed") { await follower.storage.isInterrupted }
        let second = await #expect(throws: StorageError.self) {
            _ = try await follower.storage.append(batch, durability: .synced)
        }
        #expect(second?.isOutcomeUnknown == true)
        transport.setAll(nil)
        try await follower.storage.append(batch, durability: .synced)
        let stored = fixture.cluster.state.withLock { $0.values[Array("/fleet/test/a".utf8)]?.version }
        #expect(stored == 1)
        await follower.storage.close()
    }

    // MARK: The local copy

    /// Stores something that is lost, and leaves a plain write that was based on it.
    ///
    /// - Returns: The snapshot.
    private func leavePending(_ lost: [SettingKey: SettingValue?]) async throws -> FakeEtcd {
        let (storage, transport) = client()
        _ = try await storage.load()
        let values: [SettingKey: SettingValue?] = ["a": .integer(1), "b": .integer(1)]
        try await storage.append(StorageBatch(revision: 1, values: values), durability: .synced)
        let snapshot = fixture.cluster.copy()
        try await storage.append(StorageBatch(revision: 2, values: lost), durability: .synced)
        transport.setAll(.refused)
        await #expect(throws: StorageError.self) {
            try await storage.append(StorageBatch(revision: 3, values: ["b": .integer(5)]), durability: .synced)
        }
        await storage.close()
        return snapshot
    }

    /// - Parameter lost: What the lost history has written last: a setting of the snapshot, a new one, or a removal.
    @Test(
        "Plain writes of the lost history are given up",
        arguments: [["a": .integer(2)], ["new": .integer(2)], ["a": nil]] as [[SettingKey: SettingValue?]],
        [false, true])
    func writesOfLostHistory(lost: [SettingKey: SettingValue?], startsOffline: Bool) async throws {
        restore(try await leavePending(lost))
        let (storage, transport) = client()
        if startsOffline { transport.setAll(.refused) }
        var contents = try await storage.load()
        #expect(contents.tree["b"] == .integer(startsOffline ? 5 : 1))
        transport.setAll(nil)
        for change in try await storage.changes(after: contents.position).changes { change.apply(to: &contents.tree) }
        #expect(contents.tree.root == ["a": .integer(1), "b": .integer(1), "c": .integer(3)])
        #expect(await storage.lostTransactions().map(\.values) == [["b": .integer(5)]])
        #expect(await storage.pendingTransactionCount() == 0)
        #expect(fixture.cluster.text("/fleet/test/b") == "1")
        let events = EventLog()
        storage.watch(events.handle)
        let reported = events.issues.withLock { $0 }.map(\.description)
        #expect(reported.contains { $0.contains("another history") && $0.contains("“b”") })
        await storage.close()
    }

    /// The value is older than the revision that the write was based on.
    @Test("A plain write does not replace what the restored cluster has acknowledged")
    func acknowledgedAfterRestore() async throws {
        let snapshot = try await leavePending(["a": .integer(2)])
        fixture.cluster.restore(snapshot)
        put("b", 7)
        put("c", 1)
        fixture.cluster.compact()
        let (storage, _) = client()
        #expect(try await storage.load().tree["b"] == .integer(7))
        #expect(await storage.lostTransactions().map(\.values) == [["b": .integer(5)]])
        #expect(fixture.cluster.text("/fleet/test/b") == "7")
        await storage.close()
    }

    @Test("Plain writes of the same history go out", arguments: [false, true], [false, true])
    func writesOfSameHistory(isCompacted: Bool, startsOffline: Bool) async throws {
        _ = try await leavePending(["a": .integer(2)])
        fixture.cluster.delete("/fleet/test/a")
        for number in 1...9 { put("c", number) }
        if isCompacted { fixture.cluster.compact() }
        let (storage, transport) = client()
        if startsOffline { transport.setAll(.refused) }
        let position = try await storage.load().position
        transport.setAll(nil)
        _ = try await storage.changes(after: position)
        #expect(fixture.cluster.text("/fleet/test/b") == "5")
        #expect(await storage.lostTransactions().isEmpty)
        let events = EventLog()
        storage.watch(events.handle)
        #expect(events.issues.withLock { $0 }.isEmpty)
        await storage.close()
    }

    // MARK: Pure

    private let space = KeySpace(prefix: "/p/")

    private func pair(_ name: KeyName, _ value: String, _ revision: Int64) -> GatewayPair {
        GatewayPair(key: space.key(name), value: Array(value.utf8), createRevision: 1, modRevision: revision)
    }

    private func mirror(_ pairs: [GatewayPair], at revision: Int64) -> Mirror {
        var mirror = Mirror(space)
        mirror.replace(with: pairs, header: GatewayHeader(cluster: 1, revision: revision))
        return mirror
    }

    @Test("Any other revision is a difference unless it came after the read") func otherRevisions() {
        let known = mirror([pair("a", "1", 5), pair("b", "1", 9), pair("c", "1", 6)], at: 9)
        let later = [pair("a", "1", 7), pair("b", "1", 9), pair("c", "1", 6)]
        #expect(known.differences(from: later, at: 9) == [space.key("a"): 7])
        let earlier = [pair("a", "1", 3), pair("b", "1", 9), pair("c", "1", 6)]
        #expect(known.differences(from: earlier, at: 9) == [space.key("a"): 3])
        // The stream is ahead of this read, which had an earlier b.
        let before = [pair("a", "1", 5), pair("b", "0", 2), pair("c", "1", 6)]
        #expect(known.differences(from: before, at: 8).isEmpty)
        #expect(known.differences(from: [pair("a", "1", 5)], at: 8) == [space.key("c"): 0])
    }

    @Test("A witness tells what a read shows") func readThroughWitness() {
        let witness = mirror([pair("a", "1", 5), pair("b", "2", 5), pair("c", "1", 3)], at: 8)
            .witness(hasAllDeletions: true)
        func succession(_ pairs: [GatewayPair], count: Int64 = 3) -> Succession {
            witness.succession(in: RangeAnswer(pairs: pairs, count: count), of: space)
        }
        #expect(witness.request(in: space) == space.all(at: 8, after: 4))
        #expect(succession([pair("b", "2", 5), pair("a", "1", 5)]) == .same)
        #expect(succession([pair("b", "2", 5), pair("a", "1", 5)], count: 4) == .incomplete)
        #expect(succession([pair("b", "2", 5), pair("a", "1", 5), pair("c", "1", 7)]) == .incomplete)
        #expect(succession([pair("b", "3", 5), pair("a", "1", 5)]) == .replaced)
        #expect(succession([pair("a", "1", 5)]) == .replaced)
        #expect(succession([]) == .replaced)
        guard case .dictionary(let entries) = witness.entry else { return }
        #expect(Witness(GatewayObject(entries)) == witness)
        // Where nothing was stored, nothing can be lost.
        let empty = mirror([], at: 8).witness(hasAllDeletions: true)
        #expect(empty.succession(in: RangeAnswer(pairs: [], count: 0), of: space) == .same)
        #expect(empty.succession(in: RangeAnswer(pairs: [pair("a", "1", 5)], count: 1), of: space) == .incomplete)
    }

    @Test("A read of everything shows an earlier revision") func earlierRevision() {
        let known: [KeyName: Int64] = ["a": 5, "b": 3, "$settle/markers/me": 5]
        func succession(_ pairs: GatewayPair...) -> Succession {
            mirror(pairs, at: 20).succession(after: known, upTo: 8)
        }
        #expect(succession(pair("a", "1", 5), pair("b", "1", 12), pair("new", "1", 9)) == .same)
        #expect(succession() == .same)
        #expect(succession(pair("a", "1", 4)) == .replaced)
        #expect(succession(pair("$settle/markers/me", "{\"session\":\"1\"}", 4)) == .replaced)
        #expect(succession(pair("a", "1", 6)) == .incomplete)
        #expect(succession(pair("new", "1", 8)) == .incomplete)
        // A local copy has no markers, and no values that can't be used.
        #expect(succession(pair("$settle/markers/else", "{\"session\":\"1\"}", 4)) == .same)
        #expect(succession(pair("new", "not JSON", 4)) == .same)
    }
}
