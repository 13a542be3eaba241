import Settle
import SettleTesting
import Testing

@testable import SettleEtcd

/// Clients whose prefixes are within one another.
@Suite(.timeLimit(.minutes(10))) struct NestedPrefixTests {
    private let fixture = EtcdFixture()

    /// Stores something under a prefix within that of the fixture, as a client of it.
    private func storeWithin() async throws -> EtcdStorage {
        let (inner, _) = fixture.client { $0.prefix = "/fleet/test/inner" }
        _ = try await inner.load()
        try await inner.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        return inner
    }

    private func issue(of events: EventLog) async throws -> String {
        let event = await events.next { if case .issue = $0 { true } else { false } }
        guard case .issue(let error)? = event else { return "" }
        return error.description
    }

    @Test("A prefix within is reported when it is read") func readPrefixWithin() async throws {
        let inner = try await storeWithin()
        let (outer, _) = fixture.client()
        let tree = try await outer.load().tree
        let events = EventLog()
        outer.watch(events.handle)
        let told = try await issue(of: events)
        #expect(told.contains("“/fleet/test/inner/” is within “/fleet/test/”") && told.contains("“/app/a/”"))
        // The marker is no setting, nor a key that can't be used.
        #expect(tree.root == ["inner/a": .integer(1)])
        #expect(await outer.unusableKeys().isEmpty)
        for storage in [inner, outer] { await storage.close() }
    }

    @Test("A prefix within is reported once when a change shows it") func changedPrefixWithin() async throws {
        let (follower, _) = try await fixture.follower()
        let inner = try await storeWithin()
        #expect(try await issue(of: follower.events).contains("“/fleet/test/inner/”"))
        // Neither a later change nor a read tells it again.
        try await inner.append(StorageBatch(revision: 2, values: ["a": .integer(2)]), durability: .synced)
        _ = try await follower.storage.load()
        let other = KeyName.marker("x").bytes
        fixture.cluster.put(Array("/fleet/test/z/".utf8) + other, "{\"session\":\"1\"}")
        #expect(try await issue(of: follower.events).contains("“/fleet/test/z/”"))
        for storage in [inner, follower.storage] { await storage.close() }
    }

    @Test("A prefix around is reported by the next audit") func prefixAround() async throws {
        let (outer, _) = fixture.client { $0.prefix = "/fleet/" }
        _ = try await outer.load()
        try await outer.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        let (follower, transport) = try await fixture.follower()
        var told = ""
        try await fixture.whileTimePasses { told = try await issue(of: follower.events) }
        #expect(told.contains("“/fleet/test/” is within “/fleet/”") && told.contains("“/app/a/”"))
        let requests = transport.requests(of: EtcdPath.transaction).count
        #expect(requests == 1)
        for storage in [outer, follower.storage] { await storage.close() }
    }

    @Test("A name of a marker or lock within is refused") func reservedNames() async throws {
        let (storage, _) = fixture.client()
        for name in ["inner/$settle/locks/job", "$settle/markers/me", "$settle/else"] as [SettingKey] {
            #expect(throws: StorageError.self) { try storage.check(.integer(1), at: name) }
        }
        try storage.check(.integer(1), at: "inner/$settle/else")
        #expect(KeyName("a/b/$settle/locks/c/d").kind == .nested(prefix: "a/b/"))
        #expect(KeyName("$settle/locks/c/$settle/locks/d").kind == .lock("c/$settle/locks/d"))
    }

    @Test("Prefixes beside are not reported") func prefixesBeside() async throws {
        #expect(KeySpace(prefix: "/fleet/test/").outer.map(\.prefix) == ["/", "/fleet/"])
        #expect(KeySpace(prefix: "fleet").outer.isEmpty)
        let (beside, _) = fixture.client { $0.prefix = "/fleet/testimony" }
        _ = try await beside.load()
        try await beside.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        #expect(await storage.view.mirror.nestedPrefixes.isEmpty)
        for storage in [beside, storage] { await storage.close() }
    }
}
