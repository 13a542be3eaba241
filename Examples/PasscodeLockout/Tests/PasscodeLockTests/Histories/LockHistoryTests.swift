import Foundation
import SettleTesting
import Testing

/// Random histories of locks, compared with a model of the rules.
@Suite(.timeLimit(.minutes(10))) struct LockHistoryTests {
    /// `SETTLE_HISTORIES` sets another number of histories, which then start at a random seed or at
    /// `SETTLE_HISTORY_SEED`: a number of 1 repeats a history that has failed.
    private static func seeds(_ fixed: [UInt64]) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init)
        let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init)
        let seeds = first.map { $0..<$0 + (count ?? 5) } ?? drawSeeds(count ?? 5)
        return count == nil ? fixed + Array(seeds) : Array(seeds)
    }

    private func run(_ seeds: [UInt64], _ history: (UInt64) async throws -> Void) async {
        var failures: [String] = []
        for seed in seeds {
            do { try await history(seed) } catch { failures.append("\(error)") }
            // The first failures say enough.
            guard failures.count < 3 else { break }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    @Test("I1, I2, I3, I6: A lock follows its rules whatever happens, in any order")
    func inMemory() async {
        await run(Self.seeds(Array(1...20))) { try await LockHistory.run(seed: $0, steps: 50) }
    }

    @Test("I2, I3, I4, I5, I6, I7: A lock in files follows its rules with several processes, clones and damaged files")
    func inFiles() async {
        await run(Self.seeds(Array(1...10))) { seed in
            try await withTemporaryFolder { url in
                _ = try await LockHistory.run(
                    seed: seed, steps: 30, in: LockFolder(url: url.appending(path: "home", directoryHint: .isDirectory))
                )
            }
        }
    }
}
