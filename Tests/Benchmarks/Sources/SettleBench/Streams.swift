import Settle

/// Waking those who wait for changes.
enum Streams {
    static let all = [
        Benchmark(rows: ["R9", "R13"]) { plan in try await one(plan) },
        Benchmark(rows: ["R10", "R11"]) { plan in try await thousand(plan) },
        Benchmark(rows: ["R12"]) { plan in [try await burst(plan)] },
    ]

    private static let crowd = 1_000

    /// The times of single values, taken alternately from two audiences.
    private struct Pairs {
        var writer = PairedSamples()
        var delivery = PairedSamples()

        init(_ count: Int, _ ours: Audience<some Broadcast>, _ limit: Audience<some Broadcast>) {
            for sample in 0..<count {
                let first = sample.isMultiple(of: 2) ? ours.publish() : nil
                let other = limit.publish()
                let times = first ?? ours.publish()
                writer.append(times.writer, other.writer)
                delivery.append(times.delivery, other.delivery)
            }
        }
    }

    private static func one(_ plan: Plan) async throws -> [Result] {
        let source = try await SettingBroadcast()
        let results = await onOwnThread {
            let ours = Audience(of: source, count: 1)
            if plan.profile({ _ in _ = ours.publish() }) { return [Result]() }
            let limit = Audience(of: ContinuationBroadcast(), count: 1)
            let pairs = Pairs(plan.samples, ours, limit)
            var peers: [(String, Pairs)] = []
            if plan.includesPeers {
                let stream = Audience(of: StreamBroadcast(), count: 1)
                let configuration = Audience(of: ConfigurationBroadcast(), count: 1)
                peers = [
                    (PeerName.stream, Pairs(plan.samples / 2, stream, limit)),
                    (PeerName.configuration, Pairs(plan.samples / 2, configuration, limit)),
                ]
            }
            func result(_ row: Row, _ figure: (Pairs) -> Comparison) -> Result {
                Result(row, figure(pairs), peers: peers.map { Result.Peer(name: $0, ratio: figure($1).ratio) })
            }
            return [
                result(
                    Row(
                        id: "R9", subject: "write with 1 waiting, writer's time", limit: "resume of a continuation",
                        goal: 1.4, stretch: 1.15)
                ) { $0.writer.ratioOfQuantiles(0.5) },
                result(
                    Row(
                        id: "R13", subject: "delay to an idle subscriber, median",
                        limit: "resume of a continuation to its task", goal: 1.3, stretch: 1.15)
                ) { $0.delivery.ratioOfQuantiles(0.5) },
                result(
                    Row(
                        id: "R13", subject: "delay to an idle subscriber, p99",
                        limit: "resume of a continuation to its task", goal: 1.3, stretch: 1.15)
                ) { $0.delivery.ratioOfQuantiles(0.99) },
            ]
        }
        try await source.fixture.close()
        return results
    }

    private static func thousand(_ plan: Plan) async throws -> [Result] {
        let (single, source) = (try await SettingBroadcast(), try await SettingBroadcast())
        let results = await onOwnThread {
            let ours = Audience(of: source, count: crowd)
            if plan.profile({ _ in _ = ours.publish() }) { return [Result]() }
            let samples = max(30, plan.samples / 4)
            let own = Pairs(samples, ours, Audience(of: single, count: 1)).writer.ratioOfQuantiles(0.5)
            let limit = Audience(of: ContinuationBroadcast(), count: crowd)
            let all = Pairs(samples, ours, limit).delivery.ratioOfQuantiles(0.5)
            var writerPeers: [Result.Peer] = []
            var deliveryPeers: [Result.Peer] = []
            func add<Source: Broadcast>(_ name: String, _ one: Source, _ many: Source) {
                let many = Audience(of: many, count: crowd)
                let writer = Pairs(30, many, Audience(of: one, count: 1)).writer.ratioOfQuantiles(0.5)
                writerPeers.append(Result.Peer(name: name, ratio: writer.ratio))
                let delivery = Pairs(30, many, limit).delivery.ratioOfQuantiles(0.5)
                deliveryPeers.append(Result.Peer(name: name, ratio: delivery.ratio))
            }
            if plan.includesPeers {
                add(PeerName.stream, StreamBroadcast(), StreamBroadcast())
                add(PeerName.configuration, ConfigurationBroadcast(), ConfigurationBroadcast())
            }
            return [
                Result(
                    Row(
                        id: "R10", subject: "write with 1,000 waiting, writer's time", limit: "the same with one waiting",
                        goal: 2, stretch: 1.1), own, peers: writerPeers),
                Result(
                    Row(
                        id: "R11", subject: "until 1,000 subscribers have it", limit: "resume of 1,000 continuations",
                        goal: 1.3, stretch: 1.05), all, peers: deliveryPeers),
            ]
        }
        try await single.fixture.close()
        try await source.fixture.close()
        return results
    }

    private static func burst(_ plan: Plan) async throws -> Result {
        let (nobody, source) = (try await SettingBroadcast(), try await SettingBroadcast())
        let result = await onOwnThread {
            let length = 20_000
            let ours = Audience(of: source, count: crowd)
            let alone = Audience(of: nobody, count: 0)
            if plan.profile({ _ in _ = ours.burst(length) }) {
                return Result(Row(id: "R12", subject: "", limit: "", goal: 0), .none)
            }
            var incomplete = 0
            let comparison = plan.alternate(
                pairs: max(10, plan.pairs / 6),
                subject: {
                    let burst = ours.burst(length)
                    if !burst.isComplete { incomplete += 1 }
                    return burst.nanoseconds
                },
                limit: { alone.burst(length).nanoseconds })
            var peers: [Result.Peer] = []
            if plan.includesPeers {
                let (stream, none) = (
                    Audience(of: StreamBroadcast(), count: crowd), Audience(of: StreamBroadcast(), count: 0)
                )
                let ratio = plan.alternate(
                    pairs: 5, subject: { stream.burst(500).nanoseconds }, limit: { none.burst(length).nanoseconds }
                ).ratio
                peers.append(Result.Peer(name: PeerName.stream, ratio: ratio))
            }
            let row = Row(
                id: "R12", subject: "write in a burst of 20,000, 1,000 subscribers", limit: "the same with none",
                goal: 3, stretch: 1.5)
            let note = incomplete == 0 ? "all ended on the last value" : "WRONG: \(incomplete) bursts lost the last value"
            return Result(row, comparison, peers: peers, notes: [note])
        }
        try await nobody.fixture.close()
        try await source.fixture.close()
        return result
    }
}
