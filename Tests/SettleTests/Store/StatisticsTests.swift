import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StatisticsTests {
    @Test("Transactions are counted, and external ones separately") func changes() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        #expect(store.statistics.changes == 0 && store.statistics.externalChanges == 0)
        settings.count = 1
        settings.count = 1
        try settings.update {
            settings.count = 2
            settings.other = 2
        }
        #expect(store.statistics.changes == 2 && store.statistics.externalChanges == 0)
        // A pending value would win over the external one.
        try await store.flush()
        let recorder = ChangeRecorder(store.changes)
        storage.simulateExternalChange(SettingTree(["count": .integer(3), "other": .integer(3)]))
        _ = await recorder.next()
        #expect(store.statistics.changes == 3 && store.statistics.externalChanges == 1)
    }

    @Test("Appends and saves count once however many changes they have, and saving nothing does not count")
    func saves() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(MixedSettings.self)
        settings.volatile.secret = 1
        try await store.flush()
        #expect(store.statistics.appends == 0 && store.statistics.saves == 0)
        try settings.update {
            settings.usual = 1
            settings.volatile.secret = 2
        }
        settings.usual = 2
        try await store.flush()
        let first = store.statistics
        #expect(first.appends == 1 && first.saves == 1 && first.failedSaves == 0)
        try await store.flush()
        #expect(store.statistics == first)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.usual = 3
        await #expect(throws: SettingsError.self) { try await store.flush() }
        let failed = store.statistics
        #expect(failed.failedSaves >= 1 && failed.saves == 1 && failed.appends == first.appends)
        failing.heal()
        try await store.flush()
        #expect(store.statistics.saves == 2 && store.statistics.appends == first.appends + 1)
    }

    @Test("A subscriber counts from its iterator's creation until its loop ends or its task is cancelled")
    func subscribers() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OuterSettings.self)
        let changes = settings.changes
        #expect(store.statistics.subscribers == 0)
        do {
            var all = changes.makeAsyncIterator()
            var values = settings.inner.$count.makeAsyncIterator()
            var results = settings.snapshots { $0.title }.makeAsyncIterator()
            #expect(store.statistics.subscribers == 3)
            settings.inner.count = 1
            _ = (await all.next(), await values.next(), await results.next())
            #expect(store.statistics.subscribers == 3)
        }
        #expect(store.statistics.subscribers == 0)
        for await _ in settings.inner.$count {
            #expect(store.statistics.subscribers == 1)
            break
        }
        #expect(store.statistics.subscribers == 0)
        let recorders = [ChangeRecorder(settings.$title.changes), ChangeRecorder(store.changes)]
        settings.title = "x"
        for recorder in recorders { _ = await recorder.next() }
        #expect(store.statistics.subscribers == 2)
        recorders[0].cancel()
        await recorders[0].untilEnd()
        #expect(store.statistics.subscribers == 1)
        try await store.close()
        await recorders[1].untilEnd()
        #expect(store.statistics.subscribers == 0)
    }

    @Test("An iterator that has ended no longer counts, even if it is kept") func endedIterators() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        var changes = store.changes.makeAsyncIterator()
        var values = settings.$count.makeAsyncIterator()
        _ = await values.next()
        try await store.close()
        #expect(await changes.next() == nil)
        #expect(await values.next() == nil)
        #expect(store.statistics.subscribers == 0)
        withExtendedLifetime((changes, values)) {}
    }

    @Test("forEachLatest counts as one subscriber and leaves none behind")
    func reactions() async throws {
        for round in 0..<20 { try await react(round) }
    }

    private func react(_ round: Int) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let (seen, continuation) = AsyncStream<Int>.makeStream()
        let task = Task {
            await settings.$count.forEachLatest { count in
                continuation.yield(store.statistics.subscribers)
                if count == 40 { continuation.finish() }
            }
        }
        for number in 1...40 {
            settings.count = number
            if number.isMultiple(of: 4) { await Task.yield() }
        }
        for await subscribers in seen { #expect(subscribers == 1, "round \(round)") }
        task.cancel()
        await task.value
        #expect(store.statistics.subscribers == 0 && !store.hasParkedSubscriber, "round \(round)")
    }
}
