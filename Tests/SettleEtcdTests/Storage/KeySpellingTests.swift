import Settle
import SettleTestSupport
import SettleTesting
import Testing

@testable import SettleEtcd

/// Keys whose names Unicode calls equal. For etcd and for Settle they are two keys.
@Suite(.timeLimit(.minutes(10))) struct KeySpellingTests {
    private static let composed = "Jos\u{E9}"
    private static let decomposed = "Jose\u{301}"

    private let fixture = EtcdFixture()
    private let first = SettingKey.path("accounts", Self.composed)
    private let second = SettingKey.path("accounts", Self.decomposed)

    private func etcdKey(_ key: SettingKey) -> String { "/fleet/test/\(key)" }

    private func value(_ key: SettingKey) -> String? { fixture.cluster.text(etcdKey(key)) }

    private func append(_ values: [SettingKey: SettingValue?], to storage: EtcdStorage) async throws {
        // What was read here must be the newest, as for a commit.
        let position = try await storage.changes(after: StoragePosition(0)).position
        let batch = StorageBatch(revision: 1, values: values, conditions: [.at(position)])
        _ = try await storage.append(batch, durability: .synced)
    }

    @Test("Both are read and a commit works at the first try", arguments: [false, true])
    func readAndCommitted(isReversed: Bool) async throws {
        let keys = isReversed ? [second, first] : [first, second]
        for (index, key) in keys.enumerated() { fixture.cluster.put(etcdKey(key), "\(index)") }
        let (storage, transport) = fixture.client()
        let tree = try await storage.load().tree
        #expect(keys.map { tree[$0] } == [.integer(0), .integer(1)])
        #expect(await storage.view.mirror.count == 2)
        #expect(await storage.unusableKeys().isEmpty)
        try await append([keys[0]: .integer(5), "other": .integer(1)], to: storage)
        #expect(transport.requests(of: EtcdPath.transaction).count == 1)
        #expect(value(keys[0]) == "5" && value(keys[1]) == "1")
        await storage.close()
    }

    @Test("Both arrive by the stream and go by it", arguments: [false, true]) func inTheStream(
        isReversed: Bool
    ) async throws {
        let keys = isReversed ? [second, first] : [first, second]
        let (follower, transport) = try await fixture.follower()
        func wait(_ values: [SettingValue?]) async throws {
            while keys.map({ key in follower.tree.withLock { $0[key] } }) != values {
                await follower.events.next { $0 == .mayHaveChanged }
                try await follower.fetch()
            }
        }
        for (index, key) in keys.enumerated() { fixture.cluster.put(etcdKey(key), "\(index)") }
        try await wait([.integer(0), .integer(1)])
        let before = transport.requests(of: EtcdPath.transaction).count
        try await append([keys[1]: .integer(7)], to: follower.storage)
        #expect(transport.requests(of: EtcdPath.transaction).count == before + 1)
        follower.tree.withLock { $0[keys[1]] = .integer(7) }
        fixture.cluster.delete(etcdKey(keys[0]))
        try await wait([nil, .integer(7)])
        #expect(await follower.storage.view.mirror.keys == [keys[1]])
        try await append([keys[1]: nil], to: follower.storage)
        #expect(fixture.cluster.keys("/fleet/test/acc").isEmpty)
        await follower.storage.close()
    }

    @Test("Two stores with the two spellings commit in turn") func twoStores() async throws {
        let (one, firstTransport) = fixture.client()
        let (other, secondTransport) = fixture.client()
        var stores: [SettingsStore] = []
        for storage in [one, other] {
            stores.append(try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock)))
            try await eventually("the storage follows the cluster") { await storage.isFollowing }
        }
        for number in 1...50 {
            for (store, key) in zip(stores, [first, second]) {
                try await store.commit { try store.keys.setValue(number, forKey: key) }
            }
        }
        #expect(value(first) == "50" && value(second) == "50")
        // One that has seen the other's commit needs one transaction, one that has not needs two.
        for transport in [firstTransport, secondTransport] {
            #expect(transport.requests(of: EtcdPath.transaction).count <= 150)
        }
        for store in stores { try await store.close() }
    }

    @Test("The local copy keeps both") func inLocalCopy() async throws {
        let copy = InMemoryStorage()
        fixture.cluster.put(etcdKey(first), "1")
        fixture.cluster.put(etcdKey(second), "2")
        let (storage, _) = fixture.client(localCopy: InMemoryStorage(sharing: copy))
        _ = try await storage.load()
        await storage.close()
        #expect(try LocalContents(copy.tree).values.count == 2)
        let (offline, transport) = fixture.client(localCopy: InMemoryStorage(sharing: copy))
        transport.setAll(.refused)
        let tree = try await offline.load().tree
        #expect(tree[first] == .integer(1) && tree[second] == .integer(2))
        // One of them is removed without the cluster.
        let removal = StorageBatch(revision: 1, values: [first: nil], expectedValues: [first: .integer(1)])
        await #expect(throws: StorageError.self) { _ = try await offline.append(removal, durability: .synced) }
        await offline.close()
        let (again, _) = fixture.client(localCopy: InMemoryStorage(sharing: copy))
        let left = try await again.load().tree
        #expect(left[first] == nil && left[second] == .integer(2))
        #expect(value(first) == nil && value(second) == "2")
        #expect(await again.lostTransactions().isEmpty)
        await again.close()
        #expect(try LocalContents(copy.tree).values.keys.map(\.text) == [second.description])
    }

    @Test("What was forgotten meanwhile comes for each of them") func compactedMeanwhile() async throws {
        for key in [first, second] { fixture.cluster.put(etcdKey(key), "1") }
        let (storage, _) = fixture.client()
        var contents = try await storage.load()
        fixture.cluster.delete(etcdKey(first))
        fixture.cluster.put(etcdKey(second), "2")
        fixture.cluster.compact()
        for change in try await storage.changes(after: contents.position).changes { change.apply(to: &contents.tree) }
        #expect(contents.tree[first] == nil && contents.tree[second] == .integer(2))
        let mirror = await storage.view.mirror
        #expect(mirror.missing(in: []) == [Array(etcdKey(second).utf8)])
        let range = RangeAnswer(
            pairs: [GatewayPair(key: Array(etcdKey(first).utf8), value: [0x31], createRevision: 9, modRevision: 9)],
            count: 2)
        #expect(!mirror.lacksDeletions(of: range))
        await storage.close()
    }

    @Test("The history names each of them") func inTheHistory() async throws {
        let (writer, _) = fixture.client()
        _ = try await writer.load()
        let beginning = try #require(
            try await writer.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced).token)
        try await append([first: .integer(1), second: .integer(2)], to: writer)
        try await append([second: nil], to: writer)
        let (reader, _) = fixture.client()
        _ = try await reader.load()
        #expect(reader.token == writer.token)
        let records = try #require(try await reader.records(after: beginning, limit: 9))
        #expect(records.map { $0.transactions[0].mutations?.map(\.key) } == [[first, second].sorted(), [second]])
        #expect(records.last?.transactions[0].mutations?.first?.oldValue == .integer(2))
        for storage in [writer, reader] { await storage.close() }
    }

    @Test("Locks of both names are two locks") func twoLocks() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        var leases: [StorageLease] = []
        for name in [Self.composed, Self.decomposed] {
            leases.append(try #require(try await storage.tryLock(named: name)))
        }
        for lease in leases { _ = try await storage.renew(lease) }
        await storage.unlock(leases[0])
        _ = try await storage.renew(leases[1])
        await storage.close()
    }

    @Test("Unusable keys of both names are listed") func unusableKeys() async throws {
        for name in [Self.composed, Self.decomposed] { fixture.cluster.put("/fleet/test/\(name)", "no JSON") }
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        #expect(await Set(storage.unusableKeys().keys) == ["Jos%C3%A9", "Jose%CC%81"])
        await storage.close()
    }
}
