import Foundation
import Settle
import SettleTesting
import Testing

/// Random histories of stores and a person who share a file, against what has been acknowledged.
@Suite(.timeLimit(.minutes(10))) struct StoreHistoryTests {
    /// Seeds that have found something.
    private static let findings: [UInt64] = [70, 1_326, 1_460, 101_163, 3_000_107]

    /// The same histories each time, as far as threads allow. `SETTLE_HISTORIES` is another number of them, which then begin at a
    /// random seed or at `SETTLE_HISTORY_SEED`: with a number of 1 that shows one again which has failed.
    @Test("stores that share a file agree, and have all that was acknowledged, whatever happens to them")
    func histories() async {
        func run(_ seed: UInt64, removesFiles: Bool) async {
            do {
                try await StoreHistory.run(seed: seed, removesFiles: removesFiles)
            } catch {
                Issue.record("\(error)")
            }
        }
        let environment = ProcessInfo.processInfo.environment
        var seeds = Self.findings + Array(1...100)
        if let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) {
            let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max >> 1)
            seeds = Array(first..<(first + count))
        }
        for seed in seeds { await run(seed, removesFiles: false) }
        // Those that removals may take part in are others from then on.
        for seed in seeds.prefix(max(60, seeds.count / 2)) { await run(seed, removesFiles: true) }
    }
}
