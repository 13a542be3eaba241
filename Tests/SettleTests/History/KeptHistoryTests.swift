import Foundation
import Settle
import SettleTesting
import Testing

/// Compares random lives of a file with a history with a list in memory.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct KeptHistoryTests {
    /// Runs the same lives each time. `SETTLE_HISTORIES` sets another number of them, which then begin at
    /// `SETTLE_HISTORY_SEED` or at a random seed; a number of 1 repeats one that failed.
    @Test("A follower of a shared file is told each transaction once, in one order, or that it has missed some")
    func lives() async {
        let environment = ProcessInfo.processInfo.environment
        var seeds = Array(UInt64(1)...100)
        if let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) {
            let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? SeededGenerator.drawSeed()
            seeds = Array(first..<(first + count))
        }
        let (failures, resumptions) = await onThread { [seeds] in
            var failures: [String] = []
            var resumptions = 0
            for seed in seeds {
                do {
                    resumptions += try KeptHistoryRun.run(seed: seed, steps: 25).resumptions
                } catch {
                    failures.append("\(error)")
                }
            }
            return (failures, resumptions)
        }
        for failure in failures.prefix(3) { Issue.record("\(failure)") }
        #expect(failures.count == 0 && resumptions > 2 * seeds.count)
    }
}
