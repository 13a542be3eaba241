import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct KeyUpdatesTests {
    private struct Settings: SettingsGroup {
        @Setting var count = 1
        @Setting var token = Secret("none")
    }

    @Test("Updates report the first state, then changes of any key, and end when the store closes") func updates()
        async throws
    {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Settings.self)
        var updates = store.keys.updates.makeAsyncIterator()
        #expect(await updates.next() != nil)
        settings.count = 2
        #expect(await updates.next() != nil)
        try store.keys.setValue(3, forKey: "undeclared")
        #expect(await updates.next() != nil)
        settings.count = 4
        #expect(await updates.next() != nil)
        try await store.close()
        #expect(await updates.next() == nil)
        var later = store.keys.updates.makeAsyncIterator()
        #expect(await later.next() == nil)
    }

    @Test("Opening and releasing a group are reported, because its defaults come and go") func declarations()
        async throws
    {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var updates = store.keys.updates.makeAsyncIterator()
        #expect(await updates.next() != nil)
        _ = try await store.group(Settings.self, at: "account")
        #expect(await updates.next() != nil)
        #expect(store.keys.effectiveValues["account.count"] == .integer(1))
        try await store.release(at: "account")
        #expect(await updates.next() != nil)
        #expect(store.keys.effectiveValues["account.count"] == nil)
        try await store.close()
        #expect(await updates.next() == nil)
    }

    @Test("The version rises with a change, a declaration, a secret and a change from another domain") func version()
        async throws
    {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.overrides, .application])
        var last = try #require(store.keys.version)
        #expect(store.keys["count"] == nil)
        #expect(store.keys.version == last)
        func expectRise(_ location: SourceLocation = #_sourceLocation) throws {
            let version = try #require(store.keys.version, sourceLocation: location)
            #expect(version > last, sourceLocation: location)
            last = version
        }
        let settings = try await store.group(Settings.self)
        try expectRise()
        settings.count = 2
        try expectRise()
        settings.token = Secret("hunter2")
        try expectRise()
        try store.keys.setValue(3, forKey: "undeclared")
        try expectRise()
        try store.keys.removeValue(forKey: "undeclared")
        try expectRise()
        let temporary = try store.domains.override(settings.$count, with: 4)
        try expectRise()
        temporary.cancel()
        try expectRise()
        try await store.release(at: "")
        try expectRise()
        try await store.close()
    }

    @Test("Inside a transaction there is no version for its own thread, and another one's stays") func transaction()
        async throws
    {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Settings.self)
        let before = try #require(store.keys.version)
        let gate = Gate()
        let writer = Task.detached {
            await onThread {
                try? store.update {
                    settings.count = 2
                    #expect(store.keys.version == nil)
                    gate.pass()
                }
            }
        }
        await gate.waitUntilReached()
        #expect(store.keys.version == before)
        gate.open()
        _ = await writer.value
        let after = try #require(store.keys.version)
        #expect(after > before)
        try await store.close()
    }

    @Test("The last change before the store closes is reported") func lastChange() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var updates = store.keys.updates.makeAsyncIterator()
        var values = store.keys.values(forKey: "undeclared", as: Int.self).makeAsyncIterator()
        #expect(await updates.next() != nil)
        #expect(await values.next() == .some(nil))
        try store.keys.setValue(3, forKey: "undeclared")
        try await store.close()
        #expect(await updates.next() != nil)
        #expect(await updates.next() == nil)
        #expect(await values.next() == 3)
        #expect(await values.next() == nil)
    }

    @Test("A change of an undeclared key by another process is reported") func external() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        var updates = store.keys.updates.makeAsyncIterator()
        #expect(await updates.next() != nil)
        let other = try await SettingsStore.open(storage: InMemoryStorage(sharing: storage))
        try await other.commit { try other.keys.setValue(3, forKey: "undeclared") }
        while store.keys["undeclared"] != .integer(3) { try #require(await updates.next() != nil) }
        try await other.close()
        try await store.close()
    }

    @Test("A key that holds a secret, a part of one, or one inside, is known as secret") func secrets() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        #expect(!store.keys.isSecret("account.token"))
        _ = try await store.group(Settings.self, at: "account")
        #expect(store.keys.isSecret("account.token"))
        #expect(store.keys.isSecret("account.token.part"))
        #expect(store.keys.isSecret("account"))
        #expect(!store.keys.isSecret("account.count"))
        try await store.close()
    }
}
