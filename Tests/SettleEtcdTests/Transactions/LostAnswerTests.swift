import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// What is known of a transaction whose answer was lost.
@Suite(.timeLimit(.minutes(10))) struct LostAnswerTests {
    private let fixture = EtcdFixture()

    private func batch(_ number: Int64, _ conditions: [StorageBatch.Condition] = []) -> StorageBatch {
        StorageBatch(revision: UInt64(number), values: ["a": .integer(number)], conditions: conditions)
    }

    private func opened() async throws -> (storage: EtcdStorage, transport: FakeTransport) {
        let client = fixture.client()
        _ = try await client.storage.load()
        _ = try await client.storage.append(batch(1), durability: .synced)
        return client
    }

    @Test("A transaction that landed is found in the marker") func landed() async throws {
        let (storage, transport) = try await opened()
        let before = fixture.cluster.revision
        transport.setNext([.answerLost])
        let receipt = try await storage.append(batch(2), durability: .synced)
        #expect(receipt.position.number == UInt64(before + 1))
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        #expect(fixture.cluster.revision == before + 1)
        await storage.close()
    }

    @Test("A transaction that did not arrive cannot land any more") func cannotLandLater() async throws {
        let (storage, transport) = try await opened()
        // The barriers succeed.
        transport.setNext([.requestLost, nil, .requestLost])
        let error = await #expect(throws: StorageError.self) {
            _ = try await storage.append(batch(2), durability: .synced)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.isOutcomeUnknown == false)
        // The request that was lost arrives late.
        let late = try #require(
            transport.requests(of: EtcdPath.transaction).first {
                String(decoding: $0.body, as: UTF8.self).contains("\"value\":\"Mg==\"")
            })
        let answer = fixture.cluster.answer(late.path, late.body, token: nil)
        #expect(answer.status == 200)
        #expect(fixture.cluster.text("/fleet/test/a") == "1")
        _ = try await storage.append(batch(3), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "3")
        await storage.close()
    }

    /// As through a balancer of load that has closed an idle connection: nothing is wrong.
    @Test("A transaction that did not arrive is sent again", arguments: [FakeTransport.Fault.requestLost, .refused])
    func sentAgain(
        _ fault: FakeTransport.Fault
    ) async throws {
        let (storage, transport) = fixture.client { $0.endpoints = ["http://balancer:2379"] }
        _ = try await storage.load()
        let position = try await storage.append(batch(1), durability: .synced).position
        transport.setNext([fault])
        _ = try await storage.append(batch(2, [.at(position)]), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        let (requests, before) = (transport.requests(of: EtcdPath.transaction), fixture.cluster.revision)
        // All of them arrive once more, late.
        for late in requests { _ = fixture.cluster.answer(late.path, late.body, token: nil) }
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        #expect(fixture.cluster.revision == before)
        transport.setNext([fault], of: EtcdPath.range)
        _ = try await storage.changes(after: position)
        await storage.close()
    }

    /// Its marker was the client's first, so without one it would land.
    @Test("A request that was given up does not land after the end of its client") func givenUpRequest() async throws {
        fixture.cluster.put("/fleet/test/b", "1")
        let (storage, transport) = fixture.client()
        _ = try await storage.load()
        transport.setNext([.requestLost, nil, .requestLost])
        let error = await #expect(throws: StorageError.self) {
            _ = try await storage.append(batch(2), durability: .synced)
        }
        #expect(error?.isOutcomeUnknown == false)
        let late = try #require(transport.requests(of: EtcdPath.transaction).first)
        await storage.close()
        fixture.cluster.compact()
        #expect(fixture.cluster.answer(late.path, late.body, token: nil).status == 200)
        #expect(fixture.cluster.text("/fleet/test/a") == nil)
    }

    @Test("A deletion is noticed after the end of its client") func deletionByEndedClient() async throws {
        for number in 0..<120 { fixture.cluster.put("/fleet/test/key\(number)", "1") }
        let (storage, _) = fixture.client()
        let position = try await storage.load().position
        let (other, _) = fixture.client()
        _ = try await other.load()
        // More than are compared one by one.
        try await other.append(StorageBatch(revision: 1, values: ["key99": nil]), durability: .synced)
        await other.close()
        let error = await #expect(throws: StorageError.self) {
            try await storage.append(
                StorageBatch(revision: 1, values: ["a": .integer(1)], conditions: [.at(position)]), durability: .synced)
        }
        #expect(error?.code == .conflict)
        await storage.close()
    }

    @Test("A full database is told and what landed is not lost") func fullDatabase() async throws {
        let (storage, _) = try await opened()
        fixture.cluster.state.withLock { $0.isFull = true }
        // The first one that finds it full has landed.
        _ = try await storage.append(batch(2), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        let error = await #expect(throws: StorageError.self) {
            _ = try await storage.append(batch(3), durability: .synced)
        }
        #expect(error?.code == .writeFailed)
        #expect(error?.isOutcomeUnknown == false)
        for part in ["“a”", "“/fleet/test/”", "http://", "compact", "defrag", "alarm disarm"] {
            #expect(error?.description.contains(part) == true)
        }
        fixture.cluster.state.withLock { ($0.isFull, $0.hasAlarm) = (false, false) }
        _ = try await storage.append(batch(4), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "4")
        await storage.close()
    }

    @Test(
        "Until it is settled it may have been stored",
        arguments: [FakeTransport.Fault.answerLost, .requestLost, .noQuorum, .cut(at: 40), .emptyObject])
    func unsettled(_ fault: FakeTransport.Fault) async throws {
        let (storage, transport) = try await opened()
        transport.set { $0.path == EtcdPath.transaction ? fault : nil }
        let lost = batch(2)
        let error = await #expect(throws: StorageError.self) {
            _ = try await storage.append(lost, durability: .synced)
        }
        #expect(error?.isOutcomeUnknown == true)
        transport.setAll(nil)
        let count = fixture.cluster.state.withLock { $0.events.count }
        _ = try await storage.append(lost, durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        // The value was stored once: besides it there is at most a barrier.
        let stored = fixture.cluster.state.withLock { state in
            state.events.values.filter { $0.contains { $0.value?.bytes == [UInt8(ascii: "2")] } }.count
        }
        #expect(stored == 1)
        #expect(fixture.cluster.state.withLock { $0.events.count } <= count + 2)
        await storage.close()
    }

    @Test("It is told even if the next one is left open too") func twoUnsettled() async throws {
        let (storage, transport) = try await opened()
        transport.set { $0.path == EtcdPath.transaction ? .answerLost : nil }
        let lost = batch(2)
        await #expect(throws: StorageError.self) { _ = try await storage.append(lost, durability: .synced) }
        // The store has given it up. Nothing is sent before the first one is settled.
        let next = StorageBatch(revision: 3, values: ["b": .integer(3)])
        let error = await #expect(throws: StorageError.self) {
            _ = try await storage.append(next, durability: .synced)
        }
        #expect(error?.isOutcomeUnknown == true)
        transport.setAll(nil)
        let changes = try await storage.changes(after: StoragePosition(2)).changes
        #expect(changes == [ExternalChange(.values(["a": .integer(2)]), batch: lost.id)])
        _ = try await storage.append(next, durability: .synced)
        #expect(try await storage.changes(after: StoragePosition(3)).changes.isEmpty)
        await storage.close()
    }

    @Test("The lost answer of a poison is no transaction") func lostBarrier() async throws {
        let (storage, transport) = try await opened()
        // The barrier's answer is lost, and then it is asked again: the batch has not landed, and is sent once more.
        transport.setNext([.requestLost, .answerLost])
        let before = fixture.cluster.revision
        _ = try await storage.append(batch(2), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        #expect(fixture.cluster.revision == before + 2)
        await storage.close()
    }

    @Test("What has landed is acknowledged even if nothing more can be read")
    func acknowledgedWithoutReads() async throws {
        let (storage, transport) = try await opened()
        let faults = Mutex<[FakeTransport.Fault?]>([.answerLost, nil])
        transport.set { request in
            if request.path == EtcdPath.range { return .refused }
            return faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
        _ = try await storage.append(batch(2), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        _ = try await storage.append(batch(3), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "3")
        await storage.close()
    }

    @Test("Others may have replaced what landed") func replacedByOthers() async throws {
        let (storage, transport) = try await opened()
        transport.set { $0.path == EtcdPath.transaction ? .answerLost : nil }
        let lost = batch(2)
        await #expect(throws: StorageError.self) { _ = try await storage.append(lost, durability: .synced) }
        fixture.cluster.put("/fleet/test/a", "9")
        transport.setAll(nil)
        let receipt = try await storage.append(lost, durability: .synced)
        #expect(receipt.hasExternalChanges)
        #expect(fixture.cluster.text("/fleet/test/a") == "9")
        let changes = try await storage.changes(after: StoragePosition(2)).changes
        #expect(changes == [ExternalChange(.values(["a": .integer(9)]))])
        await storage.close()
    }

    @Test("A commit that landed runs once") func landedCommit() async throws {
        let (storage, transport) = fixture.client()
        let store = try await SettingsStore.open(
            storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        try await settings.commit { settings.count += 1 }
        for fault in [FakeTransport.Fault.answerLost, .requestLost, .answerLost, .noQuorum] {
            transport.setNext([fault])
            do {
                try await settings.commit { settings.count += 1 }
            } catch {
                // Surely not stored.
                try await settings.commit { settings.count += 1 }
            }
        }
        #expect(settings.count == 5)
        #expect(fixture.cluster.text("/fleet/test/count") == "5")
        try await store.close()
    }
}

struct Counter: SettingsGroup {
    @Setting var count = 0
    @Setting var name = ""
    @Setting var limit = 10
}
