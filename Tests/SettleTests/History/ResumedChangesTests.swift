import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ResumedChangesTests {
    /// A file whose journal is begun anew when it has a few records.
    struct ShortJournals {
        let fixture: FileStorageFixture
        let clock = ManualClock()
        let journalLimit: Int

        init(journalLimit: Int = 400) throws {
            fixture = try FileStorageFixture()
            self.journalLimit = journalLimit
        }

        func open(
            _ history: HistoryPolicy = .keep(), logLimit: Int = 1_024, at file: URL? = nil
        ) async throws -> SettingsStore {
            try await SettingsStore.open(
                storage: FileStorage(at: file ?? fixture.file, calls: fixture.calls, journalLimit: journalLimit),
                configuration: SettingsStore.Configuration(logLimit: logLimit, history: history, clock: clock))
        }
    }

    /// The new values of a setting and the places, as they come.
    func next(_ count: Int, of iterator: inout ResumedChanges.Iterator) async throws -> [Int] {
        var values: [Int] = []
        for _ in 0..<count {
            let change = try #require(await iterator.next())
            #expect(change.missed.count == 0 && change.token != nil && change.snapshot == nil)
            values += change.mutations.compactMap { $0.newValue as? Int }
        }
        return values
    }

    @Test("Memory, journal and kept past meet without a seam, wherever it is", arguments: [1, 2, 4, 16])
    func seams(logLimit: Int) async throws {
        // The journal is begun anew after each number of commits; the log in memory keeps as many as it may.
        for renewal in 0...8 {
            let place = try ShortJournals(journalLimit: 1)
            let store = try await place.open(logLimit: logLimit)
            let settings = try await store.group(CounterSettings.self)
            var tokens: [ChangeToken] = []
            for number in 1...8 {
                if number == renewal { try await store.file.flush() }
                try await settings.commit { settings.count = number }
                tokens.append(try #require(store.history.token))
            }
            for reopened in [false, true] {
                if reopened { try await store.close() }
                let again = reopened ? try await place.open() : store
                _ = try await again.group(CounterSettings.self)
                for (index, token) in tokens.enumerated() {
                    var iterator = again.history.changes(after: token).makeAsyncIterator()
                    let rest = tokens.count - 1 - index
                    #expect(try await next(rest, of: &iterator) == Array((index + 2)..<(index + 2 + rest)))
                }
                try await again.close()
            }
        }
    }

    @Test("A follower goes from what was missed over to what is new, each once") func goingOver() async throws {
        let place = try ShortJournals()
        let store = try await place.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try #require(store.history.token)
        for number in 2...40 { try await settings.commit { settings.count = number } }
        var iterator = store.history.changes(after: token).makeAsyncIterator()
        #expect(try await next(39, of: &iterator) == Array(2...40))
        for number in 41...80 {
            try await settings.commit { settings.count = number }
            #expect(try await next(1, of: &iterator) == [number])
        }
    }

    @Test("A group that is opened later has its changes too, although others have followed them before")
    func openedLater() async throws {
        let store = try await ShortJournals().open()
        let first = try await store.group(CounterSettings.self, at: "a")
        try await first.commit { first.count = 1 }
        let token = try #require(store.history.token)
        var all = store.history.changes(after: token).makeAsyncIterator()
        try await store.commit { try store.keys.setValue(5, forKey: "b.count") }
        #expect(await all.next()?.mutations.map(\.key) == ["b.count"])
        let second = try await store.group(CounterSettings.self, at: "b")
        try await second.commit { second.count = 6 }
        var own = second.changes(after: token).makeAsyncIterator()
        #expect(try await next(2, of: &own) == [5, 6])
        try await store.close()
    }

    @Test("The history of a group ends when the group is released, and so does what is durable")
    func releasedGroup() async throws {
        let store = try await ShortJournals().open()
        let settings = try await store.group(CounterSettings.self, at: "a")
        try await settings.commit { settings.count = 1 }
        let token = try #require(store.history.token)
        let resumed = ChangeRecorder(settings.changes(after: token))
        let durable = ChangeRecorder(settings.changes(.every, durableOnly: true))
        try await settings.commit { settings.count = 2 }
        await resumed.until { !$0.isEmpty }
        try await store.release(at: "a")
        await resumed.untilEnd()
        await durable.untilEnd()
        try await store.close()
    }

    @Test("The history of a released group has everything stored before, however late it is read")
    func readAfterRelease() async throws {
        let store = try await ShortJournals().open()
        let settings = try await store.group(CounterSettings.self, at: "a")
        try await settings.commit { settings.count = 1 }
        let token = try #require(store.history.token)
        var begun = settings.changes(after: token).makeAsyncIterator()
        var unread = settings.changes(after: token).makeAsyncIterator()
        try await settings.commit { settings.count = 2 }
        #expect(try await next(1, of: &begun) == [2])
        try await settings.commit { settings.count = 3 }
        try await store.release(at: "a")
        #expect(try await next(1, of: &begun) == [3])
        #expect(await begun.next() == nil)
        #expect(try await next(2, of: &unread) == [2, 3])
        #expect(await unread.next() == nil)
        try await store.close()
    }

    @Test("The history of a group has everything stored in a group within it, even once that is released")
    func releasedWithin() async throws {
        let store = try await ShortJournals().open()
        let settings = try await store.group(OuterSettings.self, at: "a")
        try await settings.commit { settings.inner.count = 1 }
        let token = try #require(store.history.token)
        var begun = settings.changes(after: token).makeAsyncIterator()
        var unread = settings.changes(after: token).makeAsyncIterator()
        try await settings.commit { settings.inner.count = 2 }
        #expect(try await next(1, of: &begun) == [2])
        try await settings.commit {
            settings.inner.count = 3
            settings.balance.left = 4
        }
        try await store.release(at: "a.inner")
        try await settings.commit { settings.balance.left = 5 }
        #expect(try await next(2, of: &begun) == [4, 3, 5])
        #expect(try await next(3, of: &unread) == [2, 4, 3, 5])
        try await store.close()
        #expect(await begun.next() == nil)
        #expect(await unread.next() == nil)
    }

    @Test("Transactions that were appended together come one by one, and after a restart as their sum")
    func appendedTogether() async throws {
        let place = try ShortJournals(journalLimit: FileStorage.journalLimit)
        let store = try await place.open(.unchanged)
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try #require(store.history.token)
        // The clock stands still, so the pace of appends holds these up until the flush.
        for number in 2...4 { settings.count = number }
        try await store.flush()
        var iterator = store.history.changes(after: token).makeAsyncIterator()
        var places: [ChangeToken] = []
        for number in 2...4 {
            let change = try #require(await iterator.next())
            #expect(change.mutations.first?.newValue as? Int == number)
            #expect(change.mutations.first?.oldValue as? Int == number - 1 && change.missed.count == 0)
            places.append(try #require(change.token))
        }
        #expect(places.map(\.position) == [2, 3, 4].map { token.position - 1 + $0 })
        // From a place between them, too.
        var between = store.history.changes(after: places[0]).makeAsyncIterator()
        #expect(try await next(2, of: &between) == [3, 4])
        try await store.close()
        let again = try await place.open(.unchanged)
        _ = try await again.group(CounterSettings.self)
        var sum = again.history.changes(after: token).makeAsyncIterator()
        let change = try #require(await sum.next())
        #expect(change.mutations.first?.newValue as? Int == 4 && change.missed.count == 2 && change.token == places[2])
        // Without a history nobody knows any more what was between them: that is told.
        var lost = again.history.changes(after: places[0]).makeAsyncIterator()
        let told = try #require(await lost.next())
        #expect(told.missed.count == nil && told.snapshot?["count"] == .integer(4))
    }

    @Test("Followers in two processes are told the same, in one order, each transaction once")
    func twoProcesses() async throws {
        let place = try ShortJournals(journalLimit: 2_000)
        let stores = [try await place.open(), try await place.open()]
        let groups = [try await stores[0].group(CounterSettings.self), try await stores[1].group(CounterSettings.self)]
        try await groups[0].commit { groups[0].count = -1 }
        let token = try #require(stores[0].history.token)
        let recorders = stores.map { ChangeRecorder($0.history.changes(after: token)) }
        let count = 60
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for writer in 0..<4 {
                tasks.addTask {
                    let settings = groups[writer % 2]
                    for number in 0..<count {
                        try await settings.commit(author: "\(writer)") { settings.count = writer * count + number }
                        if number % 8 == 0 { settings.other += 1 }
                    }
                }
            }
            try await tasks.waitForAll()
        }
        for store in stores { try await store.flush() }
        try await groups[0].commit { groups[0].name = "end" }
        // A look at what the other process has done last.
        _ = try await groups[1].commit { groups[1].other }
        var lists: [[Change]] = []
        for recorder in recorders {
            var list: [Change] = []
            while list.last?.mutations.contains(where: { $0.key == "name" }) != true {
                list.append(try #require(await recorder.next()))
            }
            lists.append(list)
        }
        #expect(lists[0].map(\.token) == lists[1].map(\.token))
        let positions = lists[0].compactMap { $0.token?.position }
        // A write that others have made before it reached the file has its place, and nothing to tell.
        #expect(positions == Set(positions).sorted() && positions.first ?? 0 > token.position)
        for writer in 0..<4 {
            let own = lists[1].filter { $0.author == "\(writer)" }
            let written = own.flatMap(\.mutations).filter { $0.key == "count" }.compactMap { $0.newValue as? Int }
            #expect(written == (0..<count).map { writer * count + $0 })
        }
        // Each transaction replaces what the one before has left, whoever made that.
        var last = -1
        for mutation in lists[0].flatMap(\.mutations) where mutation.key == "count" {
            #expect(mutation.oldValue as? Int == last)
            last = try #require(mutation.newValue as? Int)
        }
    }

    /// In place as `cp` does it, or with new files as `rsync` does.
    @Test("What others have changed is told once the store's values have it, also while a writer holds them up")
    func valuesFirst() async throws {
        let place = try ShortJournals()
        let (store, other) = (try await place.open(), try await place.open())
        let settings = try await store.group(CounterSettings.self)
        let others = try await other.group(CounterSettings.self)
        try await others.commit { others.count = 1 }
        try await store.flush()
        let seen = LockedValue<[[Int]]>([])
        let changes = store.history.changes(after: store.history.token)
        let following = Task {
            for await change in changes {
                for case let value as Int in change.mutations.map(\.newValue) where change.mutations[0].key == "count" {
                    let inForce = settings.count
                    seen.withLock { $0.append([value, inForce]) }
                }
            }
        }
        for number in 2...100 {
            // Every tenth time a writer is at work.
            let gate = number % 10 == 0 ? Gate() : nil
            let writing = gate.map { gate in
                Task {
                    await onThread {
                        try? settings.update {
                            gate.pass()
                            settings.other = number
                        }
                    }
                }
            }
            await gate?.waitUntilReached()
            try await others.commit { others.count = number }
            // It has fetched that by now.
            try await store.flush()
            for _ in 0..<100 { await Task.yield() }
            gate?.open()
            await writing?.value
            try await eventually("change \(number) is delivered") { seen.withLock { $0.last?.first } == number }
        }
        #expect(seen.withLock { $0 }.allSatisfy { $0[1] >= $0[0] })
        try await store.close()
        try await other.close()
        await following.value
    }

    @Test("Who follows a file before it is written has places from the first change on", arguments: [false, true])
    func newFile(isKept: Bool) async throws {
        let place = try ShortJournals()
        let store = try await place.open(isKept ? .keep() : .unchanged)
        let settings = try await store.group(CounterSettings.self)
        var iterator = store.history.changes(after: nil).makeAsyncIterator()
        #expect(await iterator.next()?.token?.position == 0)
        for number in 1...3 {
            try await settings.commit { settings.count = number }
            #expect(try await next(1, of: &iterator) == [number])
        }
        let again = try await place.open()
        #expect(again.file.loadOutcome != .absent && again.history.token == store.history.token)
    }

    @Test("Durable changes wait for the sync") func durableOnly() async throws {
        let place = try HistoryPlace(.memory)
        let store = try await place.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try #require(store.history.token)
        let (all, durable) = (
            ChangeRecorder(store.history.changes(after: token)),
            ChangeRecorder(store.history.changes(after: token, durableOnly: true))
        )
        try await settings.commit { settings.count = 2 }
        let (one, other) = (await all.next(), await durable.next())
        #expect(
            one?.token == store.history.token && other?.token == store.history.token && other?.isDurable == true
        )
    }

    @Test("Changes that are not durable are held back and said to be so, also if the log has dropped them")
    func droppedUndurable() async throws {
        let place = try ShortJournals(journalLimit: FileStorage.journalLimit)
        let store = try await place.open(logLimit: 16)
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 0 }
        let token = try #require(store.history.token)
        for number in 1...100 {
            settings.count = number
            // Refused, once what was written before is appended: without a sync.
            await #expect(throws: SettingsError.self) {
                try await store.commit(ifUnchangedSince: token, keys: ["count"]) {}
            }
        }
        #expect(store.history.token?.position == token.position + 100)
        var all = store.history.changes(after: token).makeAsyncIterator()
        for _ in 1...100 { #expect(await all.next()?.isDurable == false) }
        let isFlushed = LockedValue(false)
        let first = LockedValue<(value: Int?, wasFlushed: Bool)?>(nil)
        let following = Task {
            var count = 0
            for await change in store.history.changes(after: token, durableOnly: true) {
                #expect(change.isDurable && change.mutations.first?.newValue as? Int == count + 1)
                let wasFlushed = isFlushed.withLock { $0 }
                if count == 0 { first.withLock { $0 = (change.mutations.first?.newValue as? Int, wasFlushed) } }
                count += 1
                if count == 100 { return }
            }
        }
        for _ in 0..<1_000 { await Task.yield() }
        isFlushed.withLock { $0 = true }
        try await store.flush()
        await following.value
        #expect(first.withLock { $0?.value } == 1 && first.withLock { $0?.wasFlushed } == true)
        var again = store.history.changes(after: token).makeAsyncIterator()
        for _ in 1...100 { #expect(await again.next()?.isDurable == true) }
        try await store.close()
    }

    @Test("The stream ends when the store closes, and when its task is cancelled") func ends() async throws {
        let place = try HistoryPlace(.file)
        let store = try await place.open()
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.history.changes(after: nil))
        _ = await recorder.next()
        try await settings.commit { settings.count = 1 }
        #expect(await recorder.next()?.mutations.first?.newValue as? Int == 1)
        let waiting = Task {
            var iterator = store.history.changes(after: nil).makeAsyncIterator()
            while await iterator.next() != nil {}
        }
        waiting.cancel()
        await waiting.value
        try await store.close()
        #expect(await recorder.next() == nil)
        var late = store.history.changes(after: nil).makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("Of a storage without a history, a snapshot comes first, and then what is new") func noHistory() async throws
    {
        let store = try await SettingsStore.open(storage: PlainStorage())
        let settings = try await store.group(CounterSettings.self)
        settings.count = 3
        try await store.flush()
        #expect(store.history.token == nil)
        var iterator = store.history.changes(after: nil).makeAsyncIterator()
        #expect(await iterator.next()?.snapshot == SettingTree(["count": .integer(3)]))
        settings.count = 4
        let change = await iterator.next()
        #expect(change?.mutations.first?.newValue as? Int == 4 && change?.token == nil)
    }

    @Test("Of a storage without a history, a change is delivered although another domain covers its value")
    func coveredWithoutHistory() async throws {
        let source = ManualDomainSource(DomainContents(SettingTree(["count": .integer(9)])))
        let store = try await SettingsStore.open(
            storage: PlainStorage(), searching: [.source("source", source), .application])
        let settings = try await store.group(CounterSettings.self)
        var iterator = store.history.changes(after: nil).makeAsyncIterator()
        #expect(await iterator.next()?.snapshot == SettingTree())
        var watch = ContentWatch(store, includingHistory: true)
        try await settings.commit { settings.count = 4 }
        // Reported only if nothing has changed.
        watch.interrupt()
        #expect(await watch.next() == .changed)
        try await store.close()
        let change = await iterator.next()
        #expect(change?.mutations.first?.newValue as? Int == 4 && settings.count == 9)
    }

    @Test("A secret is told to have changed, without its values, and is in no snapshot") func secrets() async throws {
        for kind in HistoryPlace.Kind.allCases {
            let place = try HistoryPlace(kind)
            let store = try await place.open()
            let settings = try await store.group(KeySettings.self)
            try await settings.commit { settings.limit = 1 }
            let token = try #require(store.history.token)
            try await settings.commit {
                settings.key = Secret("geheim")
                settings.limit = 2
            }
            var iterator = store.history.changes(after: token).makeAsyncIterator()
            let change = try #require(await iterator.next())
            #expect(change.mutations.map(\.key) == ["key", "limit"] && change.mutations[0].isSecret)
            #expect(!"\(change)".contains("geheim") && change.mutations[0].newValue as? SettingValue == .null)
            var snapshot = store.history.changes(after: nil).makeAsyncIterator()
            #expect(await snapshot.next()?.snapshot == SettingTree(["limit": .integer(2)]))
        }
    }
}

private struct KeySettings: SettingsGroup {
    @Setting var key = Secret("")
    @Setting var limit = 0
}

/// Three functions, and nothing more.
private actor PlainStorage: Storage {
    private var state = StorageState()

    func load() throws(StorageError) -> StorageContents { try state.load { nil } }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        try state.append(batch) { _ in }
    }

    func close() { state.close() }
}
