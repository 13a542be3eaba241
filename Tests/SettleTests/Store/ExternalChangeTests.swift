import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExternalChangeTests {
    @Test("Promise 20: a change from outside is one external change, and only of what differs")
    func external() async throws {
        let storage = InMemoryStorage(SettingTree(["count": .integer(1), "name": .string("a")]))
        let recording = RecordingStorage(storage)
        let store = try await SettingsStore.open(storage: recording)
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        let values = ChangeRecorder(settings.$count)
        storage.simulateExternalChange(
            SettingTree(["count": .integer(2), "name": .string("a"), "other": .integer(3), "unknown": .bool(true)]))
        let change = try #require(await recorder.next())
        #expect(change.origin == .external && change.mutations.map(\.key).sorted() == ["count", "other"])
        #expect(settings.count == 2 && settings.other == 3 && settings.$count.origin == .external)
        await values.until { $0.last == 2 }
        storage.simulateExternalChange(SettingTree(["name": .string("a")]))
        #expect(await recorder.next()?.mutations.count == 2)
        #expect(settings.count == 0 && settings.$count.isDefault)
        try await store.flush()
        #expect(recording.batches.isEmpty && "\(store.status)" == "saved")
    }

    @Test("Promise 20: an external change is durable when it comes")
    func durable() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes(.every, durableOnly: true))
        storage.simulateExternalChange(SettingTree(["count": .integer(2)]))
        let change = await recorder.next()
        #expect(change?.origin == .external && change?.isDurable == true && settings.count == 2)
    }

    @Test("Promise 20: what is pending here wins for its key, before a save, during it and after it failed")
    func merge() async throws {
        let memory = InMemoryStorage()
        let failing = FailingStorage(memory)
        let clock = ManualClock()
        let store = try await SettingsStore.open(
            storage: failing, configuration: .init(retryDelay: .seconds(1) ... .seconds(8), clock: clock))
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        let hold = failing.hold(.append)
        settings.name = "held"
        await hold.waitUntilReached()
        settings.count = 5
        memory.simulateExternalChange(SettingTree(["count": .integer(1), "other": .integer(1), "name": .string("x")]))
        hold.release()
        await recorder.until { $0.last?.origin == .external }
        #expect(settings.count == 5 && settings.other == 1 && settings.name == "held")
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(5), "other": .integer(1), "name": .string("held")])
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.count = 6
        await #expect(throws: SettingsError.self) { try await store.flush() }
        memory.simulateExternalChange(["count": .integer(5), "other": .integer(3)], by: "editor")
        await recorder.until { $0.last?.writer == "editor" }
        #expect(settings.count == 6 && settings.other == 3)
        failing.heal()
        try await store.flush()
        #expect(memory.tree["count"] == .integer(6) && memory.tree["other"] == .integer(3))
    }

    @Test("Promise 20: a value from outside that can't be used leaves the last good one in force")
    func unusable() async throws {
        let storage = InMemoryStorage(SettingTree(["count": .integer(1)]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        storage.simulateExternalChange(SettingTree(["count": .string("many"), "other": .integer(2)]))
        #expect(await recorder.next()?.mutations.map(\.key) == ["other"])
        #expect(settings.count == 1)
        var issues = store.issues.makeAsyncIterator()
        let issue = await issues.next()
        #expect(issue?.code == .unusableValue && issue?.key == "count")
    }
}
