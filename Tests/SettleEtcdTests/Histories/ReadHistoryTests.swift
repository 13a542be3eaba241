import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Commits and reads of unique and equal values, while calls fail, streams are late, locks and time are lost, and
/// snapshots are restored.
@Suite(.timeLimit(.minutes(10))) struct ReadHistoryTests {
    private let fixture = EtcdFixture()

    /// The prefix of one client is around that of the others.
    @Test(
        "In the order of the revisions, each commit and each read has found what was there",
        arguments: histories(usually: 10))
    func readsAreExplained(_ round: UInt64) async throws {
        let operations = LockedValue<[ReadHistory.Operation]>([])
        try await fixture.whileTimePasses {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...4 {
                    group.addTask { [fixture] in
                        let found = try await Self.live(number, seed: 2_903 + 10 * round + UInt64(number), in: fixture)
                        operations.withLock { $0 += found }
                    }
                }
                try await group.waitForAll()
            }
        }
        let all = operations.withLock { $0 }
        #expect(ReadHistory(fixture.cluster, keys: ReadingClient.etcdKeys).problems(all) == [], "round \(round)")
        let stored = all.count { if case .acknowledged = $0.outcome { $0.write != nil } else { false } }
        #expect(stored > 20, "round \(round)")
    }

    private static func live(
        _ number: Int, seed: UInt64, in fixture: EtcdFixture
    ) async throws -> [ReadHistory.Operation] {
        var client = try await ReadingClient(number, in: fixture, isOuter: number == 4)
        // Prefixes within one another are reported.
        let issues = Task { [store = client.store] in for await _ in store.issues {} }
        defer { issues.cancel() }
        let (transport, disturbance) = (client.transport, CommitHistoryTests.Disturbance(seed: seed))
        transport.set { disturbance.fault($0) }
        var random = SeededGenerator(seed: seed)
        for _ in 1...20 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: transport.endStreams()
            case 1...2: transport.holdStreams()
            case 3...4: transport.releaseStreams()
            case 5: fixture.cluster.expire()
            // As on a machine that was asleep: longer than a lock lasts.
            case 6: fixture.clock.advance(by: .seconds(20))
            default: break
            }
            await client.step(&random)
        }
        disturbance.end()
        transport.releaseStreams()
        try await client.settle()
        try await client.store.close()
        return client.operations.withLock { $0 }
    }

    /// In some rounds the restored cluster has more revisions than the lost history when the clients are back.
    @Test(
        "After a snapshot was restored, commits and reads find its values, and nothing of the lost history comes back",
        arguments: histories(usually: 10))
    func restoredSnapshots(_ round: UInt64) async throws {
        var random = SeededGenerator(seed: 7_411 + round)
        var clients: [ReadingClient] = []
        for number in 1...3 { clients.append(try await ReadingClient(number, in: fixture)) }
        let issues = clients.map { client in Task { for await _ in client.store.issues {} } }
        defer { for task in issues { task.cancel() } }
        var operations: [ReadHistory.Operation] = []
        for _ in 1...3 {
            try await work(&clients, &random)
            for index in clients.indices { try await settle(&clients[index]) }
            operations += take(clients)
            let snapshot = fixture.cluster.copy()
            // All of this is lost. What is open stays so, and may be stored once more by a client that has not known better.
            try await work(&clients, &random)
            operations += take(clients).filter { $0.outcome == .unknown }
            let lost = fixture.cluster.revision
            for client in clients {
                // What is on its way ends with the members.
                client.transport.state.withLock { $0.late = [] }
                client.transport.setAll(.refused)
                client.transport.endStreams()
                try await fixture.whileTimePasses {
                    try await eventually("the interruption is noticed") { await client.storage.isInterrupted }
                }
            }
            fixture.cluster.restore(snapshot)
            fixture.cluster.expire()
            if Bool.random(using: &random) {
                while fixture.cluster.revision <= lost { fixture.cluster.put("/elsewhere", "1") }
            }
            for client in clients { client.transport.setAll(nil) }
        }
        try await work(&clients, &random)
        for index in clients.indices { try await settle(&clients[index]) }
        operations += take(clients)
        #expect(
            ReadHistory(fixture.cluster, keys: ReadingClient.etcdKeys).problems(operations) == [], "round \(round)")
        for client in clients { try await client.store.close() }
    }

    /// Some calls in turn, while some of them fail.
    private func work(_ clients: inout [ReadingClient], _ random: inout SeededGenerator) async throws {
        let disturbances = clients.map { _ in CommitHistoryTests.Disturbance(seed: random.next()) }
        for (client, disturbance) in zip(clients, disturbances) {
            client.transport.set { disturbance.fault($0) }
        }
        try await fixture.whileTimePasses {
            for _ in 1...12 {
                let index = Int.random(in: clients.indices, using: &random)
                await clients[index].step(&random)
            }
        }
    }

    private func settle(_ client: inout ReadingClient) async throws {
        client.transport.setAll(nil)
        try await fixture.whileTimePasses { try await client.settle() }
    }

    /// What the clients have recorded since the last time.
    private func take(_ clients: [ReadingClient]) -> [ReadHistory.Operation] {
        clients.flatMap { client in
            client.operations.withLock { operations in
                defer { operations = [] }
                return operations
            }
        }
    }

    // MARK: The check

    /// Register 0 becomes 1, 2 and 1 again, at the revisions 2, 3 and 4.
    private let history = ReadHistory(registers: 1, revisions: 4) { revision in
        revision < 2 ? [] : [ReadHistory.Write(register: 0, value: revision == 3 ? 2 : 1)]
    }

    private func problems(_ operations: (called: Int, answered: Int, value: Int?, found: Int?)...) -> Int {
        history.problems(
            operations.map { operation in
                ReadHistory.Operation(
                    called: operation.called, answered: operation.answered,
                    write: operation.value.map { ReadHistory.Write(register: 0, value: $0) },
                    outcome: operation.found.map { .acknowledged(found: [0: $0]) } ?? .unknown)
            }
        ).count
    }

    @Test("The check finds what no revision explains")
    func check() {
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, 2), (4, 4, 1, 1), (2, 3, nil, 2)) == 0)
        // A stale read, and a commit that has known 1 instead of 2.
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, 2), (3, 3, nil, 1)) == 1)
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, nil, nil), (3, 3, 1, 1)) == 2)
        // Once too often, and once too seldom.
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1)) == 1)
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, nil)) == 0)
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, 2), (3, 4, 1, 2)) == 1)
    }
}
