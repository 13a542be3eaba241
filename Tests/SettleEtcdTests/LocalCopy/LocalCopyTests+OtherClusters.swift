import FoundationEssentials
import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Clusters that are not the one of the copy.
extension LocalCopyTests {
    @Test("Another server that answers does not count as an empty cluster") func foreignServer() async throws {
        try await leavePending(batch(["a": .integer(2)]))
        let (storage, transport) = client()
        transport.setAll(.emptyObject)
        let contents = try await storage.load()
        #expect(contents.tree.root == ["a": .integer(2), "b": .integer(1)])
        guard case .recovered(let description, isComplete: false) = contents.outcome else {
            Issue.record("It is \(contents.outcome).")
            return
        }
        #expect(description.contains("no header of an etcd cluster"))
        await storage.close()
        #expect(try InMemoryStorage(sharing: copy).load().tree["values.a.value"] == .integer(1))
    }

    @Test("Plain writes do not go over another cluster") func writesToAnotherCluster() async throws {
        try await leavePending(batch(["a": .integer(2)]))
        let new = FakeEtcd()
        new.put("/fleet/test/b", "7")
        fixture.cluster.restore(new, isNew: true)
        let (storage, _) = client()
        #expect(try await storage.load().tree.root == ["b": .integer(7)])
        #expect(fixture.cluster.text("/fleet/test/a") == nil)
        #expect(await storage.lostTransactions().map(\.values) == [["a": .integer(2)]])
        await storage.close()
    }

    @Test("Plain writes do not go over an earlier state of the cluster") func writesToEarlierState() async throws {
        let backup = fixture.cluster.copy()
        try await leavePending(batch(["a": .integer(2)]))
        fixture.cluster.restore(backup)
        let (storage, _) = client()
        #expect(try await storage.load().tree.root == [:])
        #expect(await storage.lostTransactions().count == 1)
        await storage.close()
    }

    @Test("Plain writes of another prefix are kept for a person") func writesOfAnotherPrefix() async throws {
        try await leavePending(batch(["a": .integer(2)]))
        let (storage, _) = fixture.client(localCopy: InMemoryStorage(sharing: copy)) { $0.prefix = "/fleet/other/" }
        let events = EventLog()
        #expect(try await storage.load().tree.root == [:])
        storage.watch(events.handle)
        #expect(await storage.lostTransactions().map(\.values) == [["a": .integer(2)]])
        let issue = await events.next { if case .issue = $0 { true } else { false } }
        guard case .issue(let error)? = issue else { return }
        #expect(error.description.contains("“/fleet/test/”"))
        #expect(fixture.cluster.keys("/fleet/other/a").isEmpty)
        await storage.close()
    }
}
