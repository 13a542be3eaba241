import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RunTests {
    @Test("run() returns when its task is cancelled, after a last save")
    func cancellation() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let task = Task { try await store.run() }
        settings.count = 1
        task.cancel()
        try await task.value
        #expect(recording.batches.map(\.values) == [["count": .integer(1)]])
        // The store itself is still open.
        settings.count = 2
        try await store.flush()
        #expect(recording.batches.count == 2)
    }

    @Test("run() throws if the last save fails")
    func failure() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.count = 1
        let task = Task { try await store.run() }
        task.cancel()
        await #expect(throws: SettingsError.self) { try await task.value }
    }

    @Test("run() returns when the store is closed, or at once if it already is")
    func closing() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let task = Task { try await store.run() }
        try await store.close()
        try await task.value
        try await store.run()
    }
}
