import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized) struct StressTests {
    /// With `SETTLE_ROUNDS_PERCENT`, some of the rounds, for the thread sanitizer.
    private static func rounds(_ all: Int) -> Int {
        all * (ProcessInfo.processInfo.environment["SETTLE_ROUNDS_PERCENT"].flatMap(Int.init) ?? 100) / 100
    }

    @Test("8 tasks that each add 1 a hundred thousand times add 800,000 in total")
    func increments() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let rounds = Self.rounds(100_000)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<rounds { settings.count += 1 } }
            }
        }
        #expect(settings.count == 8 * rounds && store.revision == UInt64(8 * rounds))
        try await store.close()
    }

    @Test("In each of 10,000 rounds with two writers, every subscriber ends with the final value")
    func finalValue() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let values = (0..<3).map { _ in ChangeRecorder(settings.$count) }
        let changes = ChangeRecorder(settings.changes(.newest))
        for round in 1...Self.rounds(10_000) {
            await withTaskGroup { group in
                for writer in 0..<2 {
                    group.addTask { settings.count = round * 10 + writer }
                }
            }
            let final = settings.count
            for recorder in values { await recorder.until { $0.last == final } }
            let seen = await changes.until { $0.last.map { $0[settings.$count]?.newValue == final } ?? false }
            guard values.allSatisfy({ $0.elements.last == final }), seen.last?.revision == store.revision else {
                Issue.record("round \(round) did not end on \(final)")
                return
            }
        }
    }

    @Test("Over 1,000 subscriptions, no change is lost between the current value and the first change")
    func subscribeWhileWriting() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 1 << 16))
        let settings = try await store.group(CounterSettings.self)
        let flag = Flag()
        async let writer: Void = onThread { while !flag.isRaised { settings.count += 1 } }
        defer { flag.raise() }
        for _ in 0..<1_000 {
            var changes = settings.changes.makeAsyncIterator()
            let current = settings.count
            // A write between the two is in both. A change may be in neither only if the log dropped it on a busy
            // machine, which is counted.
            let first = try #require(await changes.next())
            let start = try #require(first[settings.$count]?.oldValue)
            #expect(start - Int(try #require(first.missed.count)) <= current)
            let second = try #require(await changes.next())
            let skipped = Int(try #require(second.missed.count))
            #expect(second[settings.$count]?.oldValue == start + 1 + skipped)
            #expect(second.revision == first.revision.map { $0 + 1 + UInt64(skipped) })
            var values = settings.$count.makeAsyncIterator()
            let value = try #require(await values.next())
            #expect(value >= current)
            #expect(try #require(await values.next()) > value)
        }
        flag.raise()
        await writer
    }

    @Test("A million snapshots of two settings with a constant sum are never torn")
    func snapshots() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(BalanceSettings.self)
        let (flag, hasBegun) = (Flag(), Flag())
        async let writer: Void = onThread {
            var step = 0
            while !flag.isRaised {
                step += 1
                try? settings.update {
                    settings.left -= step & 63
                    settings.right += step & 63
                }
                hasBegun.raise()
            }
        }
        defer { flag.raise() }
        try await eventually("the writer writes") { hasBegun.isRaised }
        let torn = await onThread {
            var torn = 0
            for _ in 0..<Self.rounds(1_000_000) where settings.snapshot({ $0.left + $0.right }) != 1_000 { torn += 1 }
            return torn
        }
        flag.raise()
        await writer
        #expect(torn == 0)
    }

    @Test("Random cancellation leaves no subscriber behind, and the store still delivers")
    func cancellations() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let flag = Flag()
        async let writer: Void = onThread { while !flag.isRaised { settings.count += 1 } }
        defer { flag.raise() }
        let received = await withTaskGroup { group in
            for number in 0..<300 {
                // Nobody writes `other`: whoever follows it is parked until it is cancelled.
                let setting = number.isMultiple(of: 2) ? settings.$count : settings.$other
                let task = Task {
                    var received = 0
                    for await _ in setting { received += 1 }
                    return received
                }
                group.addTask {
                    for _ in 0...number % 8 { await Task.yield() }
                    task.cancel()
                    return await task.value
                }
            }
            return await group.reduce(0, +)
        }
        flag.raise()
        await writer
        #expect(received > 0)
        // A subscriber that is left parked counts too.
        #expect(store.statistics.subscribers == 0)
        let recorder = ChangeRecorder(settings.$count)
        settings.count = -1
        await recorder.until { $0.last == -1 }
        #expect(recorder.elements.last == -1)
    }

    @Test("10,000 rounds of updates, commits, external changes and flushes finish and lose nothing")
    func everythingAtOnce() async throws {
        let memory = InMemoryStorage()
        let store = try await SettingsStore.open(storage: memory)
        let settings = try await store.group(OuterSettings.self)
        let flag = Flag()
        async let flusher: Void = onThread { while !flag.isRaised { try? store.flushAndWait() } }
        defer { flag.raise() }
        let rounds = 2_500
        try await withThrowingTaskGroup { group in
            group.addTask {
                for step in 1...rounds {
                    try settings.update {
                        settings.balance.left -= step
                        settings.balance.right += step
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask { for _ in 0..<rounds { try await settings.commit { settings.inner.count += 1 } } }
            }
            group.addTask {
                for round in 1...rounds {
                    memory.simulateExternalChange(["inner.other": .integer(Int64(round))])
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        flag.raise()
        await flusher
        try await store.flush()
        let other = ChangeRecorder(settings.inner.$other)
        await other.until { $0.last == rounds }
        #expect(settings.inner.count == 2 * rounds && settings.balance.left + settings.balance.right == 1_000)
        #expect(memory.tree["inner.count"] == .integer(Int64(2 * rounds)))
        #expect(memory.tree["balance.left"] == .integer(Int64(settings.balance.left)))
        #expect("\(store.status)" == "saved")
    }
}
