import Foundation
import Settle

/// Reading while other processes have the same file open.
enum SharedReads {
    static let all = [
        Benchmark(rows: ["R22"]) { plan in try await measure(plan) },
        Benchmark(rows: ["R22d"]) { plan in try await measure(plan, id: "R22d", domains: 10) },
    ]

    private static func measure(_ plan: Plan, id: String = "R22", domains: Int = 1) async throws -> [RowResult] {
        let (shared, alone) = (try await SavingStore(hasTenDomains: domains == 10), try await SavingStore())
        let (ours, other) = (shared.settings, alone.settings)
        // Creates a journal for them to share.
        try await ours.commit { ours.count = 2 }
        let file = shared.file
        let revision = shared.store.revision
        let comparisons = try await tryOnOwnThread {
            let children = try [.idler, .idler, ChildRole.writer].map { try ChildProcess($0, file) }
            return withExtendedLifetime(children) { [compare(ours, other, plan), untracked(ours, other, plan)] }
        }
        let changes = shared.store.revision - revision
        try await shared.close()
        try await alone.close()
        return zip(["tracked", "untracked"], comparisons).map { name, comparison in
            let row = Row(
                id: id, subject: "read Int, \(name), 4 processes, one writes, \(domains) domains",
                limit: "the same with one process and one domain", goal: 1.02)
            let note = changes > 0 ? "\(changes) changes came in" : "WRONG: no change came in"
            return RowResult(row, comparison, notes: [note])
        }
    }

    private static func compare(_ ours: BenchSettings, _ other: BenchSettings, _ plan: Plan) -> Comparison {
        plan.compare(
            subject: { turns in
                for _ in 0..<turns { consume(ours.count) }
            },
            limit: { turns in
                for _ in 0..<turns { consume(other.count) }
            })
    }

    private static func untracked(_ ours: BenchSettings, _ other: BenchSettings, _ plan: Plan) -> Comparison {
        plan.compare(
            subject: { turns in
                for _ in 0..<turns { consume(ours.$count.value) }
            },
            limit: { turns in
                for _ in 0..<turns { consume(other.$count.value) }
            })
    }
}
