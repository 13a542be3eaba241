import Settle
import SettleTesting
import Testing

/// Removing or resetting a key deletes its stored value, whatever other processes have stored there.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RemovalTests {
    /// A store that has merged an external value for the key `count`.
    private func open(
        _ value: SettingValue
    ) async throws -> (base: InMemoryStorage, store: SettingsStore, settings: CounterSettings) {
        let base = InMemoryStorage()
        let store = try await SettingsStore.open(storage: base, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        base.simulateExternalChange(["count": value, "name": .string("theirs")])
        await recorder.until { !$0.isEmpty }
        return (base, store, settings)
    }

    @Test("Resetting removes an externally stored value even if it equals the default")
    func defaultValue() async throws {
        let (base, store, settings) = try await open(.integer(0))
        try settings.$count.reset()
        try await store.flush()
        #expect(base.tree["count"] == nil && base.tree["name"] == .string("theirs"))
        try store.reset()
        try await store.flush()
        #expect(base.tree == SettingTree())
    }

    @Test("Removing a key deletes an externally stored value that can't be used") func unusable() async throws {
        let (base, store, settings) = try await open(.string("no number"))
        try store.keys.removeValue(forKey: "count")
        try await store.flush()
        #expect(settings.count == 0)
        #expect(base.tree["count"] == nil && base.tree["name"] == .string("theirs"))
    }

    @Test("A value that is not stored is not removed again") func nothing() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        try await store.flush()
        for _ in 0..<2 {
            try store.reset()
            try await store.flush()
        }
        #expect(recording.batches.map(\.values) == [["count": .integer(1)], ["count": nil]])
    }
}
