import SettleTesting
import Testing

@testable import Settle

@Suite struct KeyUpdatesTests {
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
        settings.count = 4
        #expect(await updates.next() != nil)
        try await store.close()
        #expect(await updates.next() == nil)
    }

    @Test("A change of an undeclared key by another process is reported") func external() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        var updates = store.keys.updates.makeAsyncIterator()
        #expect(await updates.next() != nil)
        let other = try await SettingsStore.open(storage: InMemoryStorage(sharing: storage))
        try await other.commit { try other.keys.setValue(3, forKey: "undeclared") }
        while store.keys["undeclared"] != .integer(3) { #expect(await updates.next() != nil) }
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
