import Settle
import SettleTesting
import Testing

/// What commits have read, for a storage that compares it.
@Suite(.timeLimit(.minutes(10))) struct RecordedReadsTests {
    /// Keeps the batches.
    private final class Recorder: StorageWrapper {
        let base: any Storage = InMemoryStorage()
        let batches = LockedValue<[StorageBatch]>([])

        var limits: StorageLimits { StorageLimits(comparesReads: true) }

        func append(
            _ batch: StorageBatch, durability: StorageDurability
        ) async throws(StorageError) -> StorageReceipt {
            batches.withLock { $0.append(batch) }
            return try await base.append(batch, durability: durability)
        }
    }

    private struct Places: SettingsGroup {
        @Setting("place.count") var count = 0
        @Setting("place.name") var name = ""
        @Setting("place.list") var list: [Int] = []
        @Setting("else") var other = 0
    }

    /// Runs a commit that also writes `place.count`, and returns what it has read beside that; `nil` for any key.
    private func reads(_ body: (SettingsStore, Places) throws -> Void) async throws -> Set<SettingKey>? {
        let recorder = Recorder()
        let store = try await SettingsStore.open(storage: recorder, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(Places.self)
        try await store.commit { try store.keys.setValue(1, forKey: "dictionary.inner") }
        recorder.batches.withLock { $0 = [] }
        try await store.commit {
            try body(store, settings)
            settings.count = 5
        }
        let batch = try #require(recorder.batches.withLock { $0.first { $0.values["place.count"] != nil } })
        try await store.close()
        return batch.reads.map { $0.subtracting(["place.count"]) }
    }

    @Test("A commit that reads nothing has read what it writes") func nothing() async throws {
        #expect(try await reads { _, _ in } == [])
    }

    @Test("Each way to read a setting counts") func settings() async throws {
        let ways: [(SettingsStore, Places) throws -> Void] = [
            { _, settings in _ = settings.name },
            { _, settings in _ = settings.$name.value },
            { _, settings in _ = settings.$name.domains.stored },
            { _, settings in _ = settings.$name.domains.current },
            { _, settings in _ = settings.$name.domains.origin },
            { _, settings in settings.name += "" },
            { _, settings in settings.name = "" },
            { store, _ in _ = try store.keys.value(forKey: "place.name", as: String.self) },
            { store, _ in _ = store.keys["place.name"] },
            { store, _ in _ = store.keys.setting(forKey: "place.name") },
            { store, _ in _ = store.keys.explanation(forKey: "place.name") },
            { store, _ in try store.keys.setValue("", forKey: "place.name") },
            { store, _ in try store.keys.removeValue(forKey: "place.name") },
            { store, _ in try store.file.import(SettingTree(["place.name": .string("")])) },
        ]
        for (number, way) in ways.enumerated() {
            #expect(try await reads(way) == ["place.name"], "way \(number)")
        }
        #expect(try await reads { _, settings in _ = (settings.list, settings.other) } == ["place.list", "else"])
    }

    @Test("What is left as it was counts, too") func unchanged() async throws {
        let ways: [(SettingsStore, Places) throws -> Void] = [
            { _, settings in settings.other = 0 },
            { _, settings in settings.$other.value = 0 },
            { _, settings in settings.other += 0 },
            { _, settings in try? settings.$other.modify { _ in throw CancellationError() } },
        ]
        for (number, way) in ways.enumerated() {
            #expect(try await reads(way) == ["else"], "way \(number)")
        }
    }

    @Test("A snapshot and a draft count as what they read") func copies() async throws {
        let all: Set<SettingKey> = ["place.name", "place.list", "else"]
        #expect(try await reads { _, settings in _ = settings.snapshot() } == all)
        let draft = try await reads { _, settings in
            let draft = settings.draft()
            _ = draft.name
        }
        #expect(draft?.contains("place.name") == true)
    }

    @Test("Keys without a declaration count, with what is within them") func keys() async throws {
        let inner: Set<SettingKey> = ["dictionary.inner"]
        let found = try await reads { store, _ in
            let value = try store.keys.value(forKey: "dictionary.inner", as: Int.self)
            #expect(value == 1)
        }
        #expect(found == inner)
        #expect(try await reads { store, _ in _ = store.keys["dictionary"] } == ["dictionary"])
        let missing = try await reads { store, _ in
            let value = try store.keys.value(forKey: "missing", as: Int.self)
            #expect(value == nil)
        }
        #expect(missing == ["missing"])
    }

    @Test("Whoever looks at everything has read any key") func everything() async throws {
        #expect(try await reads { store, _ in _ = store.keys.effectiveValues } == nil)
        #expect(try await reads { store, _ in try store.file.import(SettingTree(), .replace) } == nil)
        let listed = try await reads { store, _ in _ = store.settings }
        #expect(listed == ["place.name", "place.list", "else"])
    }

    @Test("The keys of a condition count as read") func condition() async throws {
        let recorder = Recorder()
        let store = try await SettingsStore.open(storage: recorder, configuration: .init(clock: ManualClock()))
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        let token = try #require(store.history.token)
        recorder.batches.withLock { $0 = [] }
        try await store.commit(ifUnchangedSince: token, keys: ["b", "c"]) { try store.keys.setValue(2, forKey: "a") }
        #expect(recorder.batches.withLock { $0.first?.reads } == ["a", "b", "c"])
        let next = try #require(store.history.token)
        recorder.batches.withLock { $0 = [] }
        try await store.commit(ifUnchangedSince: next) { try store.keys.setValue(3, forKey: "a") }
        #expect(recorder.batches.withLock { $0.allSatisfy { $0.reads == nil } && !$0.isEmpty })
        try await store.close()
    }

    @Test("Commits from an actor and from the persister's queue, saved together, have read what each has")
    func together() async throws {
        actor Owner {
            func commit(_ store: SettingsStore, _ settings: Places) async throws {
                try await store.commit { settings.count = settings.other }
            }
        }
        let recorder = Recorder()
        let store = try await SettingsStore.open(storage: recorder, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(Places.self)
        try await Owner().commit(store, settings)
        settings.other = 3
        try await Owner().commit(store, settings)
        #expect(
            recorder.batches.withLock { $0.last { $0.hasCommits }?.reads } == ["place.count", "else"])
        try await store.close()
    }

    @Test("Outside of commits, and where the storage does not ask for it, nothing is recorded") func elsewhere()
        async throws
    {
        let recorder = Recorder()
        let store = try await SettingsStore.open(storage: recorder, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(Places.self)
        _ = settings.name
        try store.update { settings.other = settings.count + 1 }
        try await store.flush()
        #expect(recorder.batches.withLock { $0.first?.reads } == [])
        try await store.close()
    }
}
