import Dispatch
import Foundation
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct TransactionTests {
    /// The same group in a store and without one.
    private func groups() async throws -> [OuterSettings] {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return [try await store.group(OuterSettings.self), OuterSettings()]
    }

    @Test("A transaction that only resets has the origin reset, and one that also writes has local")
    func resets() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OuterSettings.self)
        try settings.update {
            settings.inner.count = 1
            settings.title = "new"
        }
        var changes = store.changes.makeAsyncIterator()
        try await store.commit(author: "me") { try store.keys.removeValue(forKey: "inner.count") }
        let reset = await changes.next()
        #expect(reset?.origin == .reset && reset?.author == "me" && settings.inner.$count.domains.origin == .reset)
        try settings.update {
            try settings.$title.reset()
            settings.inner.count = 2
        }
        #expect(await changes.next()?.origin == .local)
    }

    @Test("A transaction sees its own writes, and no other reader does before it ends")
    func isolation() async throws {
        // Unopened groups share one writer lock, so a test that blocks in one would block all others.
        for settings in try await groups().prefix(1) {
            let gate = Gate()
            async let writer: Bool = onThread {
                let sawOwn = try? settings.update {
                    settings.inner.count = 1
                    settings.inner.count += 1
                    settings.inner.list.append(3)
                    settings.title = "new"
                    gate.pass()
                    return settings.inner.count == 2 && settings.inner.list == [3] && settings.title == "new"
                        && settings.inner.$count.value == 2 && settings.snapshot().title == "new"
                        && settings.snapshot { $0.inner.count } == 2
                }
                return sawOwn ?? false
            }
            await gate.waitUntilReached()
            let seen = await onThread { (settings.inner.count, settings.inner.list, settings.title) }
            #expect(seen == (0, [], "title"))
            #expect(settings.snapshot().inner.count == 0)
            #expect(settings.snapshot { $0.title } == "title")
            var values = settings.inner.$count.makeAsyncIterator()
            #expect(await values.next() == 0)
            gate.open()
            #expect(await writer)
            #expect(settings.inner.count == 2 && settings.title == "new")
        }
    }

    @Test("A read on another thread during an update sees the old values, whether the group is opened or not")
    func readingMeanwhile() async throws {
        for settings in try await groups() {
            let seen = try settings.update {
                settings.inner.count = 1
                settings.title = "new"
                // Waits here, because other tests that write unopened groups wait for this write.
                return elsewhere {
                    let value = settings.snapshot()
                    return (settings.inner.count, settings.title, value.inner.count, value.title)
                }
            }
            #expect(seen == (0, "title", 0, "title"))
            #expect(settings.inner.count == 1 && settings.title == "new")
        }
    }

    /// Runs on its own thread, and blocks until that has ended.
    private func elsewhere<Result: Sendable>(_ read: @escaping @Sendable () -> Result) -> Result {
        let result = LockedValue<Result?>(nil)
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let found = read()
            result.withLock { $0 = found }
            end.signal()
        }
        end.wait()
        return result.withLock { $0 } ?? read()
    }

    @Test("A throw inside update undoes everything")
    func rollback() async throws {
        for settings in try await groups() {
            settings.inner.count = 1
            settings.inner.list = [1]
            let recorder = ChangeRecorder(settings.changes)
            #expect(throws: TestFailure(number: 3)) {
                try settings.update {
                    settings.inner.count += 1
                    settings.title = "new"
                    try append(2, to: &settings.inner.list, thenThrow: TestFailure(number: 3))
                }
            }
            #expect(settings.inner.count == 1 && settings.inner.list == [1] && settings.title == "title")
            settings.title = "after"
            #expect(await recorder.next()?.mutations.map(\.key) == ["title"])
        }
    }

    @Test("A rolled-back update reports that its writes to another store stay, and only then")
    func twoStores() async throws {
        let (one, two) = (
            try await SettingsStore.open(storage: InMemoryStorage()),
            try await SettingsStore.open(storage: InMemoryStorage())
        )
        let (first, second) = (try await one.group(CounterSettings.self), try await two.group(CounterSettings.self))
        let issues = ChangeRecorder(one.issues)
        let failure = TestFailure(number: 1)
        func codes() -> [SettingsError.Code] { issues.elements.map(\.code) }
        try one.update {
            first.count = 1
            second.count = 1
            try two.update { second.list = [1] }
            // A nested update rolled back before the other store is written leaves nothing there.
            #expect(throws: failure) { try one.update { throw failure } }
        }
        #expect(throws: failure) {
            try one.update {
                first.count = 2
                second.count = 1
                throw failure
            }
        }
        #expect(first.count == 1 && codes().isEmpty)
        let writes: [() throws -> Void] = [
            { second.count += 1 }, { second.list.append(1) }, { try two.update { second.count += 1 } },
            { try two.keys.setValue(SettingValue.integer(Int64.random(in: 100...(.max))), forKey: "count") },
        ]
        for (index, write) in writes.enumerated() {
            #expect(throws: failure) {
                try one.update {
                    first.count = 2
                    try write()
                    throw failure
                }
            }
            #expect(first.count == 1)
            _ = await issues.until { $0.count == index + 1 }
        }
        #expect(codes().allSatisfy { $0 == .partlyUndone })
    }

    @Test("A transaction makes one revision, one change and one saved batch")
    func oneOfEach() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(OuterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        let result = try settings.update(author: "test") {
            settings.title = "a"
            settings.inner.count = 1
            settings.title = "b"
            return 7
        }
        #expect(result == 7 && store.revision == 1)
        let change = await recorder.next()
        #expect(change?.mutations.map(\.description) == ["title: \"title\" → \"b\"", "inner.count: 0 → 1"])
        #expect(change?.author == "test")
        try await store.flush()
        #expect(recording.batches.map(\.values) == [["title": .string("b"), "inner.count": .integer(1)]])
        #expect(recording.batches.map(\.revision) == [1])
    }

    @Test("A nested update joins the outer one")
    func nesting() async throws {
        for settings in try await groups() {
            let recorder = ChangeRecorder(settings.changes)
            try settings.update {
                settings.title = "outer"
                try settings.inner.update { settings.inner.count = 1 }
                #expect(settings.inner.count == 1)
            }
            #expect(await recorder.next()?.mutations.count == 2)
            #expect(throws: TestFailure()) {
                try settings.update {
                    try settings.inner.update { settings.inner.count = 2 }
                    throw TestFailure()
                }
            }
            #expect(settings.inner.count == 1)
        }
    }

    @Test("A throw caught by the outer update undoes only the inner writes")
    func innerRollback() async throws {
        for settings in try await groups() {
            try settings.update {
                settings.title = "outer"
                settings.inner.count = 1
                #expect(throws: TestFailure()) {
                    try settings.update {
                        settings.inner.count = 2
                        settings.inner.list = [1]
                        settings.title = "inner"
                        throw TestFailure()
                    }
                }
                #expect(settings.inner.count == 1 && settings.inner.list == [] && settings.title == "outer")
                try settings.update {
                    settings.balance.left = 1
                    #expect(throws: TestFailure()) {
                        try settings.update {
                            settings.balance.left = 2
                            throw TestFailure()
                        }
                    }
                }
            }
            #expect(settings.inner.count == 1 && settings.inner.list == [] && settings.title == "outer")
            #expect(settings.balance.left == 1)
        }
    }

    @Test("A throw undoes the writes of nested updates that had completed")
    func rollbackAcrossLevels() async throws {
        for settings in try await groups() {
            try settings.update {
                settings.inner.count = 1
                #expect(throws: TestFailure()) {
                    try settings.update {
                        try settings.update { settings.inner.count = 2 }
                        try settings.update {
                            settings.inner.count = 3
                            settings.title = "deep"
                        }
                        throw TestFailure()
                    }
                }
                #expect(settings.inner.count == 1 && settings.title == "title")
            }
            #expect(settings.inner.count == 1 && settings.title == "title")
        }
    }

    @Test("An update inside a change in place is a separate transaction")
    func updateInsideWrite() async throws {
        for settings in try await groups() {
            settings.inner.list = [1]
            settings.inner.list.withEach {
                try? settings.update { settings.title = "inside" }
            }
            #expect(settings.title == "inside" && settings.inner.list == [1])
        }
    }

    @Test("Snapshots never see half of a transaction")
    func snapshots() async throws {
        for settings in try await groups() {
            try settings.update {
                settings.balance.left = 1_000; settings.balance.right = 0
            }
            async let writer: Void? = onThread {
                for step in 0..<3_000 {
                    try? settings.update {
                        settings.balance.left -= step % 7
                        settings.balance.right += step % 7
                    }
                }
            }
            for _ in 0..<3_000 {
                let snapshot = settings.balance.snapshot()
                #expect(snapshot.left + snapshot.right == 1_000)
                #expect(settings.snapshot { $0.balance.left + $0.balance.right } == 1_000)
            }
            await writer
        }
    }

    @Test("An update of two groups of one store is one transaction")
    func twoGroups() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let first = try await store.group(CounterSettings.self, at: "first")
        let second = try await store.group(CounterSettings.self, at: "second")
        #expect(throws: TestFailure()) {
            try first.update {
                first.count = 1
                second.count = 1
                throw TestFailure()
            }
        }
        #expect(first.count == 0 && second.count == 0)
        try store.update {
            first.count = 1
            second.count = 2
        }
        #expect(store.revision == 1 && first.count == 1 && second.count == 2)
    }

    @Test("A reset returns all settings to their defaults in one transaction and removes their stored values")
    func reset() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(OuterSettings.self)
        try settings.update {
            settings.title = "x"; settings.inner.count = 4
        }
        try await store.flush()
        let recorder = ChangeRecorder(store.changes)
        try settings.reset(author: "test")
        #expect(settings.title == "title" && settings.inner.count == 0)
        #expect(settings.$title.isDefault && settings.$title.domains.origin == .reset)
        let change = await recorder.next()
        #expect(change?.origin == .reset && change?.mutations.count == 2 && change?.author == "test")
        try await store.flush()
        #expect(recording.batches.last?.values == ["title": nil, "inner.count": nil])
    }
}
