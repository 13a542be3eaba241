import Configuration
import Settle
import SettleConfiguration

/// Settle and swift-configuration in one program: a store as a provider, and a provider as a domain.
enum Bridging {
    static let all = [
        Benchmark(rows: ["R36"]) { plan in [try await reads(plan)] },
        Benchmark(rows: ["R37"]) { plan in [try await delivery(plan)] },
    ]

    private static func reads(_ plan: Plan) async throws -> RowResult {
        let fixture = try await SavingStore()
        let store = fixture.store
        let result = await onOwnThread {
            let ours = ConfigReader(provider: SettingsProvider(store))
            let limit = ConfigReader(
                provider: InMemoryProvider(values: ["count": ConfigValue(.int(1), isSecret: false)]))
            let comparison = plan.compare(
                subject: { turns in
                    for _ in 0..<turns { consume(ours.int(forKey: "count", default: 0)) }
                },
                limit: { turns in
                    for _ in 0..<turns { consume(limit.int(forKey: "count", default: 0)) }
                })
            let row = Row(
                id: "R36", subject: "read Int through ConfigReader, over a store",
                limit: "the same over InMemoryProvider", goal: 1)
            return RowResult(row, comparison)
        }
        try await fixture.close()
        return result
    }

    private static func delivery(_ plan: Plan) async throws -> RowResult {
        let source = try await BridgedBroadcast()
        let result = await onOwnThread {
            let row = Row(
                id: "R37", subject: "change in a provider until a setting's task has it, median",
                limit: "until a task that watches the provider has it", goal: 1.2)
            let ours = Audience(of: source, count: 1)
            if plan.profile({ _ in _ = ours.publish() }) { return RowResult(row, .none) }
            let pairs = AudiencePairs(plan.samples, ours, Audience(of: ConfigurationBroadcast(), count: 1))
            return RowResult(row, pairs.delivery.ratioOfQuantiles(0.5))
        }
        try await source.store.close()
        return result
    }
}

/// A setting whose value comes from a provider of swift-configuration.
private struct BridgedBroadcast: Broadcast {
    let store: SettingsStore
    private let settings: BenchSettings
    private let fixture = ConfigurationFixture()

    init() async throws {
        store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.configuration(fixture.provider), .application])
        settings = try await store.group(BenchSettings.self)
    }

    func publish(_ value: Int) {
        fixture.provider.setValue(ConfigValue(.int(value), isSecret: false), forKey: "count")
    }

    func listen(_ receive: @escaping @Sendable (Int) -> Void) async {
        for await value in settings.$count { receive(value) }
    }
}
