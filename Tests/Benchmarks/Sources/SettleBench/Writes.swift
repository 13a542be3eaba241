import Configuration
import Foundation
import Settle

/// Writing without subscribers, while the store saves to a file.
enum Writes {
    static let all = [
        Benchmark(rows: ["R5"]) { plan in
            var result = try await withFixture { assign($0.settings, $1, plan) }
            result.notes = try await disturbance(plan)
            return [result]
        },
        Benchmark(rows: ["R6"]) { plan in [try await withFixture { increment($0.settings, $1, plan) }] },
        Benchmark(rows: ["R8"]) { plan in [try await withFixture { fixture, _ in assignEqual(fixture, plan) }] },
    ]

    private static func withFixture(
        _ measure: @escaping @Sendable (SavingStore, DefaultsFixture) -> RowResult
    ) async throws -> RowResult {
        let fixture = try await SavingStore()
        let defaults = try DefaultsFixture()
        let result = await onOwnThread { measure(fixture, defaults) }
        try await fixture.close()
        return result
    }

    private static func assign(_ settings: BenchSettings, _ defaults: DefaultsFixture, _ plan: Plan) -> RowResult {
        let limit = plainAssignment()
        var value = 0
        let comparison = plan.compare(
            subject: { turns in
                for _ in 0..<turns {
                    value &+= 1
                    settings.count = value
                }
            },
            limit: limit)
        let configuration = ConfigurationFixture()
        let peers =
            plan.peer(PeerName.defaults, limit: limit) { turns in
                for turn in 0..<turns { defaults.defaults.set(turn, forKey: "count") }
            }
            + plan.peer(PeerName.configuration, limit: limit) { turns in
                for turn in 0..<turns {
                    configuration.provider.setValue(ConfigValue(.int(turn), isSecret: false), forKey: "count")
                }
            }
        let row = Row(
            id: "R5", subject: "write Int, nobody subscribes, saving on", limit: "@Observable class", goal: 1.1,
            stretch: 0.8)
        return RowResult(row, comparison, peers: peers)
    }

    /// The same writes with nothing saved, or nothing to a file; and how busy saving keeps another processor.
    private static func disturbance(_ plan: Plan) async throws -> [String] {
        guard plan.profiledSeconds == nil else { return [] }
        let saving = try await SavingStore()
        let stores = [
            try await SettingsStore.open(storage: InMemoryStorage()),
            try await SettingsStore.open(storage: InMemoryStorage()),
        ]
        let unsaved = try await stores[0].group(UnsavedSettings.self)
        let inMemory = try await stores[1].group(BenchSettings.self)
        let notes = await onOwnThread {
            let limit = plainAssignment()
            func ratio(_ settings: some CountingSettings) -> String {
                let comparison = plan.compare(
                    pairs: plan.peerPairs,
                    subject: { turns in
                        for turn in 0..<turns { settings.count = turn }
                    }, limit: limit)
                return Table.ratio(comparison.ratio)
            }
            let start = (nanoseconds(), threadNanoseconds(), processNanoseconds())
            while nanoseconds() < start.0 + 1_000_000_000 {
                for value in 0..<1_000 { saving.settings.count = value }
            }
            let others = (processNanoseconds() - start.2) - (threadNanoseconds() - start.1)
            let share = Double(others) / Double(nanoseconds() - start.0)
            return [
                "never saved \(ratio(unsaved))×", "saved in memory \(ratio(inMemory))×",
                "saving takes \(Int((share * 100).rounded())) % of another processor",
            ]
        }
        try await saving.close()
        for store in stores { try await store.close() }
        return notes
    }

    private static func increment(_ settings: BenchSettings, _ defaults: DefaultsFixture, _ plan: Plan) -> RowResult {
        let model = PlainModel()
        let limit = { (turns: Int) in
            for _ in 0..<turns { model.count += 1 }
        }
        let comparison = plan.compare(
            subject: { turns in
                for _ in 0..<turns { settings.count += 1 }
            },
            limit: limit)
        let peers = plan.peer(PeerName.defaults + " (not atomic)", limit: limit) { turns in
            for _ in 0..<turns {
                defaults.defaults.set(defaults.defaults.integer(forKey: "count") + 1, forKey: "count")
            }
        }
        let row = Row(
            id: "R6", subject: "+= 1 in place, saving on", limit: "@Observable class", goal: 1, stretch: 0.8)
        return RowResult(row, comparison, peers: peers)
    }

    private static func assignEqual(_ fixture: SavingStore, _ plan: Plan) -> RowResult {
        let settings = fixture.settings
        settings.count = 7
        let revision = fixture.store.revision
        let limit = plainAssignment()
        let comparison = plan.compare(
            subject: { turns in
                for _ in 0..<turns { settings.count = 7 }
            },
            limit: limit)
        let model = PlainModel()
        let peers = plan.peer("@Observable, equal value", limit: limit) { turns in
            for _ in 0..<turns { model.count = 1 }
        }
        let row = Row(id: "R8", subject: "write an equal value", limit: "@Observable class, new value", goal: 0.02)
        let note = fixture.store.revision == revision ? "no new revision" : "WRONG: the revision has risen"
        return RowResult(row, comparison, peers: peers, notes: [note])
    }

    private static func plainAssignment() -> (Int) -> Void {
        let model = PlainModel()
        var value = 0
        return { turns in
            for _ in 0..<turns {
                value &+= 1
                model.count = value
            }
        }
    }
}

/// Settings with a number that is assigned to.
private protocol CountingSettings {
    var count: Int { get nonmutating set }
}

extension BenchSettings: CountingSettings {}

private struct UnsavedSettings: SettingsGroup, CountingSettings {
    static let savePolicy = SavePolicy.memoryOnly
    @Setting var count = 1
}
