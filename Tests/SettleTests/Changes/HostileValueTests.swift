import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

/// Values whose `deinit` reads and writes settings, released by the log or by its readers.
@Suite(.timeLimit(.minutes(10))) struct HostileValueTests {
    private let deaths = Deaths()

    private func open(
        logLimit: Int = 1_024, logCostLimit: Int = 1 << 20
    ) async throws -> (SettingsStore, HostileSettings) {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            configuration: .init(logLimit: logLimit, logCostLimit: logCostLimit))
        let settings = try await store.group(HostileSettings.self)
        // These reads and writes take the log's lock and the writer lock.
        deaths.act.withLock {
            $0 = Deaths.Act { [weak store] in
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

    /// Checks that no write by a `deinit` was lost or torn.
    private func check(_ store: SettingsStore, _ settings: HostileSettings, atLeast count: Int) async throws {
        // Some values are released on the threads that save and broadcast.
        try await eventually("all of them have written") {
            let known = deaths.count.load(ordering: .relaxed)
            return known >= count && settings.deaths == known && settings.text.utf8.count == known
        }
        #expect(store.revision >= UInt64(settings.deaths))
    }

    @Test("A deinit may use settings when newer transactions push its value out of the log")
    func droppedByCount() async throws {
        let (store, settings) = try await open(logLimit: 2)
        for number in 1...50 {
            settings.value = make()
            settings.other = number
            if number.isMultiple(of: 5) { try settings.update { settings.other = -number } }
            if number.isMultiple(of: 7) { try settings.$value.set(make()) }
        }
        settings.other = 0
        settings.other = 1
        settings.other = 2
        try await check(store, settings, atLeast: 40)
    }

    @Test("A deinit may use settings when the log's cost limit drops its value") func droppedByCost() async throws {
        let (store, settings) = try await open(logCostLimit: 100)
        for _ in 1...50 { settings.values = [make(), make(), make()] }
        try await check(store, settings, atLeast: 3 * 40)
    }

    @Test("A deinit may use settings when its replaced value does not fit the log") func replaced() async throws {
        let (store, settings) = try await open(logCostLimit: 0)
        for _ in 1...50 {
            settings.values = [make()]
            settings.values.append(make())
            try settings.$values.set([make()])
        }
        try await check(store, settings, atLeast: 3 * 40)
    }

    @Test("A deinit may write a setting that is in the middle of another write") func nested() async throws {
        let (store, settings) = try await open(logLimit: 1)
        for _ in 1...50 {
            settings.value = make()
            // What these writes drop from the log is released after the outer write.
            try settings.$text.modify { text in
                settings.other += 1
                settings.other += 1
                text = String(text)
            }
        }
        try await check(store, settings, atLeast: 40)
    }

    @Test(
        "A deinit may use settings when a subscriber releases the value last",
        arguments: [Change.Delivery.every, .newest])
    func subscribers(delivery: Change.Delivery) async throws {
        let (store, settings) = try await open(logLimit: 2)
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
        try await check(store, settings, atLeast: 40)
    }

    @Test("A deinit may use its store when a closed store's log is released") func closed() async throws {
        do {
            let (store, settings) = try await open()
            for _ in 1...10 { settings.value = make() }
            try await store.close()
            // A closed store refuses this write, and the writes of the refused value's deinit.
            settings.value = make()
            deaths.act.withLock { $0 = Deaths.Act { [weak store] in _ = (store?.revision, store?.status) } }
        }
        // The store's last tasks may hold the log for a moment longer.
        try await eventually("all values are released") { deaths.count.load(ordering: .relaxed) >= 10 }
    }

    @Test("Deinits may use settings on many threads, beside readers and subscribers") func threads() async throws {
        let (store, settings) = try await open(logLimit: 4, logCostLimit: 100)
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
                for await change in changes where (change.revision ?? 0) > 1_000 { break }
            }
            await group.waitForAll()
        }
        try await check(store, settings, atLeast: 100)
    }
}

private struct HostileSettings: SettingsGroup {
    @Setting var value = HostileValue(nil)
    @Setting var values: [HostileValue] = []
    @Setting var other = 0
    @Setting var deaths = 0
    @Setting var text = ""
}

/// What each value's `deinit` does, and how many have run.
private final class Deaths: Sendable {
    let count = Atomic(0)
    let act = LockedValue<Act?>(nil)

    /// In a generic type a closure of its own is wrapped once more by each access, until a call of it needs the whole
    /// stack.
    struct Act: Sendable {
        let run: @Sendable () -> Void
    }
}

/// A value that runs foreign code in its `deinit`. No two are equal.
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
            act?.run()
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
