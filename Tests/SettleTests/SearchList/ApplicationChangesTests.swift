import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What followers of the application's domain are told.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ApplicationChangesTests {
    @Test("A covered write is told to a follower that reads it only after later changes") func late() async throws {
        let high = TestDomain(["count": 7])
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("high", high), .application])
        let settings = try await store.group(LayeredGroup.self)
        var own = store.domains[.application].changes().makeAsyncIterator()
        settings.count = 40
        settings.name = "x"
        settings.count = 41
        settings.isOn = true
        var keys: [String] = []
        for _ in 0..<4 { keys += try #require(await own.next()).mutations.map(\.key) }
        #expect(keys == ["count", "name", "count", "isOn"])
    }

    @Test("What another domain changes is not missed by a follower that takes only the newest change")
    func othersChanges() async throws {
        let high = TestDomain(["name": "high"])
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("high", high), .application])
        let settings = try await store.group(LayeredGroup.self)
        var own = store.domains[.application].changes(.newest).makeAsyncIterator()
        for number in 1...3 {
            high.set(["name": "high \(number)"])
            try await eventually("the domain's value is in force") { settings.name == "high \(number)" }
        }
        settings.count = 40
        let first = try #require(await own.next())
        #expect(first.missed.count == 0 && first.mutations.map(\.key) == ["count"])
        settings.count = 41
        settings.count = 42
        #expect(await own.next()?.missed.count == 1)
    }
}
