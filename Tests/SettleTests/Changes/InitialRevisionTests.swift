import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct InitialRevisionTests {
    private static let start: UInt64 = 7_000_000_000

    private func open(
        _ storage: any Storage = InMemoryStorage(), start: UInt64 = start, historyLimit: Int = 8
    ) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: storage, configuration: .init(historyLimit: historyLimit, initialRevision: start))
    }

    @Test("Revisions continue from the initial revision in changes, snapshots and the store")
    func revisionsGoOn() async throws {
        let store = try await open()
        let settings = try await store.group(OuterSettings.self)
        #expect(store.revision == Self.start)
        var changes = store.changes.makeAsyncIterator()
        settings.inner.count = 1
        settings.title = "x"
        #expect(await changes.next()?.revision == Self.start + 1)
        #expect(await changes.next()?.revision == Self.start + 2)
        #expect(settings.snapshot().revision == Self.start + 2)
        #expect(store.revision == Self.start + 2)
        #expect(store.statistics.changes == 2)
    }

    @Test("changes(since:) rejects a revision of another run, whether smaller or greater")
    func anotherRun() async throws {
        let first = try await open(start: 1_000_000)
        try await first.group(OuterSettings.self).inner.count = 1
        let second = try await open(start: 2_000_000)
        try await second.group(OuterSettings.self).inner.count = 1
        for (store, foreign) in [(first, second.revision), (second, first.revision), (second, 0), (second, 1)] {
            let error = #expect(throws: SettingsError.self) { try store.changes(since: foreign) }
            #expect(error?.code == .revisionUnavailable)
        }
        var own = try second.changes(since: 2_000_000).makeAsyncIterator()
        #expect(await own.next()?.revision == 2_000_001)
    }

    @Test("A subscriber that falls behind is told how many changes it missed, whatever the initial revision")
    func missed() async throws {
        let store = try await open()
        let settings = try await store.group(OuterSettings.self)
        var changes = store.changes.makeAsyncIterator()
        for number in 1...20 { settings.inner.count = number }
        let first = await changes.next()
        #expect(first?.revision == Self.start + 13 && first?.missed == 12)
    }

    @Test("Changes become durable, and the storage receives their revision and author")
    func saving() async throws {
        let storage = RecordingStorage()
        let store = try await open(storage)
        let settings = try await store.group(OuterSettings.self)
        var durable = store.changes(.every, durableOnly: true).makeAsyncIterator()
        try await settings.commit(by: "ops") { $0.inner.count = 1 }
        let change = await durable.next()
        #expect(change?.revision == Self.start + 1 && change?.isDurable == true)
        let batch = try #require(storage.batches.last)
        #expect(batch.revision == Self.start + 1 && batch.author == "ops")
        try await store.close()
    }

    @Test("An initial revision near the maximum is lowered, so that revisions never wrap")
    func limit() async throws {
        let store = try await open(start: .max)
        try await store.group(OuterSettings.self).inner.count = 1
        #expect(store.revision == 1 << 62 + 1)
        #expect(Int64(exactly: store.revision) != nil)
    }
}
