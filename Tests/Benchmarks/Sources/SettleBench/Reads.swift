import Configuration
import Foundation
import Settle

/// Reading from one thread.
enum Reads {
    static let all = [
        Benchmark(rows: ["R1"]) { plan in [try await withFixture { tracked($0, $1, plan) }] },
        Benchmark(rows: ["R1u"]) { plan in [try await withFixture { untracked($0, $1, plan) }] },
        Benchmark(rows: ["R2"]) { plan in
            [
                try await withFixture { string($0, $1, plan) },
                try await withFixture { settings, _ in record(settings, plan) },
            ]
        },
    ]

    private static func withFixture(
        _ measure: @escaping @Sendable (BenchSettings, DefaultsFixture) -> RowResult
    ) async throws -> RowResult {
        let fixture = try await SavingStore()
        let defaults = try DefaultsFixture()
        let result = await onOwnThread { measure(fixture.settings, defaults) }
        try await fixture.close()
        return result
    }

    private static func tracked(_ settings: BenchSettings, _ defaults: DefaultsFixture, _ plan: Plan) -> RowResult {
        let model = PlainModel()
        let limit = { (turns: Int) in
            var sum = 0
            for _ in 0..<turns { sum &+= model.count }
            consume(sum)
        }
        let comparison = plan.compare(
            subject: { turns in
                var sum = 0
                for _ in 0..<turns { sum &+= settings.count }
                consume(sum)
            },
            limit: limit)
        let row = Row(id: "R1", subject: "read Int, tracked", limit: "@Observable class", goal: 0.5, stretch: 0.3)
        return RowResult(row, comparison, peers: integerPeers(defaults, limit, plan))
    }

    private static func untracked(_ settings: BenchSettings, _ defaults: DefaultsFixture, _ plan: Plan) -> RowResult {
        let guarded = Guarded(1)
        let limit = { (turns: Int) in
            var sum = 0
            for _ in 0..<turns { sum &+= guarded.value }
            consume(sum)
        }
        let comparison = plan.compare(
            subject: { turns in
                var sum = 0
                for _ in 0..<turns { sum &+= settings.$count.value }
                consume(sum)
            },
            limit: limit)
        let row = Row(id: "R1u", subject: "read Int, untracked", limit: "Mutex<Int>", goal: 0.1, stretch: 0.03)
        return RowResult(row, comparison, peers: integerPeers(defaults, limit, plan))
    }

    private static func integerPeers(
        _ defaults: DefaultsFixture, _ limit: (Int) -> Void, _ plan: Plan
    ) -> [RowResult.Peer] {
        let configuration = ConfigurationFixture()
        return plan.peer(PeerName.defaults, limit: limit) { turns in
            for _ in 0..<turns { consume(defaults.defaults.integer(forKey: "count")) }
        }
            + plan.peer(PeerName.configuration, limit: limit) { turns in
                for _ in 0..<turns { consume(configuration.reader.int(forKey: "count", default: 0)) }
            }
    }

    private static func string(_ settings: BenchSettings, _ defaults: DefaultsFixture, _ plan: Plan) -> RowResult {
        let guarded = Guarded(Samples.name)
        let limit = { (turns: Int) in
            for _ in 0..<turns { consume(guarded.value) }
        }
        let comparison = plan.compare(
            subject: { turns in
                for _ in 0..<turns { consume(settings.$name.value) }
            },
            limit: limit)
        let configuration = ConfigurationFixture()
        let peers =
            plan.peer(PeerName.defaults, limit: limit) { turns in
                for _ in 0..<turns { consume(defaults.defaults.string(forKey: "name") ?? "") }
            }
            + plan.peer(PeerName.configuration, limit: limit) { turns in
                for _ in 0..<turns { consume(configuration.reader.string(forKey: "name", default: "")) }
            }
        let row = Row(id: "R2", subject: "read String of 32 bytes", limit: "Mutex<String>", goal: 0.8, stretch: 0.6)
        return RowResult(row, comparison, peers: peers)
    }

    private static func record(_ settings: BenchSettings, _ plan: Plan) -> RowResult {
        let guarded = Guarded(Samples.endpoint)
        let comparison = plan.compare(
            subject: { turns in
                for _ in 0..<turns { consume(settings.$endpoint.value) }
            },
            limit: { turns in
                for _ in 0..<turns { consume(guarded.value) }
            })
        let row = Row(id: "R2", subject: "read struct of 4 fields", limit: "Mutex<struct>", goal: 0.8, stretch: 0.6)
        return RowResult(row, comparison)
    }
}
