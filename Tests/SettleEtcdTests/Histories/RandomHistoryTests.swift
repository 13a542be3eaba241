import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Several clients of one cluster, in a random order and with random failures, against a plain model: every
/// acknowledged transaction is there once, every other one once or not at all, and nobody sees anything else.
@Suite(.timeLimit(.minutes(10))) struct RandomHistoryTests {
    private struct Client {
        let storage: EtcdStorage
        let transport: FakeTransport
        var position: StoragePosition
        var tree: SettingTree
        /// A batch whose answer was lost, to be appended again.
        var lost: StorageBatch?
        var revision: UInt64 = 0

        mutating func fetch() async throws(StorageError) {
            let found = try await storage.changes(after: position)
            position = found.position
            for change in found.changes { change.apply(to: &tree) }
        }
    }

    private static let keys: [SettingKey] = ["a", "b", "g.x", "g.y"]

    /// Each transaction reads a number and stores the next one, as a commit does, and counts in one of the others.
    @Test("Nothing is lost or doubled", arguments: histories(usually: 16))
    func randomFaults(_ round: UInt64) async throws {
        var random = SeededGenerator(seed: 4_711 + round)
        let fixture = EtcdFixture()
        var clients: [Client] = []
        for _ in 0..<3 {
            let (storage, transport) = fixture.client()
            let contents = try await storage.load()
            clients.append(
                Client(storage: storage, transport: transport, position: contents.position, tree: contents.tree))
        }
        var acknowledged = 0
        for _ in 0..<60 {
            let index = Int.random(in: 0..<clients.count, using: &random)
            let faults: [FakeTransport.Fault?] = [
                nil, nil, nil, .answerLost, .requestLost, .refused, .noQuorum, .cut(at: 9),
            ]
            let count = Int.random(in: 0...3, using: &random)
            clients[index].transport.setNext((0..<count).map { _ in faults.randomElement(using: &random) ?? nil })
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try await clients[index].fetch()
            case 1:
                let contents = try await clients[index].storage.load()
                clients[index].position = contents.position
                clients[index].tree = contents.tree
            case 2: fixture.cluster.put("/fleet/test/other", "\(Int.random(in: 0..<100, using: &random))")
            case 3: fixture.cluster.compact()
            default:
                if try await add(1, &clients[index], &random) { acknowledged += 1 }
            }
            clients[index].transport.setAll(nil)
        }
        for index in clients.indices {
            // What is open is settled: the batch is stored once, now or before.
            while let lost = clients[index].lost {
                try Task.checkCancellation()
                if try await append(lost, &clients[index]) { acknowledged += 1 }
            }
            try await clients[index].fetch()
        }
        let stored = SettingTree(try await clients[0].storage.load().tree.root)
        #expect(stored["total"] == (acknowledged == 0 ? nil : .integer(Int64(acknowledged))), "seed \(random.seed)")
        let sum = Self.keys.reduce(Int64(0)) { sum, key in
            if case .integer(let number)? = stored[key] { sum + number } else { sum }
        }
        #expect(sum == Int64(acknowledged), "seed \(random.seed)")
        for client in clients {
            #expect(client.tree == stored, "seed \(random.seed)")
            await client.storage.close()
        }
    }

    /// As a commit of a store: runs on what is known, and again after a conflict.
    private func add(_ amount: Int64, _ client: inout Client, _ random: inout SeededGenerator) async throws -> Bool {
        if let lost = client.lost { return try await append(lost, &client) }
        let key = Self.keys.randomElement(using: &random) ?? "a"
        for _ in 0..<20 {
            func next(_ key: SettingKey) -> SettingValue {
                if case .integer(let number)? = client.tree[key] { .integer(number + amount) } else { .integer(amount) }
            }
            client.revision += 1
            let batch = StorageBatch(
                revision: client.revision, values: [key: next(key), "total": next("total")],
                conditions: [.at(client.position)])
            do {
                return try await append(batch, &client)
            } catch let error as StorageError where error.code == .conflict {
                client.transport.setAll(nil)
                try await client.fetch()
            }
        }
        throw StorageError(.conflict, "Nobody else writes, so a conflict can't last.")
    }

    /// - Returns: Whether the batch is acknowledged.
    private func append(_ batch: StorageBatch, _ client: inout Client) async throws -> Bool {
        let wasLost = client.lost != nil
        do throws(StorageError) {
            let receipt = try await client.storage.append(batch, durability: .synced)
            client.lost = nil
            if wasLost {
                // Others may have replaced it since.
                client.transport.setAll(nil)
                let contents = try await client.storage.load()
                (client.position, client.tree) = (contents.position, contents.tree)
                return true
            }
            client.tree.apply(batch.values)
            if receipt.hasExternalChanges {
                client.transport.setAll(nil)
                try await client.fetch()
            } else {
                client.position = receipt.position
            }
            return true
        } catch {
            if error.isOutcomeUnknown {
                client.lost = batch
                return false
            }
            if error.code == .conflict {
                // For a repeated batch it says that the first time has not landed either.
                client.lost = nil
                if wasLost {
                    client.transport.setAll(nil)
                    try await client.fetch()
                    return false
                }
                throw error
            }
            // Surely not stored, except that a repetition says nothing of the first time.
            if !wasLost { client.lost = nil }
            return false
        }
    }
}
