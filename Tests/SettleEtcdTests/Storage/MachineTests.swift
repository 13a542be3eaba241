import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// What machines report to have in force.
@Suite(.timeLimit(.minutes(10)), .serialized) struct MachineTests {
    private let fixture = EtcdFixture()

    struct Limits: SettingsGroup {
        @Setting(in: 0...10) var requests = 1
    }

    /// A machine that reports.
    private struct Machine {
        let store: SettingsStore
        let storage: EtcdStorage
        let transport: FakeTransport
        /// Carries the requests of the domains.
        let domains: FakeTransport
        let limits: Limits
        let task: Task<Void, Never>

        func close() async throws {
            task.cancel()
            await task.value
            try await store.close()
        }
    }

    /// - Parameter groups: The groups that it searches, the first one first.
    private func machine(_ name: String, in groups: String...) async throws -> Machine {
        let (storage, transport) = fixture.client()
        let (fleet, domains) = (fixture.configuration(), FakeTransport(fixture.cluster))
        let list = groups.map { group in
            SearchList.Domain.etcd(DomainName(group), fleet.forGroup(group), transport: domains)
        }
        let store = try await SettingsStore.open(
            storage: storage, searching: SearchList(list + [.application]),
            configuration: SettingsStore.Configuration(clock: fixture.clock))
        let limits = try await store.group(Limits.self)
        let task = Task { await storage.report(store, as: name, timeToLive: .seconds(30)) }
        return Machine(
            store: store, storage: storage, transport: transport, domains: domains, limits: limits, task: task)
    }

    private func prefix(of group: String) -> String { fixture.configuration().forGroup(group).prefix }

    /// Stores a value for a group.
    private func commit(_ requests: Int, in group: String) async throws -> ChangeToken {
        let (storage, _) = fixture.client { $0.prefix = prefix(of: group) }
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(clock: fixture.clock))
        let limits = try await store.group(Limits.self)
        try await limits.commit { limits.requests = requests }
        let token = try #require(store.history.token)
        try await store.close()
        return token
    }

    /// Lets time pass until a condition holds for the machines that are listed.
    private func machines(
        _ storage: EtcdStorage, when condition: ([EtcdMachine]) -> Bool
    ) async throws -> [EtcdMachine] {
        var found: [EtcdMachine] = []
        try await eventually("the machines are listed as expected") {
            found = try await storage.machines()
            if condition(found) { return true }
            if !fixture.clock.deadlines.isEmpty { fixture.clock.advance(by: .milliseconds(50)) }
            return false
        }
        return found
    }

    @Test("Machines are listed with what is in force there") func listedMachines() async throws {
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

    @Test("What is not in force is not reported") func notInForce() async throws {
        let (first, second) = (try await machine("a"), try await machine("b"))
        try await first.limits.commit { first.limits.requests = 2 }
        let before = try #require(first.store.history.token)
        _ = try await machines(first.storage) { $0.count == 2 && $0.allSatisfy { $0.has(before) } }
        try await eventually("the second machine has a stream") {
            second.transport.state.withLock { !$0.streams.isEmpty }
        }
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

    @Test("A value that cannot be used is reported until it can") func unusableValue() async throws {
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

    @Test("A machine that cannot be reached is listed for as long as it may live")
    func unreachableMachine() async throws {
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

    @Test("A closed store ends its reports") func closedStore() async throws {
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

    @Test("A machine reports which transaction of its group is in force; one outside the group reports nothing of it")
    func groupsAreReported() async throws {
        let (inside, outside) = (try await machine("a", in: "canary"), try await machine("b"))
        let token = try await commit(2, in: "canary")
        let canary = prefix(of: "canary")
        let found = try await machines(inside.storage) { $0.first?.has(token, under: canary) == true && $0.count == 2 }
        #expect(inside.limits.requests == 2 && outside.limits.requests == 1)
        #expect(found[1].has(token, under: canary) == nil && found[1].layers.isEmpty)
        #expect(found[0].has(token, under: prefix(of: "other")) == nil)
        // It is a token of another history.
        #expect(!found[0].has(token))
        for machine in [inside, outside] { try await machine.close() }
    }

    @Test("A machine does not report a transaction of its group before it is in force")
    func groupsAreNotReportedEarly() async throws {
        let machine = try await machine("a", in: "canary")
        let canary = prefix(of: "canary")
        let before = try await commit(2, in: "canary")
        _ = try await machines(machine.storage) { $0.first?.has(before, under: canary) == true }
        try await eventually("the domains have a stream") { machine.domains.state.withLock { !$0.streams.isEmpty } }
        machine.domains.holdStreams()
        let token = try await commit(3, in: "canary")
        // Less than the silence after which it looks by itself.
        for _ in 0..<20 {
            fixture.clock.advance(by: .milliseconds(50))
            let found = try await machine.storage.machines()
            #expect(found.first?.has(token, under: canary) == false && machine.limits.requests == 2)
        }
        machine.domains.releaseStreams()
        _ = try await machines(machine.storage) { $0.first?.has(token, under: canary) == true }
        #expect(machine.limits.requests == 3)
        try await machine.close()
    }

    @Test("A transaction whose values another group covers is reported, too")
    func coveredGroupsAreReported() async throws {
        let machine = try await machine("a", in: "first", "second")
        let first = try await commit(7, in: "first")
        let second = try await commit(2, in: "second")
        let prefixes = (prefix(of: "first"), prefix(of: "second"))
        _ = try await machines(machine.storage) { $0.first?.has(first, under: prefixes.0) == true }
        _ = try await machines(machine.storage) { $0.first?.has(second, under: prefixes.1) == true }
        #expect(machine.limits.requests == 7)
        let third = try await commit(3, in: "second")
        _ = try await machines(machine.storage) { $0.first?.has(third, under: prefixes.1) == true }
        #expect(machine.limits.requests == 7)
        try await machine.close()
    }

    @Test("A group's value that a machine can't use is reported until it can")
    func unusableValuesOfGroupsAreReported() async throws {
        let machine = try await machine("a", in: "canary")
        fixture.cluster.put("\(prefix(of: "canary"))requests", "11")
        let found = try await machines(machine.storage) { $0.first?.problems.isEmpty == false }
        #expect(found[0].problems.keys.sorted() == ["requests"])
        #expect(found[0].problems["requests"]?.contains("“canary”") == true, "\(found[0].problems)")
        #expect(machine.limits.requests == 1)
        _ = try await commit(5, in: "canary")
        _ = try await machines(machine.storage) { $0.first?.problems.isEmpty == true }
        #expect(machine.limits.requests == 5)
        try await machine.close()
    }

    @Test("A machine that may not report tries more and more rarely, with one lease") func denied() async throws {
        fixture.cluster.state.withLock { $0.forbidden = "/fleet/test$machines/" }
        let machine = try await machine("a")
        let end = fixture.clock.now.advanced(by: .seconds(300))
        try await fixture.whileTimePasses {
            try await eventually("five minutes have passed") { fixture.clock.now >= end }
        }
        let tries = machine.transport.requests(of: EtcdPath.transaction).count
        #expect((5...25).contains(tries) && machine.transport.requests(of: EtcdPath.grantLease).count == 1, "\(tries)")
        fixture.cluster.state.withLock { $0.forbidden = nil }
        _ = try await machines(machine.storage) { $0.map(\.name) == ["a"] }
        try await machine.close()
    }

    @Test("The reporter renews in time and begins anew after a failure") func renewedReport() {
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
        reporter.didPut(machine)
        #expect(reporter.next(machine, now: .seconds(12)) == .wait)
        machine.layers.updateValue(nil, forKey: "/group/")
        #expect(reporter.next(machine, now: .seconds(12)) == .put(lease: 7))
        reporter.failed()
        #expect(reporter.next(machine, now: .seconds(12)) == .register && reporter.currentLease == nil)
    }

    @Test("A report survives being written") func writtenReport() {
        let token = ChangeToken(history: 1, position: 2, checksum: 3)
        let machine = EtcdMachine(
            name: "a", token: token, layers: ["/app$groups/é/": token, "/app$hosts/a/": nil],
            problems: ["é.x": "“y” \n"], program: "p 1", time: 0.5)
        #expect(EtcdMachine(name: "a", machine.bytes) == machine)
        for bytes in [[], Array("{}".utf8), Array("[1]".utf8), Array(#"{"program": 1}"#.utf8)] {
            #expect(EtcdMachine(name: "a", bytes) == nil)
        }
    }
}
