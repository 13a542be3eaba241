import Settle
import SettleTesting
import Testing

/// `SettingsStore.token`.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StoreTokenTests {
    /// Otherwise a client that reads the token, and then the values, overwrites what it has not seen.
    @Test("It is no place that the values have not reached", arguments: HistoryPlace.Kind.allCases)
    func reached(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (store, other) = try await (home.open(), home.open())
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let before = try store.newest()
        let gate = Gate()
        // While a writer is active, nothing of others is merged.
        async let writer: Void = onThread { try? store.update { gate.pass() } }
        await gate.waitUntilReached()
        try await other.commit { try other.keys.setValue(2, forKey: "count") }
        // Fetches it.
        let snapshot = await store.history.changes(after: nil).first { _ in true }
        #expect(snapshot?.token == other.history.token)
        #expect(settings.count == 1)
        #expect(store.history.token == before)
        gate.open()
        await writer
        try await store.commit {}
        #expect(settings.count == 2)
        #expect(store.history.token == other.history.token)
        try await other.close()
        try await store.close()
    }

    @Test(
        "It begins with the history, whatever has begun that, and a commit that changes nothing does not leave it behind",
        arguments: ["commit", "flush", "follower", "clock"])
    func emptied(beginning: String) async throws {
        let fixture = try FileStorageFixture()
        let clock = ManualClock()
        func open() async throws -> SettingsStore {
            try await SettingsStore.open(
                storage: fixture.storage(), configuration: SettingsStore.Configuration(clock: clock))
        }
        var store = try await open()
        try await store.commit { try store.keys.setValue(1, forKey: "count") }
        try await store.close()
        try fixture.write("", to: ".settings.json.journal")
        store = try await open()
        switch beginning {
        case "commit": try await store.commit {}
        case "flush": try await store.file.flush()
        case "follower": #expect(await store.history.changes(after: nil).first { _ in true }?.token != nil)
        default:
            // Opening is followed by a checkpoint, which begins another journal.
            for _ in 0..<100 where store.history.token == nil {
                clock.advance(by: .seconds(1))
                await store.fetchOutside()
            }
        }
        let token = try #require(store.history.token)
        let other = try await open()
        try await other.commit { try other.keys.setValue(2, forKey: "count") }
        try fixture.write("", to: ".settings.json.journal")
        try await other.commit { try other.keys.setValue(3, forKey: "count") }
        try await store.commit {}
        #expect(store.history.token != token && store.history.token == other.history.token)
        try await other.close()
        try await store.close()
    }

    @Test("It goes on with each append and each merge", arguments: HistoryPlace.Kind.allCases)
    func goesOn(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (store, other) = try await (home.open(), home.open())
        let settings = try await store.group(CounterSettings.self)
        for round in 1...5 {
            try await settings.commit { settings.count = round * 2 }
            let own = try store.newest()
            try await other.commit { try other.keys.setValue(.integer(Int64(round * 2 + 1)), forKey: "count") }
            #expect(other.history.token?.position == own.position + 1)
            try await store.commit {}
            #expect(store.history.token == other.history.token)
        }
        let token = store.history.token
        try await other.close()
        try await store.close()
        let again = try await home.open()
        #expect(again.history.token == token)
        try await again.close()
    }
}
