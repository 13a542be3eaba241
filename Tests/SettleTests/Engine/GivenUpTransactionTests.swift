import Settle
import SettleTesting
import Testing

/// A transaction that is given up, because others stored newer values after its save failed, never becomes durable.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct GivenUpTransactionTests {
    private let base = InMemoryStorage()
    private let failing: FailingStorage

    init() {
        failing = FailingStorage(base)
    }

    private func open() async throws -> (SettingsStore, CounterSettings) {
        let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: ManualClock()))
        return (store, try await store.group(CounterSettings.self))
    }

    /// Saves revision 1, fails the commit of 2, writes 3, and has 2 given up for an external change, revision 4.
    private func giveUp(_ store: SettingsStore, _ settings: CounterSettings) async throws {
        settings.count = 1
        try await store.flush()
        failing.fail(.append, with: StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true))
        let failed = await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.count = 2
                settings.other = 2
            }
        }
        #expect(failed?.code == .storage)
        settings.name = "kept"
        failing.heal()
        base.simulateExternalChange(["count": .integer(50)], author: "B")
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && settings.count == 50 && settings.other == 0 && settings.name == "kept")
        #expect(store.revision == 4)
    }

    @Test("A given-up transaction is not marked durable, but the changes around it are") func isDurable() async throws {
        let (store, settings) = try await open()
        let changes = store.changes
        try await giveUp(store, settings)
        var iterator = changes.makeAsyncIterator()
        for (revision, isDurable) in [(1, true), (2, false), (3, true), (4, true)] as [(UInt64, Bool)] {
            let change = try #require(await iterator.next())
            #expect(change.revision == revision && change.isDurable == isDurable && change.missed.count == 0)
        }
    }

    @Test("A given-up transaction is neither delivered as durable nor counted as missed", arguments: [false, true])
    func durableOnly(isNewest: Bool) async throws {
        let (store, settings) = try await open()
        let delivery = isNewest ? Change.Delivery.newest : .every
        var all = store.changes(delivery, durableOnly: true).makeAsyncIterator()
        var count = settings.$count.changes(delivery, durableOnly: true).makeAsyncIterator()
        var other = settings.$other.changes(delivery, durableOnly: true).makeAsyncIterator()
        try await giveUp(store, settings)
        for revision in isNewest ? [4] : [1, 3, 4] as [UInt64] {
            let change = try #require(await all.next())
            #expect(change.revision == revision && change.missed.count == (isNewest ? 2 : 0))
        }
        for revision in isNewest ? [4] : [1, 4] as [UInt64] {
            let change = try #require(await count.next())
            #expect(change.revision == revision && change.missed.count == (isNewest ? 1 : 0))
        }
        #expect(await other.next()?.revision == 4)
    }

    @Test("A later, durable value of the same setting does not make a given-up transaction durable")
    func later() async throws {
        let (store, settings) = try await open()
        let changes = store.changes
        try await giveUp(store, settings)
        try await settings.commit { settings.count += 1 }
        #expect(base.tree["count"] == .integer(51))
        var iterator = changes.makeAsyncIterator()
        for isDurable in [true, false, true, true, true] { #expect(await iterator.next()?.isDurable == isDurable) }
    }
}
