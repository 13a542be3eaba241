import Settle

/// Waking subscribers that wait for changes.
enum Delivery {
    static let all = [
        Benchmark(rows: ["R9", "R13"]) { plan in
            let source = try await SettingBroadcast()
            let results = await onOwnThread { one(source, plan) }
            try await source.fixture.close()
            return results
        },
        Benchmark(rows: ["R10", "R11"]) { plan in
            let (source, single) = (try await SettingBroadcast(), try await SettingBroadcast())
            let results = await onOwnThread { crowd(source, single, plan) }
            try await source.fixture.close()
            try await single.fixture.close()
            return results
        },
    ]

    static let crowdSize = 1_000

    // MARK: One subscriber

    private static func one(_ source: SettingBroadcast, _ plan: Plan) -> [RowResult] {
        let ours = Audience(of: source, count: 1)
        if plan.profile({ _ in _ = ours.publish() }) { return [] }
        let limit = Audience(of: ContinuationBroadcast(), count: 1)
        let pairs = AudiencePairs(plan.samples, ours, limit)
        var peers: [(name: String, pairs: AudiencePairs)] = []
        if plan.includesPeers {
            let stream = Audience(of: StreamBroadcast(), count: 1)
            let configuration = Audience(of: ConfigurationBroadcast(), count: 1)
            peers = [
                (PeerName.stream, AudiencePairs(plan.samples / 2, stream, limit)),
                (PeerName.configuration, AudiencePairs(plan.samples / 2, configuration, limit)),
            ]
        }
        func result(_ row: Row, _ figure: (AudiencePairs) -> Comparison) -> RowResult {
            RowResult(
                row, figure(pairs), peers: peers.map { RowResult.Peer(name: $0.name, ratio: figure($0.pairs).ratio) })
        }
        return [
            result(Rows.writerOfOne("elapsed")) { $0.writer.ratioOfQuantiles(0.5) },
            result(Rows.writerOfOne("on a processor")) { $0.writerOnProcessor.ratioOfQuantiles(0.5) },
            result(Rows.delay("median", goal: 1.1)) { $0.delivery.ratioOfQuantiles(0.5) },
            result(Rows.delay("p99", goal: 1.2)) { $0.delivery.ratioOfQuantiles(0.99) },
        ]
    }

    // MARK: Many subscribers

    private static func crowd(_ source: SettingBroadcast, _ single: SettingBroadcast, _ plan: Plan) -> [RowResult] {
        let ours = Audience(of: source, count: crowdSize)
        if plan.profile({ _ in _ = ours.publish() }) { return [] }
        let samples = max(30, plan.samples / 4)
        let own = AudiencePairs(samples, ours, Audience(of: single, count: 1))
        let limit = Audience(of: ContinuationBroadcast(), count: crowdSize)
        let all = AudiencePairs(samples, ours, limit)
        var peers: [(name: String, own: AudiencePairs, all: AudiencePairs)] = []
        func add<Source: Broadcast>(_ name: String, _ one: Source, _ many: Source) {
            let many = Audience(of: many, count: crowdSize)
            let own = AudiencePairs(30, many, Audience(of: one, count: 1))
            peers.append((name, own, AudiencePairs(30, many, limit)))
        }
        if plan.includesPeers {
            add(PeerName.stream, StreamBroadcast(), StreamBroadcast())
            add(PeerName.configuration, ConfigurationBroadcast(), ConfigurationBroadcast())
        }
        func writer(_ which: String, _ figure: (AudiencePairs) -> Comparison) -> RowResult {
            let peers = peers.map { RowResult.Peer(name: $0.name, ratio: figure($0.own).ratio) }
            return RowResult(Rows.writerOfCrowd(which), figure(own), peers: peers)
        }
        let last = peers.map { RowResult.Peer(name: $0.name, ratio: $0.all.delivery.ratioOfQuantiles(0.5).ratio) }
        return [
            writer("elapsed") { $0.writer.ratioOfQuantiles(0.5) },
            writer("on a processor") { $0.writerOnProcessor.ratioOfQuantiles(0.5) },
            RowResult(Rows.lastOfCrowd, all.delivery.ratioOfQuantiles(0.5), peers: last),
        ]
    }

    private enum Rows {
        static let lastOfCrowd = Row(
            id: "R11", subject: "until 1,000 subscribers have it", limit: "resume of 1,000 continuations", goal: 1.3,
            stretch: 1.1)

        /// The elapsed time includes that of threads which displace the writer; the processor time does not.
        static func writerOfOne(_ which: String) -> Row {
            Row(
                id: "R9", subject: "write with 1 waiting, writer, \(which)", limit: "resume of a continuation",
                goal: 1.15,
                stretch: 1.05)
        }

        static func writerOfCrowd(_ which: String) -> Row {
            Row(
                id: "R10", subject: "write with 1,000 waiting, writer, \(which)", limit: "the same with one waiting",
                goal: 1.15, stretch: 1.05)
        }

        static func delay(_ which: String, goal: Double) -> Row {
            Row(
                id: "R13", subject: "delay to an idle subscriber, \(which)",
                limit: "resume of a continuation to its task", goal: goal, stretch: 1.05)
        }
    }
}
