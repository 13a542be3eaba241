import Foundation
import Settle
import SettleTesting
import Testing

/// Random histories of processes and a person who share a file, against a model.
@Suite(.timeLimit(.minutes(2))) struct FileStorageHistoryTests {
    @Test("all who share a file agree with the model, whatever happens to them") func histories() throws {
        let environment = ProcessInfo.processInfo.environment
        // Enough for every kind of step to meet every other one now and then.
        let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) ?? 1_000
        let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max >> 1)
        for seed in first..<(first + count) {
            #expect(throws: Never.self) { try SharedFileHistory.run(seed: seed, steps: 20) }
        }
    }
}
