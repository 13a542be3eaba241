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
