import Settle
import Testing

@testable import fleet

/// The registers of the trial.
@Suite(.timeLimit(.minutes(10))) struct TrialGroupTests {
    @Test("Each register is found by its key in the cluster, and two spellings of a name are two registers")
    func keys() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let group = try await store.group(TrialGroup.self)
        #expect(group.all.map { TrialGroup.register(of: $0.key) } == Array(0...TrialGroup.emergencyRegister))
        try await group.commit { group.stops.composed = 1 }
        #expect(group.all[3].value == 1 && group.all[4].value == 0)
        #expect(TrialGroup.register(of: "limits.requests") == nil)
        // Those of the inner service come after them.
        #expect(TrialGroup.keys.map { TrialGroup.register(of: $0) } == Array(0..<2 * group.all.count))
        #expect(TrialGroup.register(of: "inner/counter") == group.all.count + TrialGroup.counterRegister)
        #expect(TrialGroup.register(of: "inner/inner/counter") == nil)
        try await store.close()
    }
}
