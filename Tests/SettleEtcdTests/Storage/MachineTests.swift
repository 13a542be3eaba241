import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// What machines report to have in force.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct MachineTests {
    private let fixture = EtcdFixture()

    struct Limits: SettingsGroup {
        @Setting(in: 0...10) var requests = 1
    }

    /// A machine that reports.
    private struct Machine {
        let store: SettingsStore
        let storage: EtcdStorage
        let transport: FakeTransport
        let limits: Limits
        let task: Task<Void, Never>

        func close() async throws {
            task.cancel()
            await task.value
            try await store.close()
        }
    }

    private func machine(_ name: String) async throws -> Machine {
        let (storage, transport) = fixture.client()
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(clock: fixture.clock))
        let limits = try await store.group(Limits.self)
        let task = Task { await storage.report(store, as: name, timeToLive: .seconds(30)) }
        return Machine(store: store, storage: storage, transport: transport, limits: limits, task: task)
    }

    /// Lets time pass until a condition holds for the machines that are listed.
    private func machines(
        _ storage: EtcdStorage, when condition: ([EtcdMachine]) -> Bool
    ) async throws -> [EtcdMachine] {
        while true {
            let found = try await storage.machines()
            if condition(found) { return found }
            if !fixture.clock.deadlines.isEmpty { fixture.clock.advance(by: .milliseconds(50)) }
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    @Test func machinesAreListedWithWhatIsInForceThere() async throws {
        let (first, second) = (try await machine("a"), try await machine("b"))
        try await first.limits.commit { first.limits.requests = 2 }
        let token = try #require(first.store.history.token)
        let found = try await machines(first.storage) { $0.count == 2 && $0.allSatisfy { $0.has(token) } }
        #expect(found.map(\.name) == ["a", "b"] && found.allSatisfy { $0.problems.isEmpty })
        #expect(second.limits.requests == 2)
        // A report is no change of the settings, and of no concern to those who follow them.
        let position = first.storage.token
        #expect(position == token)
        #expect(await first.storage.unusableKeys().isEmpty)
        try await second.close()
        _ = try await machines(first.storage) { $0.map(\.name) == ["a"] }
        try await first.close()
        #expect(fixture.cluster.text("/fleet/test$machines/a") == nil)
    }

    @Test func whatIsNotInForceIsNotReported() async throws {
        let (first, second) = (try await machine("a"), try await machine("b"))
        try await first.limits.commit { first.limits.requests = 2 }
        let before = try #require(first.store.history.token)
        _ = try await machines(first.storage) { $0.count == 2 && $0.allSatisfy { $0.has(before) } }
        while second.transport.state.withLock({ $0.streams.isEmpty }) { await Task.yield() }
        second.transport.holdStreams()
        try await first.limits.commit { first.limits.requests = 3 }
        let token = try #require(first.store.history.token)
        _ = try await machines(first.storage) { $0.first?.has(token) == true }
        // Less than the silence after which it looks by itself.
        for _ in 0..<20 {
            fixture.clock.advance(by: .milliseconds(50))
            let found = try await first.storage.machines()
            #expect(found.last?.has(token) == (second.limits.requests == 3))
        }
        #expect(try await first.storage.machines().last?.token == before)
        second.transport.releaseStreams()
        _ = try await machines(first.storage) { $0.allSatisfy { $0.has(token) } }
        #expect(second.limits.requests == 3)
        for machine in [first, second] { try await machine.close() }
    }

    @Test func aValueThatCanNotBeUsedIsReportedUntilItCan() async throws {
        let machine = try await machine("a")
        try await machine.limits.commit { machine.limits.requests = 2 }
        fixture.cluster.put("/fleet/test/requests", "11")
        let found = try await machines(machine.storage) { $0.first?.problems.isEmpty == false }
        #expect(found[0].problems.keys.sorted() == ["requests"])
        #expect(found[0].problems["requests"]?.isEmpty == false && machine.limits.requests == 2)
        fixture.cluster.put("/fleet/test/requests", "5")
        _ = try await machines(machine.storage) { $0.first?.problems.isEmpty == true }
        #expect(machine.limits.requests == 5)
        try await machine.close()
    }

    @Test func aMachineThatCanNotBeReachedIsListedForAsLongAsItMayLive() async throws {
        let (first, second) = (try await machine("a"), try await machine("b"))
        _ = try await machines(first.storage) { $0.count == 2 }
        second.transport.setAll(.refused)
        // The cluster's own clock.
        fixture.cluster.expire()
        _ = try await machines(first.storage) { $0.map(\.name) == ["a"] }
        second.transport.setAll(nil)
        _ = try await machines(first.storage) { $0.count == 2 }
        for machine in [first, second] { try await machine.close() }
    }

    @Test func aClosedStoreEndsItsReports() async throws {
        let machine = try await machine("a")
        _ = try await machines(machine.storage) { $0.count == 1 }
        try await machine.store.close()
        let time = Task { [clock = fixture.clock] in
            while !Task.isCancelled {
                if !clock.deadlines.isEmpty { clock.advance(by: .milliseconds(50)) }
                await Task.yield()
            }
        }
        await machine.task.value
        time.cancel()
        #expect(fixture.cluster.text("/fleet/test$machines/a") == nil)
    }

    @Test func theReporterRenewsInTimeAndBeginsAnewAfterAFailure() {
        var reporter = MachineReporter(timeToLive: .seconds(30))
        var machine = EtcdMachine(name: "a", token: nil, problems: [:], program: "p", time: 0)
        #expect(reporter.next(machine, now: .zero) == .register)
        reporter.didRegister(7, now: .seconds(1))
        #expect(reporter.next(machine, now: .seconds(1)) == .put(lease: 7))
        reporter.didPut(machine)
        machine.time = 5
        #expect(reporter.next(machine, now: .seconds(10)) == .wait)
        #expect(reporter.next(machine, now: .seconds(11)) == .renew(lease: 7))
        reporter.didRenew(now: .seconds(11))
        machine.problems["x"] = "it is no number"
        #expect(reporter.next(machine, now: .seconds(12)) == .put(lease: 7))
        reporter.failed()
        #expect(reporter.next(machine, now: .seconds(12)) == .register && reporter.currentLease == nil)
    }

    @Test func aReportSurvivesBeingWritten() {
        let machine = EtcdMachine(
            name: "a", token: ChangeToken(history: 1, position: 2, checksum: 3), problems: ["é.x": "“y” \n"],
            program: "p 1", time: 0.5)
        #expect(EtcdMachine(name: "a", machine.bytes) == machine)
        for bytes in [[], Array("{}".utf8), Array("[1]".utf8), Array(#"{"program": 1}"#.utf8)] {
            #expect(EtcdMachine(name: "a", bytes) == nil)
        }
    }
}
