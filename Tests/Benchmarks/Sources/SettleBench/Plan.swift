import Dispatch
import Foundation

/// How long and how often to measure.
struct Plan: Sendable {
    /// Pairs of blocks for a row.
    var pairs = 300
    /// Pairs of blocks for a peer, which is far from the limit.
    var peerPairs = 40
    /// Pairs of single samples for a row of latencies.
    var samples = 1_000
    var blockLength = 1_000_000.0
    /// If set, only the subject runs, for this many seconds, under a profiler.
    var profiledSeconds: Double?
    var includesPeers = true

    static let quick = Plan(pairs: 40, peerPairs: 10, samples: 150)
}

/// The result of a comparison, in nanoseconds unless its row says otherwise.
struct Comparison: Sendable {
    var ours: Double
    var limit: Double
    var ratio: Double

    static let none = Comparison(ours: 0, limit: 0, ratio: 0)
}

/// Nanoseconds of a monotonic clock.
@inline(__always)
func nanoseconds() -> UInt64 {
    DispatchTime.now().uptimeNanoseconds
}

/// Nanoseconds that the calling thread has spent on a processor.
func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Nanoseconds that all threads of this process have spent on a processor.
func processNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension Plan {
    /// Compares two loops in alternating blocks, and takes the median of the ratios of neighbouring blocks.
    ///
    /// Each loop is given its number of turns. Neighbouring blocks meet the same state of the machine, so their ratio
    /// says more than either time. `prepare` runs before each block of the subject, outside its time.
    func compare(
        pairs: Int? = nil, prepare: () -> Void = {}, subject: (Int) -> Void, limit: (Int) -> Void
    ) -> Comparison {
        if profile(subject) { return .none }
        let (subjectTurns, limitTurns) = (turns(of: subject), turns(of: limit))
        return alternate(
            pairs: pairs ?? self.pairs,
            subject: {
                prepare()
                return time(subject, turns: subjectTurns)
            },
            limit: { time(limit, turns: limitTurns) })
    }

    /// Compares two figures measured elsewhere, in alternating order, like ``compare(pairs:subject:limit:)``.
    func alternate(pairs: Int, subject: () -> Double, limit: () -> Double) -> Comparison {
        var samples = PairedSamples()
        for pair in 0..<pairs {
            if pair.isMultiple(of: 2) {
                let ours = subject()
                samples.append(ours, limit())
            } else {
                let other = limit()
                samples.append(subject(), other)
            }
        }
        return samples.medianOfRatios
    }

    /// The asynchronous variant.
    func alternate(pairs: Int, subject: () async -> Double, limit: () async -> Double) async -> Comparison {
        var samples = PairedSamples()
        for pair in 0..<pairs {
            if pair.isMultiple(of: 2) {
                let ours = await subject()
                samples.append(ours, await limit())
            } else {
                let other = await limit()
                samples.append(await subject(), other)
            }
        }
        return samples.medianOfRatios
    }

    /// Compares another library with a limit.
    func peer(_ name: String, limit: (Int) -> Void, _ subject: (Int) -> Void) -> [RowResult.Peer] {
        guard includesPeers, profiledSeconds == nil else { return [] }
        return [RowResult.Peer(name: name, ratio: compare(pairs: peerPairs, subject: subject, limit: limit).ratio)]
    }

    /// Repeats a block if it is being profiled.
    func profile(_ block: (Int) -> Void) -> Bool {
        guard let profiledSeconds else { return false }
        let end = nanoseconds() + UInt64(profiledSeconds * 1e9)
        while nanoseconds() < end { block(1_000) }
        return true
    }

    /// The number of turns that fill a block; also warms up.
    private func turns(of block: (Int) -> Void) -> Int {
        var turns = 16
        while true {
            let nanoseconds = time(block, turns: turns) * Double(turns)
            if nanoseconds > blockLength / 4 {
                return max(1, Int(Double(turns) * blockLength / nanoseconds))
            }
            turns *= 2
        }
    }

    /// Nanoseconds of one turn.
    private func time(_ block: (Int) -> Void, turns: Int) -> Double {
        let start = nanoseconds()
        block(turns)
        return Double(nanoseconds() - start) / Double(turns)
    }
}
