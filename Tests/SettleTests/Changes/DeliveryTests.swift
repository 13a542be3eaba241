import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct DeliveryTests {
    @Test("A subscriber that falls behind the log is told how many changes it missed")
    func overflow() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 8))
        let settings = try await store.group(OuterSettings.self)
        var all = store.changes.makeAsyncIterator()
        var inner = settings.inner.changes.makeAsyncIterator()
        var title = settings.$title.changes.makeAsyncIterator()
        for number in 1...10 {
            settings.inner.count = number
            settings.balance.left = 500 + number
        }
        settings.title = "x"
        // 21 transactions, of which the log holds 14 to 21; the inner group's are the odd ones up to 19.
        let first = await all.next()
        #expect(first?.revision == 14 && first?.missed.count == 13)
        for revision in 15...21 {
            let change = await all.next()
            #expect(change?.revision == UInt64(revision) && change?.missed.count == 0)
        }
        let firstInner = await inner.next()
        #expect(firstInner?.revision == 15 && firstInner?.missed.count == 7)
        #expect(await inner.next()?.missed.count == 0)
        let only = await title.next()
        #expect(only?.revision == 21 && only?.missed.count == 0)
    }

    @Test("A transaction with many mutations counts once, and only for the subscribers it concerns")
    func manyMutations() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 2))
        let settings = try await store.group(OuterSettings.self)
        var inner = settings.inner.changes.makeAsyncIterator()
        var balance = settings.balance.changes.makeAsyncIterator()
        for number in 1...5 {
            try settings.update {
                settings.inner.count = number
                settings.inner.other = number
                settings.inner.list.append(number)
                settings.title += "."
                if number < 3 { settings.balance.left += 1 }
            }
        }
        let change = await inner.next()
        #expect(change?.revision == 4 && change?.missed.count == 3 && change?.mutations.count == 3)
        settings.balance.left = 0
        let last = await balance.next()
        #expect(last?.revision == 6 && last?.missed.count == 2)
    }

    @Test("Large values push older changes out of the log early")
    func costLimit() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 64, logCostLimit: 1_000))
        let settings = try await store.group(CounterSettings.self)
        var changes = store.changes.makeAsyncIterator()
        for number in 1...10 { settings.name = String(repeating: "x", count: 300 + number) }
        let change = await changes.next()
        #expect(change?.revision == 8 && change?.missed.count == 7)
    }

    @Test(
        "A transaction too large for the log is delivered without its values and counts as missed",
        arguments: [Change.Delivery.every, .newest])
    func overLimit(delivery: Change.Delivery) async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logCostLimit: 1_000))
        let settings = try await store.group(CounterSettings.self)
        var changes = settings.changes(delivery).makeAsyncIterator()
        var durable = settings.changes(delivery, durableOnly: true).makeAsyncIterator()
        var names = settings.$name.makeAsyncIterator()
        #expect(await names.next() == "")
        let large = String(repeating: "y", count: 5_000)
        try settings.update(author: "writer") {
            settings.name = large
            settings.count = 1
        }
        let change = await changes.next()
        #expect(change?.revision == 1 && change?.missed.count == 1 && change?.mutations.isEmpty == true)
        #expect(change?.author == "writer" && change?.isDurable == false)
        // The newest value comes from the setting, not from the log.
        #expect(await names.next() == large)
        try await store.flush()
        let saved = await durable.next()
        #expect(saved?.revision == 1 && saved?.missed.count == 1 && saved?.isDurable == true)
        // A change that replaces such a value counts as missed too.
        settings.name = "small"
        #expect(await changes.next()?.missed.count == 1)
        settings.count = 2
        let next = await changes.next()
        #expect(next?.missed.count == 0 && next?[settings.$count]?.newValue == 2)
    }

    @Test("A subscriber to a setting or group gets its own mutations of a large transaction")
    func largeTransaction() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 4))
        var groups: [OuterSettings] = []
        for number in 0..<40 { groups.append(try await store.group(OuterSettings.self, at: "g\(number)")) }
        var inner = groups.map { $0.inner.changes.makeAsyncIterator() }
        var outer = groups[7].changes.makeAsyncIterator()
        var count = groups[3].inner.$count.changes.makeAsyncIterator()
        var all = store.changes.makeAsyncIterator()
        var title = groups[0].$title.changes.makeAsyncIterator()
        for round in 1...3 {
            try store.update {
                for group in groups {
                    group.inner.count = round
                    group.inner.name += "x"
                    group.balance.left += 1
                }
            }
        }
        for round in 1...3 {
            for number in groups.indices {
                let change = await inner[number].next()
                #expect(change?.mutations.map(\.key) == ["g\(number).inner.count", "g\(number).inner.name"])
                #expect(change?.revision == UInt64(round))
            }
            #expect(await outer.next()?.mutations.map(\.key).last == "g7.balance.left")
            #expect(await count.next()?[groups[3].inner.$count]?.newValue == round)
            #expect(await all.next()?.mutations.count == 120)
        }
        groups[0].title = "x"
        #expect(await title.next()?.revision == 4)
    }

    @Test("A durable-only stream skips memory-only settings and does not count them as missed")
    func durableMissed() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 4))
        let settings = try await store.group(MixedSettings.self)
        var every = store.changes(.every, durableOnly: true).makeAsyncIterator()
        var newest = store.changes(.newest, durableOnly: true).makeAsyncIterator()
        var overrun = store.changes(.every, durableOnly: true).makeAsyncIterator()
        settings.usual = 1
        settings.volatile.secret = 1
        settings.usual = 2
        settings.volatile.secret = 2
        try await store.flush()
        let last = await newest.next()
        #expect(last?.revision == 3 && last?.missed.count == 1)
        #expect(await every.next()?.revision == 1)
        let second = await every.next()
        #expect(second?.revision == 3 && second?.missed.count == 0)
        settings.volatile.secret = 3
        settings.volatile.secret = 4
        settings.volatile.secret = 5
        settings.usual = 3
        try await store.flush()
        let afterLoss = await overrun.next()
        #expect(afterLoss?.revision == 8 && afterLoss?.missed.count == 2)
    }

    @Test("A subscriber whose changes have all left the log is told at once, not with its next change")
    func lossWithoutSuccessor() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: 2))
        let settings = try await store.group(OuterSettings.self)
        var changes = settings.inner.changes.makeAsyncIterator()
        settings.inner.count = 1
        settings.inner.count = 2
        for number in 1...5 { settings.title = "\(number)" }
        let loss = await changes.next()
        #expect(loss?.missed.count == 2 && loss?.mutations.isEmpty == true && loss?.revision == 2)
        settings.inner.count = 3
        let next = await changes.next()
        #expect(next?.missed.count == 0 && next?.revision == 8)
    }

    @Test("Delivered and missed changes add up to all changes")
    func randomModel() async throws {
        for round in 0..<20 { try await deliverAtRandom(round) }
    }

    private func deliverAtRandom(_ round: Int) async throws {
        let seed = SeededGenerator.drawSeed()
        var random = Xorshift(seed: seed)
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(logLimit: Int.random(in: 1...32, using: &random)))
        let settings = try await store.group(OuterSettings.self)
        var all = Watcher(store.changes)
        var newest = Watcher(store.changes(.newest))
        var inner = Watcher(settings.inner.changes)
        var innerNewest = Watcher(settings.inner.changes(.newest))
        var count = Watcher(settings.inner.$count.changes)
        for _ in 0..<400 {
            let reader = Int.random(in: 0..<24, using: &random)
            // Every read has a fresh change to find, even if all earlier ones have left the log.
            let choice = reader < 5 ? 3 : Int.random(in: 0..<8, using: &random)
            let old = store.revision
            try settings.update {
                if choice & 1 != 0 { settings.title += "." }
                if choice & 2 != 0 { settings.inner.count += 1 }
                if choice & 4 != 0 { settings.inner.other += 1 }
            }
            if store.revision > old {
                all.happened += 1
                newest.happened += 1
                if choice & 6 != 0 { inner.happened += 1 }
                if choice & 6 != 0 { innerNewest.happened += 1 }
                if choice & 2 != 0 { count.happened += 1 }
            }
            switch reader {
            case 0: await all.take()
            case 1: await newest.take()
            case 2: await inner.take()
            case 3: await innerNewest.take()
            case 4: await count.take()
            default: break
            }
        }
        try settings.update {
            settings.title = "last"
            settings.inner.count += 1
        }
        for var watcher in [all, newest, inner, innerNewest, count] {
            watcher.happened += 1
            while watcher.last < store.revision {
                try Task.checkCancellation()
                await watcher.take()
            }
            #expect(watcher.taken + watcher.missed == watcher.happened, "seed \(seed), round \(round)")
            #expect(watcher.isInOrder, "seed \(seed), round \(round)")
        }
    }
}

private struct Watcher {
    var iterator: Changes.Iterator
    var happened: UInt64 = 0
    var taken: UInt64 = 0
    var missed: UInt64 = 0
    var last: UInt64 = 0
    var isInOrder = true

    init(_ changes: Changes) {
        iterator = changes.makeAsyncIterator()
    }

    /// Takes a change, if there is one.
    mutating func take() async {
        guard happened > taken + missed, let change = await iterator.next() else { return }
        isInOrder = isInOrder && (change.revision ?? 0) > last
        last = change.revision ?? 0
        // A change without mutations only reports missed ones.
        taken += change.mutations.isEmpty ? 0 : 1
        missed += change.missed.count ?? 0
    }
}

/// A small generator that gives the same numbers for the same seed.
struct Xorshift: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
