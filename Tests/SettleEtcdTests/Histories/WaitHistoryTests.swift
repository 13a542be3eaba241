import Settle
import SettleTesting
import Testing

@testable import SettleEtcd

/// Machines that report what they have in force, while their calls fail, their streams are late, and their processes
/// end.
@Suite(.timeLimit(.minutes(10))) struct WaitHistoryTests {
    /// A process of a machine.
    private struct Process {
        let store: SettingsStore
        let transport: FakeTransport
        let disturbance: CommitHistoryTests.Disturbance
        let report: Task<Void, Never>
    }

    private let fixture = EtcdFixture()
    private let copies = (1...3).map { _ in InMemoryStorage() }

    /// - Parameter isAway: Whether it begins without the cluster, with the values of its local copy, if there are some.
    private func start(_ index: Int, seed: UInt64, isAway: Bool) async throws -> Process {
        let (storage, transport) = fixture.client(localCopy: InMemoryStorage(sharing: copies[index]))
        if isAway, try !LocalContents(copies[index].tree).values.isEmpty { transport.setAll(.refused) }
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        let disturbance = CommitHistoryTests.Disturbance(seed: seed)
        transport.set { disturbance.fault($0) }
        let report = Task { await storage.report(store, as: "machine \(index)") }
        return Process(store: store, transport: transport, disturbance: disturbance, report: report)
    }

    @Test(
        "Once all machines report that they have a value, each of them has it in force",
        arguments: histories(usually: 10))
    func reportsAreTrue(_ round: UInt64) async throws {
        var random = SeededGenerator(seed: 5_077 + round)
        let (storage, _) = fixture.client()
        let writer = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        try await writer.commit { try writer.keys.setValue(0, forKey: "a") }
        var processes: [Process] = []
        for index in copies.indices { processes.append(try await start(index, seed: random.next(), isAway: false)) }
        var ended: [Process] = []
        var count = 0
        for value in 1...8 {
            // Before the write: a process that begins after it may have last known values that nobody has asked for.
            if Bool.random(using: &random) {
                let index = Int.random(in: copies.indices, using: &random)
                processes[index].transport.setAll(.refused)
                processes[index].transport.endStreams()
                ended.append(processes[index])
                processes[index] = try await start(index, seed: random.next(), isAway: Bool.random(using: &random))
            }
            for process in processes {
                if Bool.random(using: &random) { process.transport.holdStreams() }
                if Bool.random(using: &random) { process.transport.releaseStreams() }
            }
            if try await isInForceEverywhere(value, by: writer, storage, processes, round) { count += 1 }
        }
        #expect(count > 0, "round \(round)")
        try await fixture.whileTimePasses {
            for process in processes + ended {
                process.report.cancel()
                await process.report.value
            }
            for process in processes {
                process.disturbance.end()
                process.transport.releaseStreams()
                try await process.store.close()
            }
            try await writer.close()
        }
        withExtendedLifetime(ended) {}
    }

    /// Writes a value, and asks for a while whether it is in force everywhere, as `fleet set --wait` does.
    private func isInForceEverywhere(
        _ value: Int, by writer: SettingsStore, _ storage: EtcdStorage, _ processes: [Process], _ round: UInt64
    ) async throws -> Bool {
        var isInForce = false
        try await fixture.whileTimePasses {
            try await writer.commit { try writer.keys.setValue(value, forKey: "a") }
            let token = try #require(writer.history.token)
            for _ in 0..<300 where !isInForce {
                let machines = try await storage.machines()
                isInForce = machines.count == processes.count && machines.allSatisfy { $0.has(token) }
                for _ in 0..<20 where !isInForce { await Task.yield() }
            }
            guard isInForce else { return }
            for process in processes {
                let found = try process.store.keys.value(forKey: "a", as: Int.self) ?? 0
                #expect(found >= value, "round \(round)")
            }
        }
        return isInForce
    }
}
