import Foundation
import SettleTesting
import Testing

/// Compares random histories of an app that is shipped again and again with a model.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct MigrationHistoryTests {
    /// Seeds that have found bugs.
    private static let findings: [UInt64] = [103_197, 103_278, 103_569, 107_066, 114_077]

    /// Runs the same histories each time. `SETTLE_HISTORIES` sets another number of them, which then begin at
    /// `SETTLE_HISTORY_SEED` or at a random seed; a number of 1 repeats one that failed.
    private func seeds(_ usual: [UInt64]) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        guard let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) else { return usual }
        let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? SeededGenerator.drawSeed()
        return Array(first..<(first + count))
    }

    @Test("Whatever was shipped in which order, each step is made once and the values are those of the model")
    func values() {
        for seed in seeds(Self.findings + Array(1...1_400)) {
            do {
                try MigrationHistory.run(seed: seed, steps: 16)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test("A file of an app that is shipped again and again has the values of the model, whenever a version dies")
    func files() async {
        for seed in seeds(Array(1...90)) {
            do {
                try await MigratedFileHistory.run(seed: seed, steps: 12)
            } catch {
                Issue.record("\(error)")
            }
        }
    }
}
