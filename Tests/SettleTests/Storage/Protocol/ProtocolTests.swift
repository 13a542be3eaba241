import Foundation
import Settle
import SettleTesting
import Testing

/// The protocol of the settings file, its journal and its lock: that every way through it keeps what is promised, and
/// that real processes keep to it.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ProtocolTests {
    typealias Budget = ProtocolModel.Budget

    /// With `SETTLE_INTERLEAVINGS`, each may happen more often.
    private static let budgets: [Budget] =
        ProcessInfo.processInfo.environment["SETTLE_INTERLEAVINGS"] == nil
        ? [Budget(renewals: 0), Budget(edits: 0, kills: 0, removals: 1)]
        : [
            Budget(), Budget(writes: 2), Budget(kills: 0, removals: 1), Budget(renewals: 0, edits: 2),
            Budget(writes: 2, checkpoints: 2, renewals: 0), Budget(edits: 0, kills: 0, removals: 2),
        ]

    @Test("Every way of two processes and a person keeps what is promised", arguments: budgets)
    func search(budget: Budget) {
        var model = ProtocolModel()
        model.budget = budget
        let result = model.search()
        #expect(result.count > 1000)
        #expect(result.violation == nil, "\(result.violation?.property ?? ""): \(result.violation?.way ?? [])")
    }

    @Test("Without any one rule something is lost", arguments: ProtocolModel.Rule.allCases)
    func rule(_ rule: ProtocolModel.Rule) {
        var model = ProtocolModel()
        model.rules.remove(rule)
        model.budget.renewals = 0
        #expect(model.search().violation != nil)
    }

    @Test("Steps in another order are refused")
    func refusals() throws {
        let start = ProtocolState(["a": 1])
        func isRefused(_ steps: [ProtocolState.Step]) -> Bool {
            var state = start
            do {
                for step in steps { try state.apply(step, by: 0) }
                return false
            } catch {
                return true
            }
        }
        #expect(isRefused([.append(["a": 2])]))
        #expect(isRefused([.lock, .lock]))
        #expect(isRefused([.lock, .append(["a": 2]), .exchange]))
        #expect(isRefused([.lock, .append(["a": 2]), .mirroring, .exchange]))
        #expect(isRefused([.lock, .append(["a": 2]), .mirrored(["a": 2])]))
        #expect(isRefused([.lock, .append(["a": 2]), .mirroring, .sync, .exchange, .mirrored(["a": 2])]))
        #expect(
            isRefused([.lock, .append(["a": 2]), .begin(ProtocolState.Journal(tree: ["a": 1], mirrors: [["a": 1]]))]))
        let whole: [ProtocolState.Step] = [
            .lock, .append(["a": 2]), .mirroring, .sync, .exchange, .syncFolder, .mirrored(["a": 2]), .unlock,
        ]
        #expect(!isRefused(whole))
    }

    @Test("What processes do is a way through the protocol") func traces() async {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SETTLE_INTERLEAVINGS"].flatMap(UInt64.init) ?? 100
        let first = environment["SETTLE_SEED"].flatMap(UInt64.init) ?? 1
        let failures = await onThread {
            (first..<(first + count)).compactMap { seed -> String? in
                let (scripts, oneIn) = RandomScripts.scripts(seed: seed, removesFiles: false)
                do {
                    let plan = CallScheduler.Plan.random(seed: seed, oneIn: oneIn)
                    try InterleavedFile.run(scripts, plan, isTraced: true)
                    return nil
                } catch {
                    return "Seed \(seed): \(error)"
                }
            }
        }
        for failure in failures { Issue.record("\(failure)") }
    }
}
