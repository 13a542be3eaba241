import Settle
import SettleTesting
import Testing

@testable import SettleEtcd

/// Many machines that follow one prefix and report what they have in force, on a stand-in for a cluster: what they ask
/// of it. The time is that of a manual clock.
struct FleetSimulation {
    struct Limits: SettingsGroup {
        @Setting var requests = 100
        @Setting var burst = 20
    }

    struct Costs: Sendable {
        /// Until all have reported.
        var start = Traffic()
        /// Of all seconds together.
        var rest = Traffic()
        /// Until all have reported the change.
        var change = Traffic()
    }

    private struct Machine {
        let store: SettingsStore
        let limits: Limits
        let report: Task<Void, Never>
    }

    let machines: Int
    /// Whether each searches settings of its host and of a group, too.
    let hasDomains: Bool
    /// How long nothing happens.
    let seconds: Int
    private let fixture = EtcdFixture()
    private let transport: CountingTransport

    init(machines: Int, hasDomains: Bool, seconds: Int) {
        (self.machines, self.hasDomains, self.seconds) = (machines, hasDomains, seconds)
        transport = CountingTransport(fixture.cluster)
    }

    func run() async throws -> Costs {
        // One that is not counted asks what is in force.
        let observer = fixture.client().storage
        var costs = Costs()
        fixture.cluster.put("/fleet/test/requests", "100")
        var all: [Machine] = []
        for number in 0..<machines { all.append(try await machine(number)) }
        let streams = machines * (hasDomains ? 3 : 1)
        try await advance {
            try await observer.machines().count == machines && fixture.cluster.watcherCount == streams
        }
        // The pauses after the first reports.
        for _ in 0..<10 {
            fixture.clock.advance(by: .milliseconds(100))
            await settle()
        }
        costs.start = transport.counted

        for _ in 0..<seconds {
            fixture.clock.advance(by: .seconds(1))
            await settle()
        }
        costs.rest = transport.counted - costs.start

        let before = transport.counted
        let limits = all[0].limits
        try await limits.commit { limits.requests = 500 }
        let token = try #require(all[0].store.history.token)
        try await advance { try await observer.machines().allSatisfy { $0.has(token) } }
        costs.change = transport.counted - before

        for machine in all { machine.report.cancel() }
        for machine in all {
            await machine.report.value
            try await machine.store.close()
        }
        return costs
    }

    private func machine(_ number: Int) async throws -> Machine {
        let generator = LockedValue(SeededGenerator(seed: UInt64(number)))
        let fleet = fixture.configuration { configuration in
            configuration.random = { generator.withLock { Double.random(in: 0...1, using: &$0) } }
            // The clock may run faster than the calls.
            configuration.deadline = .seconds(100_000)
        }
        let name = "machine \(number)"
        let domains: [SearchList.Domain] =
            hasDomains
            ? [
                .etcd("host", fleet.forHost(name), transport: transport),
                .etcd("group", fleet.forGroup("group \(number % 10)"), transport: transport),
            ] : []
        let storage = EtcdStorage(fleet, transport: transport)
        let store = try await SettingsStore.open(
            storage: storage, searching: SearchList(domains + [.application]),
            configuration: SettingsStore.Configuration(clock: fixture.clock))
        let limits = try await store.group(Limits.self)
        return Machine(store: store, limits: limits, report: Task { await storage.report(store, as: name) })
    }

    /// Lets time pass until a condition holds.
    private func advance(until condition: () async throws -> Bool) async throws {
        await settle()
        while try await !condition() {
            try Task.checkCancellation()
            fixture.clock.advance(by: .milliseconds(50))
            await settle()
        }
        await settle()
    }

    /// Lets the tasks run until nothing more is asked of the cluster for a while. What comes later is counted later.
    private func settle() async {
        var (last, calm) = (transport.counted, 0)
        while calm < 100, !Task.isCancelled {
            await Task.yield()
            let now = transport.counted
            calm = now == last ? calm + 1 : 0
            last = now
        }
    }
}
