import Settle

/// Many writes at once while a crowd listens.
enum Bursts {
    static let all = [
        Benchmark(rows: ["R12"]) { plan in
            let (source, nobody) = (try await SettingBroadcast(), try await SettingBroadcast())
            let result = await onOwnThread { measure(source, nobody, plan) }
            try await source.fixture.close()
            try await nobody.fixture.close()
            return [result]
        }
    ]

    private static let length = 20_000
    private static let row = Row(
        id: "R12", subject: "write in a burst of 20,000, 1,000 subscribers", limit: "the same with none", goal: 2,
        stretch: 1.3)

    private static func measure(_ source: SettingBroadcast, _ nobody: SettingBroadcast, _ plan: Plan) -> RowResult {
        let ours = Audience(of: source, count: Delivery.crowdSize)
        if plan.profile({ _ in _ = ours.burst(length) }) { return RowResult(row, .none) }
        let alone = Audience(of: nobody, count: 0)
        var incomplete = 0
        let comparison = plan.alternate(
            pairs: max(10, plan.pairs / 6),
            subject: {
                let burst = ours.burst(length)
                if !burst.isComplete { incomplete += 1 }
                return burst.nanoseconds
            },
            limit: { alone.burst(length).nanoseconds })
        let note = incomplete == 0 ? "all ended on the last value" : "WRONG: \(incomplete) bursts lost the last value"
        return RowResult(row, comparison, peers: plan.includesPeers ? [stream(plan)] : [], notes: [note])
    }

    /// Uses shorter bursts, because one of 20,000 takes many seconds.
    private static func stream(_ plan: Plan) -> RowResult.Peer {
        let crowd = Audience(of: StreamBroadcast(), count: Delivery.crowdSize)
        let one = Audience(of: StreamBroadcast(), count: 1)
        let comparison = plan.alternate(
            pairs: 5, subject: { crowd.burst(200).nanoseconds }, limit: { one.burst(length).nanoseconds })
        return RowResult.Peer(name: "\(PeerName.stream) (to its own with one)", ratio: comparison.ratio)
    }
}
