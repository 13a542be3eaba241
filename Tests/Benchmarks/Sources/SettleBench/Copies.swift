import Settle

/// A group of eight settings.
struct EightSettings: SettingsGroup {
    @Setting var a = 0
    @Setting var b = 0
    @Setting var c = 0
    @Setting var d = 0
    @Setting var e = 0
    @Setting var f = 0
    @Setting var g = 0
    @Setting var h = 0
}

/// Snapshots and drafts, both of which copy a group.
enum Copies {
    static let all = [
        Benchmark(rows: ["R45"]) { plan in
            [
                try await measure("snapshot() of eight Ints, per setting", plan) { consume($0.snapshot().h) },
                try await measure("draft() of eight Ints, per setting", plan) { consume($0.draft().h) },
            ]
        }
    ]

    private static let count = 8.0
    private static let limit = 300.0

    private static func measure(
        _ subject: String, _ plan: Plan, _ copy: @escaping @Sendable (EightSettings) -> Void
    ) async throws -> RowResult {
        let fixture = try await SavingStore()
        let settings = try await fixture.store.group(EightSettings.self, at: "eight")
        let time = await onOwnThread {
            // Only the time of ours counts: the limit is a number.
            plan.compare(
                subject: { turns in for _ in 0..<turns { copy(settings) } },
                limit: { turns in for _ in 0..<turns { consume(settings.a) } }
            ).ours / count
        }
        try await fixture.close()
        let row = Row(id: "R45", subject: subject, limit: "\(Int(limit)) ns", goal: 1)
        return RowResult(row, Comparison(ours: time, limit: limit, ratio: time / limit))
    }
}
