import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

@Suite(.timeLimit(.minutes(10))) struct EtcdLockTests {
    private let fixture = EtcdFixture()

    private func opened() async throws -> (storage: EtcdStorage, transport: FakeTransport) {
        let client = fixture.client()
        _ = try await client.storage.load()
        return client
    }

    @Test("A lease ends a margin before the cluster ends it") func leaseMargin() async throws {
        let (storage, _) = try await opened()
        let lease = try #require(try await storage.tryLock(named: "job"))
        #expect(lease.timeToLive == .seconds(13))
        // Counted from when it was asked for.
        fixture.clock.advance(by: .seconds(12))
        let renewed = try await storage.renew(lease)
        fixture.clock.advance(by: .seconds(12))
        _ = try await storage.append(
            StorageBatch(revision: 1, values: ["a": .integer(1)], conditions: [.under(renewed)]), durability: .synced)
        fixture.clock.advance(by: .seconds(1))
        let error = await #expect(throws: StorageError.self) {
            _ = try await storage.append(
                StorageBatch(revision: 2, values: ["a": .integer(2)], conditions: [.under(renewed)]),
                durability: .synced)
        }
        #expect(error?.code == .leaseLost)
        await #expect(throws: StorageError.self) { _ = try await storage.renew(renewed) }
        #expect(fixture.cluster.text("/fleet/test/a") == "1")
        await storage.close()
    }

    /// What a tool has stored at other keys is no matter.
    @Test(
        "The first batch under a lock costs one trip if no client was faster",
        arguments: ["nothing", "a change", "a deletion", "both", "a client's change"])
    func firstBatchUnderLock(meanwhile: String) async throws {
        fixture.cluster.put("/fleet/test/old", "0")
        let (storage, _) = try await opened()
        if meanwhile != "nothing" { fixture.cluster.put("/elsewhere", "1") }
        let isClients = meanwhile == "a client's change"
        if isClients {
            let (faster, _) = try await opened()
            try await faster.append(StorageBatch(revision: 1, values: ["b": .integer(1)]), durability: .synced)
            await faster.close()
        }
        if ["a change", "both"].contains(meanwhile) { fixture.cluster.put("/fleet/test/b", "1") }
        if ["a deletion", "both"].contains(meanwhile) { fixture.cluster.delete("/fleet/test/old") }
        let lease = try #require(try await storage.tryLock(named: "job"))
        let before = fixture.cluster.state.withLock { $0.transactions }
        let receipt = try await storage.append(
            StorageBatch(revision: 1, values: ["a": .integer(1)], conditions: [.under(lease)]), durability: .synced)
        let trips = fixture.cluster.state.withLock { $0.transactions } - before
        #expect(trips == (isClients ? 2 : 1) && receipt.hasExternalChanges == isClients)
        // What others have done meanwhile is told.
        var known = SettingTree(["old": .integer(0), "a": .integer(1)])
        for change in try await storage.changes(after: receipt.position).changes { change.apply(to: &known) }
        let other = fixture.client().storage
        #expect(known == (try await other.load().tree))
        await other.close()
        await storage.close()
    }

    /// The holder was stopped, does not know it yet, and its clock stood still.
    @Test("A stopped holder cannot write late nor free the next holder's lock") func stoppedHolder() async throws {
        let (first, _) = try await opened()
        let (second, _) = try await opened()
        let lost = try #require(try await first.tryLock(named: "job"))
        fixture.cluster.expire()
        let held = try #require(try await second.tryLock(named: "job"))
        #expect(held.fencingNumber > lost.fencingNumber)
        let error = await #expect(throws: StorageError.self) {
            _ = try await first.append(
                StorageBatch(revision: 1, values: ["a": .integer(1)], conditions: [.under(lost)]), durability: .synced)
        }
        #expect(error?.code == .leaseLost)
        #expect(fixture.cluster.text("/fleet/test/a") == nil)
        await first.unlock(lost)
        await first.close()
        #expect(fixture.cluster.text("/fleet/test/$settle/locks/job") != nil)
        _ = try await second.append(
            StorageBatch(revision: 1, values: ["a": .integer(2)], conditions: [.under(held)]), durability: .synced)
        await second.unlock(held)
        #expect(fixture.cluster.text("/fleet/test/$settle/locks/job") == nil)
        await second.close()
    }

    @Test("A renewal without a time to live is a lost lease") func renewalWithoutTime() async throws {
        let (storage, _) = try await opened()
        let lease = try #require(try await storage.tryLock(named: "job"))
        fixture.cluster.expire()
        let error = await #expect(throws: StorageError.self) { _ = try await storage.renew(lease) }
        #expect(error?.code == .leaseLost)
        await storage.close()
    }

    /// The cluster may have renewed the lease when the answer was lost, but the holder can't know: it relies on what
    /// was granted last. Then another may take the lock, and what the first one stores late is refused.
    @Test(
        "A renewal that fails does not keep a lock",
        arguments: [FakeTransport.Fault.refused, .requestLost, .answerLost, .noQuorum, .late, .emptyObject])
    func failedRenewal(fault: FakeTransport.Fault) async throws {
        let (first, transport) = try await opened()
        let (second, _) = try await opened()
        let lease = try #require(try await first.tryLock(named: "job"))
        @Sendable func store(_ number: Int64) async throws {
            _ = try await first.append(
                StorageBatch(
                    revision: UInt64(number), values: ["a": .integer(number)], conditions: [.under(lease)]),
                durability: .synced)
        }
        transport.set { $0.path == EtcdPath.keepLeaseAlive ? fault : nil }
        for second in [5, 10] {
            fixture.clock.advance(by: .seconds(5))
            // It is no loss yet: the next one may be in time.
            let error = await #expect(throws: StorageError.self) { _ = try await first.renew(lease) }
            #expect(error?.code == .unavailable)
            try await store(Int64(second))
        }
        fixture.clock.advance(by: .seconds(3))
        // In the cluster, the lock has not ended.
        #expect(fixture.cluster.text("/fleet/test/$settle/locks/job") != nil)
        let late = await #expect(throws: StorageError.self) { try await store(13) }
        #expect(late?.code == .leaseLost)
        // A renewal that would work comes too late.
        transport.setAll(nil)
        let renewal = await #expect(throws: StorageError.self) { _ = try await first.renew(lease) }
        #expect(renewal?.code == .leaseLost)
        await #expect(throws: StorageError.self) { try await store(13) }
        #expect(fixture.cluster.text("/fleet/test/a") == "10")
        fixture.cluster.expire()
        let held = try #require(try await second.tryLock(named: "job"))
        #expect(held.fencingNumber > lease.fencingNumber)
        await first.close()
        await second.close()
    }

    @Test("A lock whose holder was cancelled is released at once") func cancelledHolder() async throws {
        let (storage, transport) = try await opened()
        let held = try #require(try await storage.tryLock(named: "job"))
        // As a transport does that ends the calls of cancelled tasks.
        transport.set { _ in Task.isCancelled ? .refused : nil }
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await storage.unlock(held)
        }.value
        #expect(try await storage.tryLock(named: "job") != nil)
        #expect(fixture.cluster.state.withLock { $0.leases.count } == 1)
        await storage.close()
    }

    /// The answer of a renewal is on its way while the lease ends, and the same client takes the lock again.
    @Test("A renewal that fails late leaves the next lease alone") func lateFailedRenewal() async throws {
        let (storage, transport) = try await opened()
        let lost = try #require(try await storage.tryLock(named: "job"))
        transport.setNext([.silence], of: EtcdPath.keepLeaseAlive)
        let renewal = Task { try await storage.renew(lost) }
        try await eventually("the renewal is sent") { !transport.requests(of: EtcdPath.keepLeaseAlive).isEmpty }
        fixture.cluster.expire()
        let held = try #require(try await storage.tryLock(named: "job"))
        // The next member answers that the first lease has ended. No more time passes: the second one would end, too.
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: .seconds(5))
        let error = await #expect(throws: StorageError.self) { _ = try await renewal.value }
        #expect(error?.code == .leaseLost)
        _ = try await storage.renew(held)
        _ = try await storage.append(
            StorageBatch(revision: 1, values: ["a": .integer(1)], conditions: [.under(held)]), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "1")
        await storage.close()
    }

    /// The lease lives, but its lock is gone: somebody has deleted the key, or the holder has released it.
    @Test("A renewal that works is no help when the lock is gone", arguments: [true, false])
    func renewalOfLostLock(isReleased: Bool) async throws {
        let (storage, transport) = try await opened()
        storage.watch { _ in }
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        let lease = try #require(try await storage.tryLock(named: "job"))
        transport.setNext([.silence], of: EtcdPath.keepLeaseAlive)
        let renewal = Task { try await storage.renew(lease) }
        try await eventually("the renewal is sent") { !transport.requests(of: EtcdPath.keepLeaseAlive).isEmpty }
        if isReleased {
            await storage.unlock(lease)
        } else {
            fixture.cluster.delete("/fleet/test/$settle/locks/job")
            try await eventually("the lock is gone") { await storage.locks.names.isEmpty }
        }
        try await fixture.whileTimePasses {
            let error = await #expect(throws: StorageError.self) { _ = try await renewal.value }
            #expect(error?.code == .leaseLost)
        }
        await storage.close()
    }

    @Test("The answer of a lock may be lost") func lostAnswer() async throws {
        let (storage, transport) = try await opened()
        transport.setNext([.answerLost])
        let lease = try #require(try await storage.tryLock(named: "job"))
        _ = try await storage.renew(lease)
        await storage.unlock(lease)
        #expect(fixture.cluster.text("/fleet/test/$settle/locks/job") == nil)
        await storage.close()
    }

    @Test("The holder is named") func namedHolder() async throws {
        let (first, _) = try await opened()
        let (second, _) = try await opened()
        _ = try #require(try await first.tryLock(named: "job"))
        #expect(try await second.tryLock(named: "job") == nil)
        #expect(second.holder(ofLockNamed: "job")?.hasPrefix("process ") == true)
        await first.close()
        await second.close()
    }

    /// The stream shows the lock, so the cluster is not asked.
    @Test("A follower names the holder, and the next one") func followedHolder() async throws {
        let (storage, _) = try await opened()
        storage.watch { _ in }
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        for host in ["web-1", "web-2"] {
            let revision = fixture.cluster.put(
                "/fleet/test/$settle/locks/job", #"{"host":"\#(host)","process":7,"program":"limiter"}"#)
            try await eventually("the lock has come") { await storage.view.followed == revision }
            #expect(try await storage.tryLock(named: "job") == nil)
            #expect(storage.holder(ofLockNamed: "job") == "process 7 (limiter) on \(host)")
        }
        await storage.close()
    }

    @Test("The stream tells that a lock is lost") func lostLockInStream() async throws {
        let (storage, _) = try await opened()
        let events = EventLog()
        storage.watch(events.handle)
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        let lease = try #require(try await storage.tryLock(named: "job"))
        fixture.cluster.expire()
        let event = await events.next { if case .leaseLost = $0 { true } else { false } }
        guard case .leaseLost(let lost)? = event else { return }
        #expect(lost.fencingNumber == lease.fencingNumber)
        await storage.close()
    }

    /// etcd has ended the lease, and the store does not know it.
    @Test("A commit under a lost lock is undone") func commitUnderLostLock() async throws {
        let store = try await SettingsStore.open(
            storage: fixture.client().storage, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        try await settings.commit { settings.count = 1 }
        var result: SettingsError?
        await #expect(throws: SettingsError.self) {
            try await store.withLock(named: "job") {
                try await settings.commit { settings.count = 2 }
                fixture.cluster.expire()
                do {
                    try await settings.commit { settings.count = 3 }
                } catch let error as SettingsError {
                    result = error
                    throw error
                }
            }
        }
        #expect(result?.code == .lockLost)
        #expect(settings.count == 2)
        #expect(fixture.cluster.text("/fleet/test/count") == "2")
        // Others' commits are not concerned.
        try await settings.commit { settings.count += 1 }
        #expect(fixture.cluster.text("/fleet/test/count") == "3")
        try await store.close()
    }

    @Test("A commit under a lock is stored with its fence") func commitUnderLock() async throws {
        let (storage, transport) = fixture.client()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        func fences() -> Int {
            transport.requests(of: EtcdPath.transaction).filter { request in
                GatewayObject(request.body)?.objects("compare").contains {
                    String(decoding: $0.bytes("key"), as: UTF8.self).hasSuffix("$settle/locks/job")
                        && $0.signed("create_revision") > 0 && $0.text("target") == "CREATE"
                } == true && String(decoding: request.body, as: UTF8.self).contains("Mg==")
            }.count
        }
        try await store.withLock(named: "job") { try await settings.commit { settings.count = 2 } }
        #expect(fences() > 0)
        let before = fences()
        try await settings.commit { settings.count = 1 }
        try await settings.commit { settings.count = 2 }
        #expect(fences() == before)
        try await store.close()
    }
}
