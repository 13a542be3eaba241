import Settle

/// Asking a stream for a value that is already there.
enum PendingValues {
    static let all = [Benchmark(rows: ["R14"]) { plan in [try await measure(plan)] }]

    /// After one write this many iterators have a newer value, so a block of `next()` measures nothing else.
    private static let width = 4_000

    private actor Place {
        private var sum = 0

        // Has state and a body, because the compiler omits a hop to an actor that does nothing there.
        @inline(never)
        func visit(_ value: Int) -> Int {
            sum &+= value
            return sum
        }
    }

    private static func measure(_ plan: Plan) async throws -> RowResult {
        let fixture = try await SavingStore()
        let settings = fixture.settings
        var iterators = (0..<width).map { _ in settings.$count.makeAsyncIterator() }
        var value = 0
        func block() async -> Double {
            value += 1
            settings.count = value
            var sum = 0
            let start = nanoseconds()
            for index in iterators.indices { sum &+= await iterators[index].next(isolation: nil) ?? 0 }
            let end = nanoseconds()
            consume(sum)
            return Double(end - start) / Double(width)
        }
        if let seconds = plan.profiledSeconds {
            let end = nanoseconds() + UInt64(seconds * 1e9)
            while nanoseconds() < end { _ = await block() }
        }
        let place = Place()
        func hop() async -> Double {
            var sum = 0
            let start = nanoseconds()
            for turn in 0..<width { sum &+= await place.visit(turn) }
            let end = nanoseconds()
            consume(sum)
            return Double(end - start) / Double(width)
        }
        for _ in 0..<5 { _ = (await block(), await hop()) }
        let comparison = await plan.alternate(pairs: plan.pairs, subject: block, limit: hop)
        var peers: [RowResult.Peer] = []
        if plan.includesPeers {
            let streams = (0..<width).map { _ in
                AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
            }
            var streamIterators = streams.map { $0.stream.makeAsyncIterator() }
            func streamBlock() async -> Double {
                for stream in streams { stream.continuation.yield(1) }
                var sum = 0
                let start = nanoseconds()
                for index in streamIterators.indices {
                    sum &+= await streamIterators[index].next(isolation: nil) ?? 0
                }
                let end = nanoseconds()
                consume(sum)
                return Double(end - start) / Double(width)
            }
            let ratio = await plan.alternate(pairs: plan.peerPairs, subject: streamBlock, limit: hop).ratio
            peers = [RowResult.Peer(name: PeerName.stream, ratio: ratio)]
        }
        try await fixture.close()
        let row = Row(
            id: "R14", subject: "next() when a newer value is there", limit: "actor hop", goal: 0.8, stretch: 0.5)
        return RowResult(row, comparison, peers: peers)
    }
}
