import Settle
import SettleTesting
import Testing

/// External changes at, around or within keys whose own values are not stored yet.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnsavedUnderOthersTests {
    private let noSpace = StorageError(.noSpace, "There is no room.")
    private let base: InMemoryStorage
    private let failing: FailingStorage
    private let recording: RecordingStorage

    init() {
        base = InMemoryStorage(SettingTree(["other": .integer(1)]))
        failing = FailingStorage(base)
        recording = RecordingStorage(failing)
    }

    private func open() async throws -> SettingsStore {
        try await SettingsStore.open(storage: recording, configuration: .init(clock: ManualClock()))
    }

    @Test("A dictionary whose save failed does not replace what other processes have stored within it since")
    func within() async throws {
        let store = try await open()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: noSpace)
        settings.table = ["own": 1]
        await #expect(throws: SettingsError.self) { try await store.flush() }
        base.simulateExternalChange(["table.theirs": .integer(2)])
        failing.heal()
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "table")
        #expect(recording.batches.isEmpty && settings.table == ["theirs": 2])
        #expect(base.tree["table"] == .dictionary(["theirs": .integer(2)]))
    }

    @Test("A failed save is repeated if other processes have stored the same value since")
    func same() async throws {
        let store = try await open()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: noSpace)
        settings.other = 2
        await #expect(throws: SettingsError.self) { try await store.flush() }
        base.simulateExternalChange(["other": .integer(2)])
        failing.heal()
        try await store.flush()
        #expect(recording.batches.last?.expectedValues == ["other": .integer(2)])
    }

    @Test("If an external change has a dictionary and keys within it, the keys win")
    func dictionaryWithItsKeys() async throws {
        let store = try await open()
        let settings = try await store.group(OuterSettings.self)
        settings.inner.count = 5
        try await store.flush()
        let recorder = ChangeRecorder(store.changes)
        base.simulateExternalChange([
            "inner": .dictionary(["count": .integer(1), "name": .string("a")]), "inner.count": .integer(5),
            "inner.table": .dictionary([:]), "inner.table.p": .integer(2),
        ])
        await recorder.until { !$0.isEmpty }
        #expect(settings.inner.count == 5 && settings.inner.name == "a" && settings.inner.table == ["p": 2])
    }

    /// Writes a key at run time, and declares it in a group before the persister saves it.
    private func declareUnsaved(
        in store: SettingsStore, before release: (CounterSettings) throws -> Void = { _ in }
    ) async throws -> CounterSettings {
        let hold = failing.hold(.append)
        try store.keys.setValue(1, forKey: "earlier")
        await hold.waitUntilReached()
        try store.keys.setValue(5, forKey: "other")
        let settings = try await store.group(CounterSettings.self)
        #expect(settings.other == 5)
        try release(settings)
        hold.release()
        try await store.flush()
        return settings
    }

    @Test("A value written by key is not treated as stored when a group declares the key")
    func declared() async throws {
        let store = try await open()
        let settings = try await declareUnsaved(in: store)
        let batch = try #require(recording.batches.last)
        #expect(batch.values == ["other": .integer(5)] && batch.expectedValues == ["other": .integer(1)])
        #expect(settings.other == 5)
    }

    @Test(
        "A value written by key and then declared stays in force whatever other processes store"
    )
    func declaredUnderOthers() async throws {
        let store = try await open()
        let settings = try await declareUnsaved(in: store) { _ in base.simulateExternalChange(["other": .integer(7)]) }
        #expect(settings.other == 5 && base.tree["other"] == .integer(5))
        try store.keys.removeValue(forKey: "other")
        try await store.flush()
        #expect(settings.other == 0 && base.tree["other"] == nil)
    }

    @Test("An edit of another setting does not bring back what a value written by key has replaced")
    func declaredAndEdited() async throws {
        let fixture = try FileStorageFixture()
        try fixture.write(#"{"other": 1}"#)
        let failing = FailingStorage(fixture.storage())
        let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: ManualClock()))
        let hold = failing.hold(.append)
        try store.keys.setValue(1, forKey: "earlier")
        await hold.waitUntilReached()
        try store.keys.setValue(5, forKey: "other")
        let settings = try await store.group(CounterSettings.self)
        hold.release()
        try await store.flush()
        try fixture.write(#"{"other": 1, "name": "edited"}"#)
        try await store.commit { settings.count = 1 }
        #expect(settings.other == 5 && settings.name == "edited")
        try await store.close()
        #expect(try fixture.freshLoad().tree["other"] == .integer(5))
    }
}
