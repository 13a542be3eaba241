import Settle
import SettleTesting
import Synchronization
import Testing

/// Values whose `deinit` reads and writes settings, wherever the log and those who read it let go of one.
@Suite(.timeLimit(.minutes(10))) struct HostileValueTests {
    private let deaths = Deaths()

    private func open(
        historyLimit: Int = 1_024, historyCostLimit: Int = 1 << 20
    ) async throws -> (SettingsStore, HostileSettings) {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            configuration: .init(historyLimit: historyLimit, historyCostLimit: historyCostLimit))
        let settings = try await store.group(HostileSettings.self)
        // A reset is a transaction, which takes the log's lock and the writer's.
        deaths.act.withLock {
            $0 = { [weak store] in
                guard let store else { return }
                _ = (store.revision, settings.snapshot().deaths, settings.snapshot { $0.deaths + $0.other })
                _ = settings.$value.changes
                settings.deaths += 1
                settings.text += "x"
            }
        }
        return (store, settings)
    }

    private func make() -> HostileValue { HostileValue(deaths) }

    /// What the values did when they went was neither lost nor torn.
    private func check(_ store: SettingsStore, _ settings: HostileSettings, atLeast count: Int) async {
        // Some go on the threads of the saving and of the broadcasting.
        for _ in 0..<100_000 where settings.deaths != deaths.count.load(ordering: .relaxed) { await Task.yield() }
        let deaths = deaths.count.load(ordering: .relaxed)
        #expect(deaths >= count && store.revision >= UInt64(deaths))
        #expect(settings.deaths == deaths && settings.text.utf8.count == deaths)
    }

    @Test("Dropped from the log by newer transactions, of words and of others") func droppedByCount() async throws {
        let (store, settings) = try await open(historyLimit: 2)
        for number in 1...50 {
            settings.value = make()
            settings.other = number
            if number.isMultiple(of: 5) { try settings.update { settings.other = -number } }
            if number.isMultiple(of: 7) { try settings.$value.set(make()) }
        }
        settings.other = 0
        settings.other = 1
        settings.other = 2
        await check(store, settings, atLeast: 40)
    }

    @Test("Dropped from the log by what they cost") func droppedByCost() async throws {
        let (store, settings) = try await open(historyCostLimit: 100)
        for _ in 1...50 { settings.values = [make(), make(), make()] }
        await check(store, settings, atLeast: 3 * 40)
    }

    @Test("Replaced, when the log does not keep what they cost") func replaced() async throws {
        let (store, settings) = try await open(historyCostLimit: 0)
        for _ in 1...50 {
            settings.values = [make()]
            settings.values.append(make())
            try settings.$values.set([make()])
        }
        await check(store, settings, atLeast: 3 * 40)
    }

    @Test("Dropped in the middle of another write of the same setting") func nested() async throws {
        let (store, settings) = try await open(historyLimit: 1)
        for _ in 1...50 {
            settings.value = make()
            // What this drops from the log goes when the outer write has ended.
            try settings.$text.modify { text in
                settings.other += 1
                settings.other += 1
                text = String(text)
            }
        }
        await check(store, settings, atLeast: 40)
    }

    @Test("Given to subscribers, who let go of them last", arguments: [Delivery.every, .newest])
    func subscribers(delivery: Delivery) async throws {
        let (store, settings) = try await open(historyLimit: 2)
        var changes = settings.$value.changes(delivery).makeAsyncIterator()
        var values = settings.$value.makeAsyncIterator()
        for number in 1...50 {
            settings.value = make()
            let change = await changes.next()
            let value = await values.next()
            #expect(change?.mutations.isEmpty == false && value != nil)
            for _ in 1...3 { settings.other += number }
        }
        try await store.flush()
        await check(store, settings, atLeast: 40)
    }

    @Test("In the log of a store that is closed and let go of") func closed() async throws {
        do {
            let (store, settings) = try await open()
            for _ in 1...10 { settings.value = make() }
            try await store.close()
            // A closed store takes no write, and has nothing to say against one in a deinit.
            settings.value = make()
            deaths.act.withLock { $0 = { [weak store] in _ = (store?.revision, store?.status) } }
        }
        // The tasks that end with the store may have the log for a moment.
        while deaths.count.load(ordering: .relaxed) < 10 { await Task.yield() }
    }

    @Test("From many threads at once, beside readers and subscribers") func threads() async throws {
        let (store, settings) = try await open(historyLimit: 4, historyCostLimit: 100)
        let (deaths, changes) = (deaths, store.changes(.newest))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in 0..<300 {
                        switch (worker + number) % 4 {
                        case 0: settings.value = HostileValue(deaths)
                        case 1: settings.values = (0..<(number % 9)).map { _ in HostileValue(deaths) }
                        case 2: try? settings.update { settings.value = HostileValue(deaths) }
                        default: settings.other += 1
                        }
                        _ = (settings.value, settings.snapshot(), settings.snapshot { $0.values.count })
                    }
                }
            }
            group.addTask {
                for await change in changes where change.revision > 1_000 { break }
            }
            await group.waitForAll()
        }
        await check(store, settings, atLeast: 100)
    }
}

private struct HostileSettings: SettingsGroup {
    @Setting var value = HostileValue(nil)
    @Setting var values: [HostileValue] = []
    @Setting var other = 0
    @Setting var deaths = 0
    @Setting var text = ""
}

/// What values do when they go, and how many have gone.
private final class Deaths: Sendable {
    let count = Atomic(0)
    let act = LockedValue<(@Sendable () -> Void)?>(nil)
}

/// A value that has foreign code run when the last reference to it goes. Two are never equal.
private struct HostileValue: Codable, Sendable {
    private final class Token: Sendable {
        let deaths: Deaths?

        init(_ deaths: Deaths?) {
            self.deaths = deaths
        }

        deinit {
            guard let deaths else { return }
            deaths.count.add(1, ordering: .relaxed)
            let act = deaths.act.withLock { $0 }
            act?()
        }
    }

    private let token: Token

    init(_ deaths: Deaths?) {
        token = Token(deaths)
    }

    init(from decoder: any Decoder) {
        token = Token(nil)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
    }
}
