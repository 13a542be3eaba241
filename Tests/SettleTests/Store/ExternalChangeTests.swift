import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ExternalChangeTests {
    @Test("An external change has only the settings that differ")
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
        #expect(settings.count == 2 && settings.other == 3 && settings.$count.domains.origin == .external)
        await values.until { $0.last == 2 }
        storage.simulateExternalChange(SettingTree(["name": .string("a")]))
        #expect(await recorder.next()?.mutations.count == 2)
        #expect(settings.count == 0 && settings.$count.isDefault)
        try await store.flush()
        #expect(recording.batches.isEmpty && "\(store.status)" == "saved")
    }

    @Test("An external change is durable on arrival")
    func durable() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes(.every, durableOnly: true))
        storage.simulateExternalChange(SettingTree(["count": .integer(2)]))
        let change = await recorder.next()
        #expect(change?.origin == .external && change?.isDurable == true && settings.count == 2)
    }

    @Test("A pending value wins for its key before, during and after a failed save")
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
        memory.simulateExternalChange(["count": .integer(5), "other": .integer(3)], author: "editor")
        await recorder.until { $0.last?.author == "editor" }
        #expect(settings.count == 6 && settings.other == 3)
        failing.heal()
        try await store.flush()
        #expect(memory.tree["count"] == .integer(6) && memory.tree["other"] == .integer(3))
    }

    @Test("An unusable external value leaves the last good value in force")
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

    @Test("A last good value that an edit has spelled as 1e3 reads as an integer in an issue")
    func lastGoodValue() async throws {
        let storage = InMemoryStorage(try FileFormat.json.decode(Array(#"{"count": 1e3}"#.utf8)))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        #expect(settings.count == 1_000)
        storage.simulateExternalChange(["count": .string("many")])
        var issues = store.issues.makeAsyncIterator()
        let issue = await issues.next()
        #expect(issue.map { "\($0)" }?.contains("The last good value, 1000, stays in force") == true)
    }

    @Test("An external change of single keys affects only settings around and within them")
    func perKey() async throws {
        let memory = InMemoryStorage()
        let store = try await SettingsStore.open(storage: memory)
        let settings = try await store.group(OuterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        // At the key, around it (a dictionary's entry), within it (a whole group), and undeclared.
        memory.simulateExternalChange(["inner.count": .integer(1), "unknown": .bool(true)], author: "a")
        #expect(await recorder.next()?.mutations.map(\.key) == ["inner.count"])
        memory.simulateExternalChange(["inner.table.x": .integer(5)], author: "b")
        let table = try #require(await recorder.next())
        #expect(table.mutations.map(\.key) == ["inner.table"] && table.author == "b")
        #expect(settings.inner.table == ["x": 5])
        memory.simulateExternalChange(["balance": .dictionary(["left": .integer(1), "right": .integer(2)])])
        #expect(await recorder.next()?.mutations.map(\.key).sorted() == ["balance.left", "balance.right"])
        memory.simulateExternalChange(["inner": nil])
        #expect(await recorder.next()?.mutations.map(\.key).sorted() == ["inner.count", "inner.table"])
        #expect(settings.inner.count == 0 && settings.inner.table.isEmpty && settings.balance.right == 2)
        #expect(try store.keys.value(forKey: "unknown", as: Bool.self) == true)
        // A value that is already there is no change.
        memory.simulateExternalChange(["balance.left": .integer(1)])
        memory.simulateExternalChange(["title": .string("new")])
        #expect(await recorder.next()?.mutations.map(\.key) == ["title"])
    }

    @Test("An external entry is not merged into a dictionary that is pending here")
    func unsavedAround() async throws {
        let memory = InMemoryStorage()
        let failing = FailingStorage(memory)
        let store = try await SettingsStore.open(
            storage: failing, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.table = ["own": 1]
        await #expect(throws: SettingsError.self) { try await store.flush() }
        memory.simulateExternalChange(["table.x": .integer(5), "count": .integer(1)])
        await recorder.until { $0.last?.origin == .external }
        #expect(settings.table == ["own": 1] && settings.count == 1)
        failing.heal()
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "table" && settings.table == ["x": 5])
        #expect(memory.tree.root == ["count": .integer(1), "table": .dictionary(["x": .integer(5)])])
    }

    @Test("An external value that differs only in spelling is no change")
    func spelling() async throws {
        let memory = InMemoryStorage()
        let store = try await SettingsStore.open(storage: memory)
        let settings = try await store.group(SpelledSettings.self)
        settings.moment = Date(timeIntervalSinceReferenceDate: 1_000)
        settings.opaque = Opaque(moment: Date(timeIntervalSinceReferenceDate: 2_000))
        try await store.flush()
        let recorder = ChangeRecorder(store.changes)
        let first = try FileFormat.json.decode(FileFormat.json.encode(memory.tree))
        #expect(first != memory.tree)
        memory.simulateExternalChange(first)
        memory.simulateExternalChange(["mark": .integer(1)])
        #expect(await recorder.next()?.mutations.map(\.key) == ["mark"])
    }

    @Test("Two stores of one storage that write different keys both win, and their commits lose nothing")
    func twoStores() async throws {
        let place = InMemoryStorage()
        func open() async throws -> (SettingsStore, CounterSettings) {
            let store = try await SettingsStore.open(storage: InMemoryStorage(sharing: place))
            return (store, try await store.group(CounterSettings.self))
        }
        let (first, second) = (try await open(), try await open())
        try await withThrowingTaskGroup { group in
            for (_, settings) in [first, second] {
                group.addTask { for _ in 0..<200 { try await settings.commit { settings.count += 1 } } }
            }
            try await group.waitForAll()
        }
        try await first.1.commit { first.1.name = "first" }
        try await second.1.commit { second.1.other = 2 }
        #expect(
            place.tree.root == ["count": .integer(400), "name": .string("first"), "other": .integer(2)])
        let seen = ChangeRecorder(first.1.$other)
        await seen.until { $0.last == 2 }
        #expect(first.1.count == 400)
    }
}

private struct Opaque: Codable, Sendable {
    var moment: Date
}

private struct SpelledSettings: SettingsGroup {
    @Setting var moment = Date(timeIntervalSinceReferenceDate: 0)
    @Setting var opaque = Opaque(moment: Date(timeIntervalSinceReferenceDate: 0))
    @Setting var mark = 0
}
