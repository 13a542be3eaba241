import Foundation
import Settle
import SettleTesting
import Testing

/// Random histories of processes and a person who share a file, against a model.
@Suite(.timeLimit(.minutes(2))) struct FileStorageHistoryTests {
    /// To see one again that has failed: `SETTLE_HISTORY_SEED` is its seed, and `SETTLE_HISTORIES` is 1.
    @Test("all who share a file agree with the model, whatever happens to them") func histories() async {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) ?? 300
        let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max >> 1)
        let failures = await onThread {
            (first..<(first + count)).compactMap { seed -> String? in
                do {
                    try SharedFileHistory.run(seed: seed, steps: 20)
                    return nil
                } catch {
                    return "\(error)"
                }
            }
        }
        for failure in failures { Issue.record("\(failure)") }
    }
}
