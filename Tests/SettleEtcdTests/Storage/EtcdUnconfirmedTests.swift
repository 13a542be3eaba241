import Settle
import SettleTesting
import Testing

@testable import SettleEtcd

/// Commits in a cluster that must be confirmed, by clients on different machines.
@Suite(.timeLimit(.minutes(10))) struct EtcdUnconfirmedTests {
    private let fixture = EtcdFixture()

    private func open(_ clock: ManualClock) async throws -> SettingsStore {
        try await SettingsStore.open(storage: fixture.client().storage, configuration: .init(clock: clock))
    }

    private func stored() async throws -> SettingTree {
        let storage = fixture.client().storage
        let tree = try await storage.load().tree
        await storage.close()
        return tree
    }

    @Test("One of two clients takes it back") func twoClients() async throws {
        let first = try await open(fixture.clock)
        try await first.commit { try first.keys.setValue(1, forKey: "a") }
        try await first.commit(author: "alice", confirmWithin: .seconds(300)) {
            try first.keys.setValue(2, forKey: "a")
            try first.keys.setValue(2, forKey: "b")
        }
        // Another machine: another boot, and a clock of its own.
        let clock = ManualClock()
        let second = try await open(clock)
        #expect(second.unconfirmed.change?.keys == ["a", "b"] && second.unconfirmed.change?.author == "alice")
        // Before a commit runs for the third time, it pauses for some milliseconds.
        let time = Task { [clocks = [fixture.clock, clock]] in
            while !Task.isCancelled {
                for clock in clocks where !clock.deadlines.isEmpty { clock.advance(by: .microseconds(100)) }
                await Task.yield()
            }
        }
        defer { time.cancel() }
        async let one = (try? await first.unconfirmed.revert()) != nil
        async let other = (try? await second.unconfirmed.revert()) != nil
        let won = (await one, await other)
        #expect(won.0 != won.1)
        #expect(try await stored() == SettingTree(["a": .integer(1)]))
        try await first.close()
        try await second.close()
    }

    @Test("A machine that comes too late has taken it back") func lateMachine() async throws {
        let first = try await open(fixture.clock)
        try await first.commit(confirmWithin: .seconds(300)) { try first.keys.setValue(2, forKey: "a") }
        try await first.close()
        let clock = ManualClock()
        clock.setWallClock(forwardBy: .seconds(400))
        let second = try await open(clock)
        #expect(second.keys.effectiveValues["a"] == nil && second.unconfirmed.change == nil)
        #expect(try await stored() == SettingTree())
        try await second.close()
    }
}
