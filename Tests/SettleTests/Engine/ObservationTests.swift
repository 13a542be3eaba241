import Observation
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ObservationTests {
    private func groups() async throws -> [OuterSettings] {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return [try await store.group(OuterSettings.self), OuterSettings()]
    }

    @Test("withObservationTracking sees changes to the settings that were read, and to no others")
    func tracking() async throws {
        for settings in try await groups() {
            let writes: [@Sendable () -> Void] = [
                { settings.title += "x" }, { settings.inner.count += 1 }, { settings.inner.name += "x" },
                { settings.inner.list.append(1) }, { settings.inner.table["a", default: 0] += 1 },
                { try? settings.update { settings.balance.left += 1 } },
            ]
            for write in writes {
                let (changed, continuation) = AsyncStream.makeStream(of: Void.self)
                withObservationTracking {
                    _ = (settings.title, settings.inner.count, settings.inner.name, settings.inner.list)
                    _ = (settings.inner.table, settings.balance.left)
                } onChange: {
                    continuation.yield()
                    continuation.finish()
                }
                settings.inner.other += 1
                write()
                var count = 0
                for await _ in changed { count += 1 }
                #expect(count == 1)
            }
        }
    }

    @Test("A setting that was not read, or only by reference, is not tracked")
    func untracked() async throws {
        for settings in try await groups() {
            let other = WatchedFlag()
            let title = WatchedFlag()
            withObservationTracking {
                _ = settings.inner.other
                _ = settings.inner.$count.value
            } onChange: {
                other.raise()
            }
            withObservationTracking {
                _ = settings.title
            } onChange: {
                title.raise()
            }
            settings.inner.count = 1
            settings.title = "x"
            await title.wait()
            #expect(!other.isRaised)
            settings.inner.other = 1
            await other.wait()
        }
    }

    @Test("Observations reaches the newest value and never sees half a transaction")
    func observations() async throws {
        for settings in try await groups() {
            let recorder = ChangeRecorder(Observations { "\(settings.title) \(settings.inner.count)" })
            #expect(await recorder.next() == "title 0")
            for _ in 0..<1_000 { settings.inner.count += 1 }
            try settings.update {
                settings.title = "end"
                settings.inner.count += 1
            }
            let seen = await recorder.until { $0.last == "end 1001" }
            // This would be half of the transaction.
            #expect(!seen.contains("end 1000"))
            recorder.cancel()
        }
    }

    @Test("Reading through a second instance of a group is tracked")
    func alias() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let alias = try await store.group(CounterSettings.self)
        let flag = WatchedFlag()
        withObservationTracking {
            _ = alias.count
        } onChange: {
            flag.raise()
        }
        settings.count = 1
        await flag.wait()
    }

    @Test("A snapshot is tracked, even if transactions overtake each attempt until it becomes a copy")
    func snapshots() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OuterSettings.self)
        let writing = try await store.group(CounterSettings.self, at: "writing")
        for round in 1...20 {
            let (read, other) = (WatchedFlag(), WatchedFlag())
            var attempts = 0
            withObservationTracking {
                let sum = settings.snapshot { settings in
                    attempts += 1
                    // Overtakes each attempt before it ends.
                    writing.count += 1
                    return settings.balance.left + settings.balance.right
                }
                #expect(sum == 1_000)
            } onChange: {
                read.raise()
            }
            #expect(attempts > 1)
            withObservationTracking {
                _ = settings.snapshot().inner.other
            } onChange: {
                other.raise()
            }
            settings.inner.count = round
            try settings.update {
                settings.balance.left -= 1
                settings.balance.right += 1
            }
            await read.wait()
            #expect(!other.isRaised)
            settings.inner.other = round
            await other.wait()
        }
    }

    @Test("Writing, following or resetting through a frozen copy acts on the setting itself")
    func frozen() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        let writing = try await store.group(BalanceSettings.self, at: "writing")
        let copy = settings.snapshot { settings in
            writing.left += 1
            return settings
        }
        settings.count = 2
        #expect(copy.count == 1)
        #expect(copy.$count.key == "count" && copy.snapshot().count == 1)
        var values = copy.$count.makeAsyncIterator()
        #expect(await values.next() == 2)
        copy.count = 5
        #expect(settings.count == 5)
        #expect(await values.next() == 5)
        try copy.$count.reset()
        #expect(settings.count == 0 && copy.count == 1)
    }

    @Test("A slow observer does not delay streams") func slowObserver() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let gate = Gate()
        let values = ChangeRecorder(settings.$count)
        let changes = ChangeRecorder(settings.changes)
        #expect(await values.next() == 0)
        let observed = ChangeRecorder(Observations { settings.other })
        #expect(await observed.next() == 0)
        withObservationTracking {
            _ = settings.count
        } onChange: {
            gate.pass()
        }
        settings.count = 1
        await gate.waitUntilReached()
        for number in 2...20 {
            settings.count = number
            settings.other = number
            await values.until { $0.last == number }
        }
        await changes.until { $0.last?.revision == store.revision }
        gate.open()
        // The other observers are notified afterwards.
        await observed.until { $0.last == 20 }
        for recorder in [values] { recorder.cancel() }
        changes.cancel()
        observed.cancel()
    }

    @Test("Observers run neither on the writer's thread nor under its lock")
    func observerOutside() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let flag = WatchedFlag()
        withObservationTracking {
            _ = settings.count
        } onChange: {
            // This would wait for the writer lock forever if the writer below ran it.
            settings.other = settings.count
            flag.raise()
        }
        settings.count = 5
        await flag.wait()
        #expect(settings.other == 5)
    }
}

/// A flag that any thread can raise and a task can await.
private final class WatchedFlag: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let counter = CounterSettings()

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    var isRaised: Bool { counter.count > 0 }

    func raise() {
        counter.count += 1
        continuation.finish()
    }

    func wait() async {
        for await _ in stream {}
    }
}
