import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SnapshotsTests {
    @Test("snapshots delivers the current result first, then the newest one at each request")
    func newest() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OuterSettings.self)
        var results = settings.snapshots { "\($0.title) \($0.inner.count)" }.makeAsyncIterator()
        settings.inner.count = 1
        #expect(await results.next() == "title 1")
        settings.inner.count = 2
        settings.title = "t"
        #expect(await results.next() == "t 2")
        try await store.close()
        #expect(await results.next() == nil)
    }

    @Test("A result equal to the previous one is skipped") func equalResults() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(settings.snapshots { $0.count > 10 })
        #expect(await recorder.next() == false)
        for number in 1...5 { settings.count = number }
        settings.count = 11
        #expect(await recorder.next() == true)
        settings.count = 12
        try await store.close()
        #expect(await recorder.untilEnd() == [false, true])
    }

    @Test("A result that is not Equatable is delivered after every change") func incomparable() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        var results = settings.snapshots { ($0.count > 10, $0.name) }.makeAsyncIterator()
        #expect(await results.next()?.0 == false)
        settings.count = 1
        #expect(await results.next()?.0 == false)
        settings.name = "x"
        #expect(await results.next()?.1 == "x")
    }

    @Test("Each result shows a single moment, and the last one is current") func consistency() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let balance = try await store.group(BalanceSettings.self)
        let recorder = ChangeRecorder(balance.snapshots { [$0.left, $0.right] })
        for number in 1...2_000 {
            try balance.update {
                balance.left -= number % 7
                balance.right += number % 7
            }
            if number.isMultiple(of: 50) { await Task.yield() }
        }
        let last = [balance.left, balance.right]
        let results = await recorder.until { $0.last == last }
        #expect(results.allSatisfy { $0[0] + $0[1] == 1_000 })
    }

    @Test("A cancelled task receives no more results") func cancellation() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(settings.snapshots { $0.count })
        #expect(await recorder.next() == 0)
        recorder.cancel()
        #expect(await recorder.untilEnd() == [0])
    }
}
