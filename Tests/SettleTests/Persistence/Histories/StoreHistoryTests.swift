import Foundation
import Settle
import SettleTesting
import Testing

/// Random histories of stores and a person that share a file, checked against what was acknowledged.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StoreHistoryTests {
    /// Seeds that once found a bug.
    private static let findings: [UInt64] = [70, 1_326, 1_460, 101_163, 3_000_107]

    /// The same histories each time, as far as threads allow. `SETTLE_HISTORIES` sets another number, which then start
    /// at a random seed or at `SETTLE_HISTORY_SEED`: a number of 1 repeats a history that has failed.
    @Test("Stores that share a file agree and have everything that was acknowledged")
    func histories() async {
        func run(_ seed: UInt64, removesFiles: Bool) async {
            do {
                try await StoreHistory.run(seed: seed, removesFiles: removesFiles)
            } catch {
                Issue.record("\(error)")
            }
        }
        let seeds = seeds(Self.findings + Array(1...100))
        for seed in seeds { await run(seed, removesFiles: false) }
        // Removals change a history from the first one on.
        for seed in seeds.prefix(max(60, seeds.count / 2)) { await run(seed, removesFiles: true) }
    }

    @Test("With values in the file that can't be used, stores, file and history agree, and undos keep to the history")
    func unusableValues() async {
        for seed in seeds(Array(1...60)) {
            do {
                try await UnusableValueHistory.run(seed: seed, steps: 16)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    private func seeds(_ usual: [UInt64]) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        guard let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) else { return usual }
        let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? SeededGenerator.drawSeed()
        return Array(first..<(first + count))
    }
}
