import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ChangeStreamTests {
    @Test("Each transaction gets the next revision, and subscribers see revisions in order")
    func revisions() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<100 { settings.count += 1 } }
            }
        }
        let changes = await recorder.until { $0.count == 400 }
        #expect(changes.map(\.revision) == Array(1...400))
        // The order of the revisions is the order of the values.
        #expect(changes.compactMap { $0[settings.$count]?.newValue } == Array(1...400))
        #expect(changes.compactMap { $0[settings.$count]?.oldValue } == Array(0..<400))
    }

    @Test("Subscriber code runs neither on the writer's thread nor under its lock")
    func writerDoesNotWait() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let recorders = (0..<100).map { _ in ChangeRecorder(settings.$count) }
        for recorder in recorders { await recorder.until { $0.count == 1 } }
        let gate = Gate()
        // While this thread holds the writer lock, no writer can deliver anything; reading still works.
        async let writer: Void = onThread {
            settings.count = 1
            settings.list.withEach { gate.pass() }
        }
        await gate.waitUntilReached()
        for recorder in recorders { #expect(await recorder.until { $0.last == 1 }.last == 1) }
        gate.open()
        await writer
    }

    @Test("A subscriber to a setting receives the current value first, then newer ones")
    func currentFirst() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        settings.count = 3
        let recorder = ChangeRecorder(settings.$count)
        #expect(await recorder.next() == 3)
        settings.count = 4
        #expect(await recorder.next() == 4)
        settings.other = 1
        settings.count = 5
        #expect(await recorder.next() == 5)
    }

    @Test("A group's changes start when the sequence is created")
    func startOfChanges() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OuterSettings.self)
        settings.inner.count = 1
        let changes = settings.inner.changes
        settings.inner.count = 2
        settings.title = "not in the inner group"
        let recorder = ChangeRecorder(changes)
        #expect(await recorder.next()?.revision == 2)
        settings.inner.count = 3
        #expect(await recorder.next()?.revision == 4)
    }

    @Test("A setting delivers its newest value, and changes delivers every change")
    func deliveries() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        var values = settings.$count.makeAsyncIterator()
        var every = settings.$count.changes.makeAsyncIterator()
        var newest = settings.changes(.newest).makeAsyncIterator()
        #expect(await values.next() == 0)
        for number in 1...50 { settings.count = number }
        #expect(await values.next() == 50)
        let change = await newest.next()
        #expect(change?.revision == 50 && change?.missed.count == 49)
        for number in 1...50 { #expect(await every.next()?[settings.$count]?.newValue == number) }
        settings.count = 51
        #expect(await values.next() == 51)
        #expect(await newest.next()?.missed.count == 0)
        #expect(await every.next()?.revision == 51)
    }

    @Test("changes(afterRevision:) continues from a revision while the log covers it, and throws otherwise")
    func sinceRevision() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 8))
        let settings = try await store.group(OuterSettings.self)
        for number in 1...10 {
            settings.inner.count = number
            settings.balance.left = 500 + number
        }
        // The log holds the revisions 13 to 20.
        var all = try store.changes(afterRevision: 12).makeAsyncIterator()
        for revision in 13...20 { #expect(await all.next()?.revision == UInt64(revision)) }
        var inner = try settings.inner.changes(afterRevision: 14).makeAsyncIterator()
        for revision in [15, 17, 19] {
            let change = await inner.next()
            #expect(change?.revision == UInt64(revision) && change?.missed.count == 0)
        }
        var one = try settings.balance.$left.changes(afterRevision: 17, delivery: .newest).makeAsyncIterator()
        let newest = await one.next()
        #expect(newest?.revision == 20 && newest?.missed.count == 1)
        var now = try store.changes(afterRevision: 20).makeAsyncIterator()
        settings.title = "later"
        #expect(await now.next()?.revision == 21)
        for revision: UInt64 in [0, 11, 12, 22, .max] {
            let error = #expect(throws: SettingsError.self) { try store.changes(afterRevision: revision) }
            #expect(error?.code == .revisionUnavailable)
        }
        #expect(throws: SettingsError.self) { try settings.changes(afterRevision: 1) }
        #expect(throws: SettingsError.self) { try settings.inner.$count.changes(afterRevision: 1) }
    }

    @Test("A change carries its revision, time, origin, author, and mutations with old and new values")
    func contents() async throws {
        let before = Date()
        // The clock stands still, so nothing becomes durable before it is read.
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(clock: ManualClock()))
        let settings = try await store.group(OuterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        try settings.update(author: "somebody") {
            settings.inner.list = [1]
            settings.title = "x"
        }
        let change = try #require(await recorder.next())
        #expect(change.revision == 1 && change.origin == .local && change.author == "somebody")
        #expect(abs(change.time.timeIntervalSince(before)) < 3600 && !change.isDurable && change.missed.count == 0)
        #expect(change.mutations.map(\.key) == ["inner.list", "title"])
        #expect(change.mutations[0].oldValue as? [Int] == [] && change.mutations[0].newValue as? [Int] == [1])
        #expect(change[settings.$title]?.oldValue == "title" && change[settings.$title]?.newValue == "x")
        #expect(change[settings.inner.$count] == nil)
        try settings.$title.reset()
        let reset = await recorder.next()
        #expect(reset?.origin == .reset && reset?.author == nil)
    }

    @Test("The times of changes follow the store's clock")
    func time() async throws {
        let (store, clock, _, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        settings.count = 1
        clock.advance(by: .seconds(3_600))
        settings.count = 2
        let first = try #require(await recorder.next())
        let second = try #require(await recorder.next())
        #expect(abs(second.time.timeIntervalSince(first.time) - 3_600) < 0.001)
    }

    @Test("A stored value has the origin loaded, and a missing one has the origin default")
    func origins() async throws {
        let storage = InMemoryStorage(SettingTree(["count": .integer(4)]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        #expect(settings.$count.domains.origin == .loaded && !settings.$count.isDefault)
        #expect(settings.$other.domains.origin == .default && settings.$other.isDefault)
        settings.other = 1
        #expect(settings.$other.domains.origin == .local && !settings.$other.isDefault)
    }

    @Test("A durable-only stream delivers each change once it is on stable storage")
    func durableOnly() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.syncedAppend)
        let durable = ChangeRecorder(store.changes(.every, durableOnly: true))
        let all = ChangeRecorder(store.changes)
        settings.count = 1
        settings.count = 2
        #expect(await all.next()?.isDurable == false)
        async let flush: Void = store.flush()
        await hold.waitUntilReached()
        settings.count = 3
        #expect(await all.until { $0.count == 3 }.count == 3)
        #expect(durable.elements.isEmpty)
        hold.release()
        try await flush
        let changes = await durable.until { $0.count == 2 }
        #expect(changes.map(\.revision) == [1, 2] && changes.allSatisfy(\.isDurable))
        failing.fail(.syncedAppend, with: StorageError(.noSpace, "There is no room."), count: 1)
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(durable.elements.count == 2)
        try await store.flush()
        #expect(await durable.until { $0.count == 3 }.map(\.revision) == [1, 2, 3])
    }

    @Test("When the store closes, streams deliver everything and then end")
    func endAtClose() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OuterSettings.self)
        let values = ChangeRecorder(settings.inner.$count)
        let recorders = [
            ChangeRecorder(store.changes), ChangeRecorder(settings.changes), ChangeRecorder(settings.inner.changes),
            ChangeRecorder(settings.inner.$count.changes), ChangeRecorder(store.changes(.newest)),
            ChangeRecorder(store.changes(.every, durableOnly: true)),
        ]
        await values.until { $0 == [0] }
        settings.inner.count = 1
        try await store.close()
        #expect(await values.untilEnd().last == 1)
        for recorder in recorders { #expect(await recorder.untilEnd().map(\.revision) == [1]) }
        // A late subscriber gets the current value, then the end.
        var late = settings.inner.$count.makeAsyncIterator()
        #expect(await late.next() == 1)
        #expect(await late.next() == nil)
        var changes = store.changes.makeAsyncIterator()
        #expect(await changes.next() == nil)
    }

    @Test("Cancelling the task ends the loop")
    func cancellation() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        for _ in 0..<50 {
            let values = ChangeRecorder(settings.$count)
            let changes = ChangeRecorder(settings.changes)
            settings.count += 1
            #expect(await changes.next() != nil)
            values.cancel()
            changes.cancel()
            await values.untilEnd()
            await changes.untilEnd()
        }
    }

    @Test("An iterator ended by cancellation keeps returning nil")
    func afterCancellation() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let values = IteratorHolder(settings.$count.makeAsyncIterator())
        let changes = IteratorHolder(settings.changes.makeAsyncIterator())
        #expect(await values.next() == 0)
        let first = Task { await values.next() }
        let second = Task { await changes.next() }
        first.cancel()
        second.cancel()
        #expect(await first.value == nil)
        #expect(await second.value == nil)
        #expect(await values.next() == nil)
        #expect(await changes.next() == nil)
    }
}

/// Lets several tasks use one iterator, one after the other.
private actor IteratorHolder<Iterator: AsyncIteratorProtocol>
where Iterator.Element: Sendable, Iterator.Failure == Never {
    private var iterator: Iterator

    init(_ iterator: sending Iterator) {
        self.iterator = iterator
    }

    func next() async -> Iterator.Element? {
        var current = iterator
        let element = await current.next(isolation: self)
        iterator = current
        return element
    }
}
