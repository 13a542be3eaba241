import Foundation
import SettleTesting
import Testing

/// Random histories of stores with many domains, against a naive search list. Promises 22 to 24.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SearchListHistoryTests {
    /// In parts, which run at the same time. `SETTLE_HISTORIES` sets another number of histories, and
    /// `SETTLE_HISTORY_SEED` the first seed: a number of 1 repeats a history that has failed.
    @Test("Random histories agree with a naive search list after each step", arguments: 0..<4)
    func histories(part: UInt64) async throws {
        for seed in Self.seeds(of: part, count: 400) { try await Self.run(seed, in: MemoryHome()) }
    }

    @Test("Random histories with files, migrations and kills agree with it too", arguments: 0..<4)
    func files(part: UInt64) async throws {
        for seed in Self.seeds(of: part, count: 100) { try await Self.run(seed, in: DiskHome()) }
    }

    private static func seeds(of part: UInt64, count: UInt64) -> some Sequence<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) ?? count
        let start = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? SeededGenerator.drawSeed()
        return (start..<start + count).lazy.filter { $0 % 4 == part }
    }

    private static func run(_ seed: UInt64, in home: any HistoryHome) async throws {
        let history = try await SearchListHistory(seed: seed, in: home)
        for _ in 0..<10 { try await history.step() }
        try await history.close()
    }
}
