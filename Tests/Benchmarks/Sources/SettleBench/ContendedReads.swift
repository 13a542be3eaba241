import Configuration
import Foundation
import Settle
import Synchronization

/// Reading from two threads at the same time.
enum ContendedReads {
    static let all = [Benchmark(rows: ["R4"]) { plan in [try await measure(plan)] }]

    private static func measure(_ plan: Plan) async throws -> RowResult {
        let fixture = try await SavingStore()
        let defaults = try DefaultsFixture()
        let result = await onOwnThread {
            let settings = fixture.settings
            let guarded = Guarded(1)
            let limit = { @Sendable (turns: Int) in
                var sum = 0
                for _ in 0..<turns { sum &+= guarded.value }
                consume(sum)
            }
            let comparison = compare(plan, pairs: plan.pairs, limit) { turns in
                var sum = 0
                for _ in 0..<turns { sum &+= settings.$count.value }
                consume(sum)
            }
            let configuration = ConfigurationFixture()
            let row = Row(
                id: "R4", subject: "two threads read one Int", limit: "contended Mutex<Int>", goal: 0.02)
            var peers: [RowResult.Peer] = []
            func add(_ name: String, _ subject: @escaping @Sendable (Int) -> Void) {
                let ratio = compare(plan, pairs: plan.peerPairs, limit, subject).ratio
                peers.append(RowResult.Peer(name: name, ratio: ratio))
            }
            if plan.includesPeers, plan.profiledSeconds == nil {
                add(PeerName.defaults) { turns in
                    for _ in 0..<turns { consume(defaults.defaults.integer(forKey: "count")) }
                }
                add(PeerName.configuration) { turns in
                    for _ in 0..<turns { consume(configuration.reader.int(forKey: "count", default: 0)) }
                }
            }
            return RowResult(row, comparison, peers: peers)
        }
        try await fixture.close()
        return result
    }

    private static func compare(
        _ plan: Plan, pairs: Int, _ limit: @escaping @Sendable (Int) -> Void,
        _ subject: @escaping @Sendable (Int) -> Void
    ) -> Comparison {
        if plan.profile({ onTwoThreads(turns: $0 * 1_000, subject) }) { return .none }
        let (subjectTurns, limitTurns) = (turns(subject, plan), turns(limit, plan))
        return plan.alternate(
            pairs: pairs, subject: { onTwoThreads(turns: subjectTurns, subject) },
            limit: { onTwoThreads(turns: limitTurns, limit) })
    }

    private static func turns(_ body: @escaping @Sendable (Int) -> Void, _ plan: Plan) -> Int {
        var turns = 1_000
        while true {
            let length = onTwoThreads(turns: turns, body) * Double(turns)
            if length > plan.blockLength / 4 { return max(1, Int(Double(turns) * plan.blockLength / length)) }
            turns *= 2
        }
    }

    /// Runs a loop on two threads at the same time. Nanoseconds per turn of the slower one.
    ///
    /// On a busy machine the second thread often starts after the first one was suspended or has finished. Such a block
    /// saw no contention, so it is run again.
    @discardableResult
    private static func onTwoThreads(turns: Int, _ body: @escaping @Sendable (Int) -> Void) -> Double {
        var best = 0.0
        for _ in 0..<50 {
            let gate = Gate()
            Thread.detachNewThread { gate.leave(run(turns, body, gate)) }
            let (mine, other) = (run(turns, body, gate), gate.waitForOther())
            best = Double(max(mine.end - mine.start, other.end - other.start))
            let overlap = Double(min(mine.end, other.end)) - Double(max(mine.start, other.start))
            if overlap > 0.8 * best { break }
        }
        return best / Double(turns)
    }

    private static func run(_ turns: Int, _ body: (Int) -> Void, _ gate: Gate) -> Span {
        gate.arrive()
        let start = nanoseconds()
        body(turns)
        return Span(start: start, end: nanoseconds())
    }

    private struct Span {
        var start: UInt64
        var end: UInt64
    }

    /// Starts two threads together, and tells the first how long the second took.
    private final class Gate: Sendable {
        private let arrived = Atomic<Int>(0)
        private let start = Atomic<UInt64>(0)
        private let end = Atomic<UInt64>(0)

        func arrive() {
            arrived.add(1, ordering: .acquiringAndReleasing)
            while arrived.load(ordering: .acquiring) < 2 {}
        }

        func leave(_ span: Span) {
            start.store(span.start, ordering: .relaxed)
            end.store(span.end, ordering: .releasing)
        }

        func waitForOther() -> Span {
            while end.load(ordering: .acquiring) == 0 {}
            return Span(start: start.load(ordering: .relaxed), end: end.load(ordering: .acquiring))
        }
    }
}
