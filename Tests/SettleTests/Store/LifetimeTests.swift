import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct LifetimeTests {
    /// Waits until the storage is closed, which is the last thing a store does.
    private func closing(_ recording: RecordingStorage) async {
        _ = await recording.calls { $0.contains { $0.operation == .close } }
    }

    @Test("Releasing the last reference saves pending changes, then frees the store")
    func lastReference() async throws {
        let recording = RecordingStorage()
        let clock = ManualClock()
        var weak: Weak<StoreCore>
        do {
            let store = try await SettingsStore.open(storage: recording, configuration: .init(clock: clock))
            weak = Weak(store.core)
            let settings = try await store.group(CounterSettings.self)
            try settings.update {
                settings.count = 1
                settings.name = "pending"
            }
        }
        // No time has to pass.
        await closing(recording)
        #expect(recording.calls.filter(\.isSave).last?.operation == .checkpoint(.closing))
        #expect(recording.calls.last?.operation == .close)
        let saved = recording.batches.reduce(into: SettingTree()) { $0.apply($1.values) }
        #expect(saved.root == ["count": .integer(1), "name": .string("pending")])
        #expect(weak.object == nil)
        weak = Weak(try await SettingsStore.open(storage: InMemoryStorage()).core)
    }

    @Test("A store is freed even if one of its values could never be saved") func unencodableValue() async throws {
        let recording = RecordingStorage()
        var weak: Weak<StoreCore>
        do {
            let store = try await SettingsStore.open(storage: recording)
            weak = Weak(store.core)
            let settings = try await store.group(PickySettings.self)
            settings.picky = 13
            await #expect(throws: SettingsError.self) { try await store.flush() }
        }
        await closing(recording)
        try await eventually("the store is freed") { weak.object == nil }
        weak = Weak(try await SettingsStore.open(storage: InMemoryStorage()).core)
    }

    @Test("A store stays open while one of its groups is in use")
    func groupKeepsStore() async throws {
        let recording = RecordingStorage()
        func open() async throws -> CounterSettings {
            try await SettingsStore.open(storage: recording).group(CounterSettings.self)
        }
        let settings = try await open()
        try await settings.commit { settings.count = 1 }
        #expect(recording.batches.count == 1)
    }

    @Test("An unused store is released, even after streams, observers and transactions")
    func afterUse() async throws {
        let recording = RecordingStorage()
        do {
            let store = try await SettingsStore.open(storage: recording)
            let settings = try await store.group(OuterSettings.self)
            let second = try await store.group(OuterSettings.self)
            let values = ChangeRecorder(settings.inner.$count)
            let changes = ChangeRecorder(second.changes)
            let all = ChangeRecorder(store.changes(.newest))
            settings.inner.count = 1
            try second.update { second.title = "x" }
            await changes.until { $0.count == 2 }
            await values.until { $0.last == 1 }
            #expect(await all.next() != nil)
            _ = settings.snapshot()
            try await store.flush()
            values.cancel()
            changes.cancel()
            await values.untilEnd()
            await changes.untilEnd()
        }
        await closing(recording)
    }

    @Test("Keys written at run time do not keep a store alive")
    func runTimeKeys() async throws {
        let recording = RecordingStorage()
        do {
            let store = try await SettingsStore.open(storage: recording)
            try store.keys.setValue(5, forKey: "some.key")
            try await store.flush()
            #expect(try store.keys.value(forKey: "some.key") == 5)
        }
        await closing(recording)
    }

    @Test("A store's stream of changes ends when the store is released")
    func streamEnds() async throws {
        let changes: ChangeRecorder<Change>
        do {
            let store = try await SettingsStore.open(storage: InMemoryStorage())
            changes = ChangeRecorder(store.changes)
        }
        await changes.untilEnd()
        #expect(changes.hasEnded)
    }

    @Test("A group opened again after its release has its last values, saved or not")
    func reopenedGroup() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        func set(_ count: Int) async throws { try await store.group(CounterSettings.self).count = count }
        func count() async throws -> Int { try await store.group(CounterSettings.self).count }
        try await set(1)
        #expect(try await count() == 1)
        try await store.flush()
        #expect(try await count() == 1)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."), count: 1)
        try await set(2)
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(try await count() == 2)
    }

    @Test("A setting's stream continues when its group is released and opened again")
    func streamAcrossReopening() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        func subscribe() async throws -> ChangeRecorder<Change> {
            ChangeRecorder(try await store.group(CounterSettings.self).$count.changes)
        }
        let changes = try await subscribe()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 5
        #expect(await changes.next()?[settings.$count]?.newValue == 5)
    }

    @Test("A released store stays until its last save succeeds, so that no older state can be opened")
    func failingStoreStays() async throws {
        let failing = FailingStorage()
        let recording = RecordingStorage(failing)
        let clock = ManualClock()
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        let weak: Weak<StoreCore>
        do {
            let store = try await SettingsStore.open(storage: recording, configuration: .init(clock: clock))
            weak = Weak(store.core)
            let settings = try await store.group(CounterSettings.self)
            settings.count = 1
            await #expect(throws: SettingsError.self) { try await store.flush() }
        }
        await clock.sleepers(atLeast: 1)
        #expect(weak.object != nil)
        failing.heal()
        clock.advance(by: .seconds(2))
        await closing(recording)
        #expect(recording.batches.count == 1 && weak.object == nil)
    }

    @Test("A group that no store has opened ends with its last copy")
    func detached() async throws {
        let recorder: ChangeRecorder<Change>
        do {
            let settings = OuterSettings()
            recorder = ChangeRecorder(settings.changes)
            settings.inner.count = 1
            #expect(await recorder.next() != nil)
        }
        await recorder.untilEnd()
        #expect(recorder.elements.count == 1)
    }
}
