import Settle
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
}
