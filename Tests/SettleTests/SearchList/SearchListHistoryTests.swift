import Foundation
import Testing

/// Random histories of stores with many domains, against a naive search list. Promises 22 to 24.
@Suite(.timeLimit(.minutes(10))) struct SearchListHistoryTests {
    /// In parts, which run at the same time.
    @Test("Ten thousand random histories agree with a naive search list after each step", arguments: 0..<10)
    func histories(part: Int) async throws {
        let start = UInt64.random(in: 0 ... .max >> 1)
        for seed in start..<start + 1_000 { try await Self.run(seed) }
    }

    /// `SETTLE_HISTORIES` sets another number of histories, and `SETTLE_HISTORY_SEED` the first seed.
    @Test("Random histories with files, drafts, migrations and kills agree with it too", arguments: 0..<4)
    func files(part: UInt64) async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) ?? 400
        let start = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max >> 1)
        for seed in start..<start + count where seed % 4 == part { try await Self.run(seed, in: DiskHome()) }
    }

    private static func run(_ seed: UInt64, in home: any HistoryHome = MemoryHome()) async throws {
        let history = try await SearchListHistory(seed: seed, in: home)
        for _ in 0..<10 { try await history.step() }
        try await history.close()
    }
}
