import SettleTesting
import Testing

@testable import Settle

/// A transaction is not durable while one of its values can't be encoded, whatever else has been saved.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UndurableTransactionTests {
    private func open() async throws -> (SettingsStore, PickySettings, CounterSettings, InMemoryStorage) {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        let picky = try await store.group(PickySettings.self, at: "p")
        return (store, picky, try await store.group(CounterSettings.self, at: "c"), storage)
    }

    private func flush(_ store: SettingsStore) async {
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .encodingFailed)
    }

    @Test("A durable-only stream holds back the transaction until a later value of the setting is saved")
    func durableOnly() async throws {
        let (store, picky, counter, storage) = try await open()
        var plain = picky.$plain.changes(.every, durableOnly: true).makeAsyncIterator()
        let bad = ChangeRecorder(picky.$picky.changes(.every, durableOnly: true))
        let newest = ChangeRecorder(picky.changes(.newest, durableOnly: true))
        var other = counter.changes(.every, durableOnly: true).makeAsyncIterator()
        picky.plain = 1
        try store.update {
            picky.picky = 13
            picky.plain = 2
        }
        counter.count = 1
        picky.plain = 3
        await flush(store)
        #expect(storage.tree["p.plain"] == .integer(3))
        // Other settings go on; those of this transaction wait, so that their order is kept.
        #expect(await other.next()?.revision == 3)
        #expect(await plain.next()?.revision == 1)
        let first = await newest.next()
        #expect(first?.revision == 1)
        // The value fails again, while a change elsewhere becomes durable.
        counter.count = 2
        await flush(store)
        #expect(await other.next()?.revision == 5)
        picky.picky = 14
        try await store.flush()
        #expect(await plain.next()?.revision == 2)
        #expect(await plain.next()?.revision == 4)
        #expect(await bad.next()?.revision == 2)
        #expect(await bad.next()?.revision == 6)
        let last = await newest.next()
        #expect(last?.revision == 6 && last?.isDurable == true)
        bad.cancel()
        newest.cancel()
    }

    @Test("A value that is never encoded, however often it is written, is remembered as long as its transactions")
    func often() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(), configuration: .init(logLimit: 16))
        let settings = try await store.group(PickySettings.self)
        for _ in 1...50 {
            settings.picky = 14
            settings.picky = 13
            await flush(store)
        }
        #expect(store.core.log.lock.withLock { store.core.log.changes.undurable.revisions.count } <= 16)
        settings.picky = 14
        try await store.close()
    }

    @Test("The transaction is not marked durable until a later value of the setting is saved")
    func isDurable() async throws {
        let (store, picky, _, _) = try await open()
        let all = store.changes
        picky.plain = 1
        try store.update {
            picky.picky = 13
            picky.plain = 2
        }
        picky.plain = 3
        await flush(store)
        var before = all.makeAsyncIterator()
        for isDurable in [true, false, true] { #expect(await before.next()?.isDurable == isDurable) }
        picky.picky = 14
        try await store.flush()
        var after = all.makeAsyncIterator()
        for _ in 1...4 { #expect(await after.next()?.isDurable == true) }
    }

    @Test("A later value makes the transaction durable only once it is saved") func successor() async throws {
        let clock = ManualClock()
        let failing = FailingStorage()
        let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: clock))
        let picky = try await store.group(PickySettings.self)
        let changes = store.changes
        picky.picky = 13
        await flush(store)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        picky.picky = 14
        await #expect(throws: SettingsError.self) { try await store.flush() }
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.isDurable == false)
        failing.heal()
        try await store.flush()
        iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.isDurable == true)
    }
}
