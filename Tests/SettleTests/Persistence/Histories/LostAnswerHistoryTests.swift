import Foundation
import Settle
import SettleTesting
import Testing

/// Random histories of two stores whose storage has no lock and loses requests and answers.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct LostAnswerHistoryTests {
    /// `SETTLE_HISTORIES` sets another number, and `SETTLE_HISTORY_SEED` the first seed.
    @Test("Commits over lost answers are stored once, in an order in which each has read all that came before it")
    func histories() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) ?? 50
        let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? 1
        for seed in first..<(first + count) {
            guard let finding = try await LostAnswerHistory(seed: seed).run() else { continue }
            Issue.record("\(finding)")
            return
        }
    }
}
