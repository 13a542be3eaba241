import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

private struct MemorySettings: SettingsGroup {
    static let savePolicy = SavePolicy.memoryOnly
    @Setting var draft = ""
    @Setting var count = 0
}

private struct KeySettings: SettingsGroup {
    @Setting("c.d") var declared = 0
}

/// Releasing groups and keys.
@Suite(.timeLimit(.minutes(10))) struct ReleasingTests {
    @Test("A released group is saved, ends its streams, keeps its last values and refuses writes")
    func release() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(OuterSettings.self, at: "users.a")
        let other = try await store.group(OuterSettings.self, at: "users.b")
        let changes = ChangeRecorder(settings.changes)
        let values = ChangeRecorder(settings.inner.$count)
        settings.inner.count = 5
        try await store.release(at: "users.a")
        await changes.untilEnd()
        await values.untilEnd()
        #expect(storage.tree["users.a.inner.count"] == .integer(5))
        #expect(settings.inner.count == 5)
        let error = #expect(throws: SettingsError.self) { try settings.inner.$count.set(6) }
        #expect(error?.code == .released && error?.key == "users.a.inner.count")
        settings.inner.count = 7
        #expect(settings.inner.count == 5)
        other.inner.count = 8
        let again = try await store.group(OuterSettings.self, at: "users.a")
        #expect(again.inner.count == 5)
        again.inner.count = 9
        try await store.flush()
        #expect(settings.inner.count == 5 && storage.tree["users.a.inner.count"] == .integer(9))
        #expect(storage.tree["users.b.inner.count"] == .integer(8))
    }

    @Test("The groups at the top level are released by an empty path") func root() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        let inner = try await store.group(CounterSettings.self, at: "users.a")
        let (values, changes) = (ChangeRecorder(settings.$count), ChangeRecorder(inner.changes))
        settings.count = 3
        inner.count = 4
        try await store.release(at: "")
        await values.untilEnd()
        await changes.untilEnd()
        #expect(storage.tree["count"] == .integer(3) && storage.tree["users.a.count"] == .integer(4))
        for setting in [settings.$count, inner.$count] {
            let error = #expect(throws: SettingsError.self) { try setting.set(6) }
            #expect(error?.code == .released)
        }
        #expect(store.settings.isEmpty)
        let again = try await store.group(CounterSettings.self)
        let new = ChangeRecorder(again.changes)
        again.count = 5
        #expect(await new.until { !$0.isEmpty }.count == 1)
        try await store.close()
    }

    @Test("A path at which no group is open is refused, and a name with dots is not taken apart")
    func unknown() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.release(at: "users.a") }
        #expect(error?.code == .unknownKey && error?.key == "users.a")
        let empty = await #expect(throws: SettingsError.self) { try await store.release(at: "") }
        #expect(empty?.code == .unknownKey)
        let settings = try await store.group(CounterSettings.self, at: .path("users", "a.b"))
        let split = await #expect(throws: SettingsError.self) { try await store.release(at: "users.a.b") }
        #expect(split?.description.contains(#"“users.a\.b”"#) == true, "\(split?.description ?? "")")
        try settings.$count.set(1)
        try await store.release(at: .path("users", "a.b"))
        let released = #expect(throws: SettingsError.self) { try settings.$count.set(2) }
        #expect(released?.code == .released)
        try await store.close()
    }

    @Test("A released group refuses resets, also those of a draft") func resets() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self, at: "a")
        settings.count = 5
        let draft = settings.draft()
        try draft.$count.reset()
        try await store.release(at: "a")
        let resets: [() throws -> Void] = [
            { try settings.$count.reset() }, { try settings.reset() }, { try draft.apply() },
        ]
        for reset in resets { #expect((thrown(by: reset) as? SettingsError)?.code == .released) }
        #expect(settings.count == 5 && storage.tree["a.count"] == .integer(5))
        try await store.close()
    }

    @Test("A release that can't save leaves everything as it was")
    func failingRelease() async throws {
        let failing = FailingStorage()
        let store = try await SettingsStore.open(storage: failing)
        let settings = try await store.group(CounterSettings.self, at: "a")
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.release(at: "a") }
        try settings.$count.set(2)
        failing.heal()
        try await store.release(at: "a")
        #expect(try await store.group(CounterSettings.self, at: "a").count == 2)
    }

    @Test("What changes while a release saves is not lost, whether or not it succeeds", arguments: [true, false])
    func changedMeanwhile(fails: Bool) async throws {
        let failing = FailingStorage()
        let store = try await SettingsStore.open(
            storage: failing, searching: [.application, .registration], configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self, at: "a")
        settings.other = 1
        try await store.flush()
        let hold = failing.hold(.append)
        settings.count = 1
        let release = Task { try await store.release(at: "a") }
        await hold.waitUntilReached()
        try await eventually("the group refuses writes") {
            (thrown(by: { try settings.$name.set("") }) as? SettingsError)?.code == .released
        }
        try store.domains.register(["a.list": [7]])
        try store.keys.removeValue(forKey: "a.other")
        if fails { failing.fail(.append, with: StorageError(.noSpace, "There is no room.")) }
        hold.release()
        if fails {
            await #expect(throws: SettingsError.self) { try await release.value }
            #expect(settings.count == 1 && settings.other == 0 && settings.list == [7])
            failing.heal()
            try await store.release(at: "a")
        } else {
            try await release.value
        }
        let again = try await store.group(CounterSettings.self, at: "a")
        #expect(again.count == 1 && again.other == 0 && again.list == [7])
        try await store.close()
    }

    @Test("Of two releases at once, one that is cancelled does not let the other's group accept writes")
    func cancelledRelease() async throws {
        let failing = FailingStorage()
        let (store, settings) = try await CounterSettings.open(on: failing)
        settings.other = 1
        // From now on nothing is appended before the release asks for it.
        try await store.flush()
        let hold = failing.hold(.append)
        settings.count = 1
        let first = Task { try await store.release(at: "") }
        await hold.waitUntilReached()
        let waiting = store.core.persister.works.count
        let second = Task { try await store.release(at: "") }
        try await eventually("the second release waits too") { store.core.persister.works.count > waiting }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        hold.release()
        try await second.value
        let error = #expect(throws: SettingsError.self) { try settings.$count.set(2) }
        #expect(error?.code == .released && settings.count == 1)
        try await store.close()
    }

    @Test("The log can read the values of settings that have been released")
    func logAfterRelease() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 64))
        var changes = store.changes.makeAsyncIterator()
        for round in 0..<100 {
            let settings = try await store.group(CounterSettings.self, at: "a")
            settings.count = round
            try await store.release(at: "a")
        }
        var last = 0
        for _ in 0..<64 {
            let change = try #require(await changes.next())
            last = change.mutations.last?.newValue as? Int ?? last
            if last == 99 { break }
        }
        #expect(last == 99)
    }

    @Test("A memory-only value survives reopening its group, even while the last copy is being released")
    func memoryOnly() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for round in 1...2_000 {
            async let dropped: Void = {
                let settings = try await store.group(MemorySettings.self)
                settings.count += 1
            }()
            async let reopened = store.group(MemorySettings.self).count
            try await dropped
            let seen = try await reopened
            try #require(seen == round || seen == round - 1)
            try #require(try await store.group(MemorySettings.self).count == round)
        }
    }

    @Test("Writes by key leave nothing in memory once they are saved")
    func writesByKey() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for round in 0..<50 {
            try store.keys.setValue(round, forKey: "a.b")
            try store.keys.setValue(round, forKey: "c\(round)")
            try await store.flush()
            #expect(store.core.indexedSettingCount == 0)
        }
        #expect(try store.keys.value(forKey: "a.b", as: Int.self) == 49)
    }

    @Test("In a memory-only store, written keys stay and removed ones do not")
    func writesByKeyInMemory() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(SettingTree(["stored": .integer(1)])),
            configuration: .init(savePolicy: .memoryOnly))
        try store.keys.setValue(2, forKey: "a")
        try store.keys.removeValue(forKey: "stored")
        try store.keys.removeValue(forKey: "missing")
        try await store.flush()
        #expect(try store.keys.value(forKey: "a", as: Int.self) == 2)
        #expect(try store.keys.value(forKey: "stored", as: Int.self) == nil)
        #expect(store.core.indexedSettingCount == 2)
    }

    @Test("A store written by key is released with its last reference, and so are the written values")
    func keyedStoreGoes() async throws {
        var store: SettingsStore? = try await SettingsStore.open(storage: InMemoryStorage())
        let core = Weak(try #require(store?.core))
        let box = try store?.update {
            for key in ["a", "b", "c.d"] as [SettingKey] { try store?.keys.setValue(1, forKey: key) }
            // Later it may already be saved.
            return Weak(try #require(store?.core.log.lock.withLock { store?.core.log.stored.slots["a"]?.box }))
        }
        // Replaces the key within it.
        try store?.keys.setValue(2, forKey: "c")
        _ = try await store?.group(KeySettings.self)
        try await store?.flush()
        try store?.keys.removeValue(forKey: "b")
        try store?.keys.removeValue(forKey: "missing")
        try await store?.flush()
        try await eventually("the box is released") { box?.object == nil }
        store = nil
        try await eventually("the store is released") { core.object == nil }
    }

    @Test("Reading a key sees unsaved writes around and within it")
    func parentKeys() async throws {
        let (store, _, _, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(OuterSettings.self, at: "app")
        settings.inner.count = 3
        settings.inner.table = ["x": 1]
        try store.keys.setValue("dark", forKey: "app.theme")
        struct Inner: Codable, Equatable {
            var count: Int?
            var table: [String: Int]
        }
        struct App: Codable, Equatable {
            var inner: Inner
            var theme: String
        }
        let all = try store.keys.value(forKey: "app", as: App.self)
        #expect(all == App(inner: Inner(count: 3, table: ["x": 1]), theme: "dark"))
        #expect(try store.keys.value(forKey: "app.inner.table.x", as: Int.self) == 1)
        try store.update {
            settings.inner.count = 4
            let inner = try store.keys.value(forKey: "app.inner", as: Inner.self)
            #expect(inner?.count == 4)
        }
        try settings.inner.$count.reset()
        #expect(try store.keys.value(forKey: "app.inner", as: Inner.self) == Inner(count: nil, table: ["x": 1]))
    }

    @Test("Reading a key sees what its own transaction has written within it over saved values")
    func parentKeyInTransaction() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(BalanceSettings.self, at: "app")
        settings.left = 1
        settings.right = 2
        try await store.flush()
        try store.update {
            settings.left = 3
            try settings.$right.reset()
            #expect(try store.keys.value(forKey: "app", as: [String: Int].self) == ["left": 3])
        }
        #expect(try store.keys.value(forKey: "app", as: [String: Int].self) == ["left": 3])
    }

    @Test("Reading a key sees memory-only values within it")
    func parentKeyOfMemory() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(MixedSettings.self)
        settings.volatile.secret = 3
        #expect(try store.keys.value(forKey: "volatile", as: [String: Int].self) == ["secret": 3])
        try await store.flush()
        #expect(try store.keys.value(forKey: "volatile", as: [String: Int].self) == ["secret": 3])
        try settings.volatile.$secret.reset()
        #expect(try store.keys.value(forKey: "volatile", as: [String: Int].self) == nil)
    }

    @Test("A null written by key and a removed key have no value, before and after they are saved")
    func nullByKey() async throws {
        let (store, _, _, _) = try await SettingsStore.openWithManualClock()
        try store.keys.setValue(1, forKey: "a")
        try store.keys.setValue(SettingValue.null, forKey: "b")
        try await store.flush()
        try store.keys.removeValue(forKey: "a")
        try store.keys.setValue(SettingValue.null, forKey: "c")
        for _ in 0..<2 {
            for key in ["a", "b", "c"] as [SettingKey] {
                #expect(try store.keys.value(forKey: key, as: Int.self) == nil, "\(key)")
            }
            try await store.flush()
        }
    }

    @Test("A key written again while it is being saved keeps its newest value")
    func writtenWhileSaved() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let hold = failing.hold(.append)
        try store.keys.setValue(1, forKey: "a.b")
        async let flush: Void = store.flush()
        await hold.waitUntilReached()
        try store.keys.setValue(2, forKey: "a.b")
        hold.release()
        try await eventually("the second batch is stored") {
            #expect((try? store.keys.value(forKey: "a.b", as: Int.self)) == 2)
            return recording.batches.count >= 2
        }
        try await flush
        #expect(try store.keys.value(forKey: "a.b", as: Int.self) == 2)
    }
}
