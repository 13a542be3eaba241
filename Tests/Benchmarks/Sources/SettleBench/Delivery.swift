import Settle

/// Waking those who wait for changes.
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

    private static func one(_ source: SettingBroadcast, _ plan: Plan) -> [Result] {
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
        func result(_ row: Row, notes: [String] = [], _ figure: (AudiencePairs) -> Comparison) -> Result {
            let peers = peers.map { Result.Peer(name: $0.name, ratio: figure($0.pairs).ratio) }
            return Result(row, figure(pairs), peers: peers, notes: notes)
        }
        return [
            result(Rows.writerOfOne, notes: [pairs.processorNote]) { $0.writer.ratioOfQuantiles(0.5) },
            result(Rows.delay("median")) { $0.delivery.ratioOfQuantiles(0.5) },
            result(Rows.delay("p99")) { $0.delivery.ratioOfQuantiles(0.99) },
        ]
    }

    // MARK: Many subscribers

    private static func crowd(_ source: SettingBroadcast, _ single: SettingBroadcast, _ plan: Plan) -> [Result] {
        let ours = Audience(of: source, count: crowdSize)
        if plan.profile({ _ in _ = ours.publish() }) { return [] }
        let samples = max(30, plan.samples / 4)
        let own = AudiencePairs(samples, ours, Audience(of: single, count: 1))
        let limit = Audience(of: ContinuationBroadcast(), count: crowdSize)
        let all = AudiencePairs(samples, ours, limit).delivery.ratioOfQuantiles(0.5)
        var writerPeers: [Result.Peer] = []
        var deliveryPeers: [Result.Peer] = []
        func add<Source: Broadcast>(_ name: String, _ one: Source, _ many: Source) {
            let many = Audience(of: many, count: crowdSize)
            let writer = AudiencePairs(30, many, Audience(of: one, count: 1)).writer.ratioOfQuantiles(0.5)
            writerPeers.append(Result.Peer(name: name, ratio: writer.ratio))
            let delivery = AudiencePairs(30, many, limit).delivery.ratioOfQuantiles(0.5)
            deliveryPeers.append(Result.Peer(name: name, ratio: delivery.ratio))
        }
        if plan.includesPeers {
            add(PeerName.stream, StreamBroadcast(), StreamBroadcast())
            add(PeerName.configuration, ConfigurationBroadcast(), ConfigurationBroadcast())
        }
        return [
            Result(
                Rows.writerOfCrowd, own.writer.ratioOfQuantiles(0.5), peers: writerPeers, notes: [own.processorNote]),
            Result(Rows.lastOfCrowd, all, peers: deliveryPeers),
        ]
    }

    private enum Rows {
        static let writerOfOne = Row(
            id: "R9", subject: "write with 1 waiting, writer's time", limit: "resume of a continuation", goal: 1.4,
            stretch: 1.15)
        static let writerOfCrowd = Row(
            id: "R10", subject: "write with 1,000 waiting, writer's time", limit: "the same with one waiting", goal: 2,
            stretch: 1.1)
        static let lastOfCrowd = Row(
            id: "R11", subject: "until 1,000 subscribers have it", limit: "resume of 1,000 continuations", goal: 1.3,
            stretch: 1.05)

        static func delay(_ which: String) -> Row {
            Row(
                id: "R13", subject: "delay to an idle subscriber, \(which)",
                limit: "resume of a continuation to its task", goal: 1.3, stretch: 1.15)
        }
    }
}

/// The times of single values, taken alternately from two audiences.
struct AudiencePairs {
    private(set) var writer = PairedSamples()
    private(set) var writerOnProcessor = PairedSamples()
    private(set) var delivery = PairedSamples()

    init(_ count: Int, _ ours: Audience<some Broadcast>, _ limit: Audience<some Broadcast>) {
        for sample in 0..<count {
            let first = sample.isMultiple(of: 2) ? ours.publish() : nil
            let other = limit.publish()
            let times = first ?? ours.publish()
            writer.append(times.writer, other.writer)
            writerOnProcessor.append(times.writerOnProcessor, other.writerOnProcessor)
            delivery.append(times.delivery, other.delivery)
        }
    }

    /// What the writer itself has used, which a busy machine does not blur.
    var processorNote: String {
        "processor time of the writer \(Table.ratio(writerOnProcessor.ratioOfQuantiles(0.5).ratio))×"
    }
}
