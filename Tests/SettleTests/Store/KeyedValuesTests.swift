import Dispatch
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct KeyedValuesTests {
    struct Settings: SettingsGroup {
        @Setting var count = 1
        @Setting var name = "x"
    }

    private func open(_ root: SettingValue.Entries = [:]) async throws -> SettingsStore {
        try await SettingsStore.open(storage: InMemoryStorage(SettingTree(root)))
    }

    @Test("The current value comes first, then the newest after each change, nil while absent") func values()
        async throws
    {
        let store = try await open()
        var values = store.keys.values(forKey: "a.b", as: Int.self).makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        try store.keys.setValue(1, forKey: "a.b")
        #expect(await values.next() == 1)
        try store.keys.setValue(2, forKey: "a.b")
        try store.keys.setValue(3, forKey: "a.b")
        #expect(await values.next() == 3)
        try store.keys.removeValue(forKey: "a.b")
        #expect(await values.next() == .some(nil))
        try store.keys.setValue(SettingValue.dictionary(["b": .integer(4)]), forKey: "a")
        #expect(await values.next() == 4)
        try store.keys.setValue("text", forKey: "a.b")
        #expect(await values.next() == .some(nil))
        try store.keys.setValue(5, forKey: "a.b")
        #expect(await values.next() == 5)
        try await store.close()
        #expect(await values.next() == nil)
        #expect(await values.next() == nil)
    }

    @Test("Changes of other keys, and to the same value, give no element") func others() async throws {
        let store = try await open(["a": .integer(1)])
        let values = store.keys.values(forKey: "a", as: Int.self)
        try store.keys.setValue(7, forKey: "b")
        try store.keys.setValue(1, forKey: "a")
        try store.update {
            try store.keys.setValue(2, forKey: "a")
            try store.keys.setValue(1, forKey: "a")
        }
        let hasEnded = LockedValue(false)
        let elements = Task {
            var iterator = values.makeAsyncIterator()
            let elements = (await iterator.next(), await iterator.next())
            hasEnded.withLock { $0 = true }
            return elements
        }
        func isWaiting() -> Bool { store.log.lock.withLock { store.log.root.waiters.map { !$0.isEmpty } ?? false } }
        try await eventually("the iterator waits or has ended") { isWaiting() || hasEnded.withLock { $0 } }
        try store.keys.setValue(3, forKey: "a")
        let (first, second) = await elements.value
        #expect(first == 1 && second == 3)
    }

    @Test("What changes between the call and the loop is seen") func between() async throws {
        let store = try await open()
        let values = store.keys.values(forKey: "a", as: Int.self)
        try store.keys.setValue(1, forKey: "a")
        var iterator = values.makeAsyncIterator()
        try store.keys.setValue(2, forKey: "a")
        #expect(await iterator.next() == 2)
        try store.keys.setValue(3, forKey: "a")
        #expect(await iterator.next() == 3)
    }

    @Test("A declared key is followed, before and after its group is opened") func declared() async throws {
        let store = try await open(["count": .integer(4)])
        var values = store.keys.values(forKey: "count", as: Int.self).makeAsyncIterator()
        #expect(await values.next() == 4)
        let settings = try await store.group(Settings.self)
        settings.count = 5
        #expect(await values.next() == 5)
        try settings.$count.reset()
        #expect(await values.next() == 1)
        var whole = store.keys.values(forKey: .path("name"), as: String.self).makeAsyncIterator()
        #expect(await whole.next() == "x")
        settings.name = "y"
        #expect(await whole.next() == "y")
    }

    @Test("A dictionary is followed through the keys within it") func around() async throws {
        let store = try await open()
        var values = store.keys.values(forKey: "a", as: [String: Int].self).makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        try store.keys.setValue(1, forKey: "a.b")
        #expect(await values.next() == ["b": 1])
        try store.keys.setValue(2, forKey: "a.c")
        #expect(await values.next() == ["b": 1, "c": 2])
    }

    @Test("Changes from outside are followed") func external() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Settings.self)
        var counts = store.keys.values(forKey: "count", as: Int.self).makeAsyncIterator()
        var values = store.keys.values(forKey: "a", as: Int.self).makeAsyncIterator()
        #expect(await counts.next() == 1)
        #expect(await values.next() == .some(nil))
        storage.simulateExternalChange(SettingTree(["a": .integer(9), "count": .integer(8)]))
        #expect(await counts.next() == 8)
        #expect(await values.next() == 9)
        #expect(settings.count == 8)
    }

    @Test("A key that no group declares is followed through changes from outside and of every domain") func undeclared()
        async throws
    {
        let (storage, low) = (InMemoryStorage(), TestDomain())
        let store = try await SettingsStore.open(
            storage: storage, searching: [.application, .source("low", low), .registration])
        var values = store.keys.values(forKey: "a.b", as: Int.self).makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        try store.domains.register(["a.b": 1])
        #expect(await values.next() == 1)
        low.set(["a": ["b": 2]])
        #expect(await values.next() == 2)
        storage.simulateExternalChange(SettingTree(["a": .dictionary(["b": .integer(3)])]))
        #expect(await values.next() == 3)
        storage.simulateExternalChange(SettingTree())
        #expect(await values.next() == 2)
        low.set([:])
        #expect(await values.next() == 1)
        try await store.domains[.registration].replace(with: SettingTree())
        #expect(await values.next() == .some(nil))
    }

    @Test("The loop keeps the store open, and cancelling its task ends it") func lifetime() async throws {
        let values = try await open(["a": .integer(1)]).keys.values(forKey: "a", as: Int.self)
        let (began, gate) = AsyncStream.makeStream(of: Int?.self)
        let task = Task {
            for await value in values { gate.yield(value) }
            return Task.isCancelled
        }
        var elements = began.makeAsyncIterator()
        #expect(await elements.next() == .some(1))
        task.cancel()
        #expect(await task.value)
    }

    @Test("The last element is the last value, whatever the race") func race() async throws {
        let store = try await open()
        let rounds = 2_000
        let followers = (0..<4).map { _ in
            Task {
                var last = 0
                for await value in store.keys.values(forKey: "a.b", as: Int.self) {
                    guard let value else { continue }
                    if value < last { Issue.record("\(value) came after \(last)") }
                    last = value
                    if value == rounds { break }
                }
                return last
            }
        }
        DispatchQueue.global().async {
            for round in 1...rounds {
                try? store.keys.setValue(round, forKey: "a.b")
                try? store.keys.setValue(round, forKey: "other")
            }
        }
        for follower in followers { #expect(await follower.value == rounds) }
    }
}
