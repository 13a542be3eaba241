import SettleTesting
import Synchronization
import Testing

@testable import Settle

/// The sizes of values whose types don't give them, such as plain `Codable` ones: known once stored or read.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct MeasuredValueTests {
    private static let size = 100_000
    /// Room for four values.
    private let configuration = SettingsStore.Configuration(logCostLimit: 450_000, clock: ManualClock())
    private let counter = LifeCounter()
    private let storage = InMemoryStorage()

    private func open(_ storage: InMemoryStorage) async throws -> (SettingsStore, LargeSettings) {
        let store = try await SettingsStore.open(storage: storage, configuration: configuration)
        return (store, try await store.group(LargeSettings.self))
    }

    private func large(_ number: Int, size: Int = Self.size) -> Large {
        Large("\(number)" + String(repeating: "a", count: size), counter)
    }

    @Test("The log of saved values is bounded")
    func saved() async throws {
        let (store, settings) = try await open(storage)
        for number in 1...20 {
            settings.large = large(number)
            try await store.flush()
        }
        // Four transactions with their new values, and the old value of the first.
        #expect(counter.living <= 5 && store.core.log.changes.ring.oldest > 16)
        // The size of the next value is known beforehand.
        for number in 21...30 { settings.large = large(number) }
        #expect(counter.living <= 5 && store.core.log.changes.ring.oldest > 26)
        try store.update { settings.large = large(31) }
        #expect(settings.large.text.hasPrefix("31a") && counter.living <= 5)
    }

    @Test("Values written faster than they are saved count as soon as one is saved")
    func burst() async throws {
        let failing = FailingStorage(storage)
        let store = try await SettingsStore.open(storage: failing, configuration: configuration)
        let settings = try await store.group(LargeSettings.self)
        let hold = failing.hold(.append)
        settings.count = 1
        await hold.waitUntilReached()
        for number in 1...20 { settings.large = large(number) }
        // No size is known before the first save.
        #expect(counter.living == 20)
        hold.release()
        try await store.flush()
        #expect(counter.living <= 5 && store.core.log.changes.ring.oldest > 16)
    }

    @Test("A range takes its own size, whether or not its elements can be counted") func ranges() async throws {
        let store = try await SettingsStore.open(storage: storage, configuration: configuration)
        let settings = try await store.group(RangedSettings.self)
        settings.closed = 0...Int.max
        try store.update { (settings.closed, settings.open) = (Int.min...Int.max, Int.min..<Int.max) }
        try await store.flush()
        let (least, most) = (SettingValue.integer(.min), SettingValue.integer(.max))
        #expect(storage.tree == SettingTree(["closed": .array([least, most]), "open": .array([least, most])]))
        #expect(store.core.log.changes.ring.oldest == 1)
        try await store.close()
    }

    @Test("A transaction counts its measured values together with those whose types give their size")
    func transaction() async throws {
        let (store, settings) = try await open(storage)
        for number in 1...10 {
            try store.update {
                settings.large = large(number)
                settings.other = [large(number)]
                settings.text = "\(number)" + String(repeating: "b", count: Self.size)
                settings.count = number
            }
        }
        try await store.flush()
        // Each transaction takes 300,000 bytes.
        #expect(store.core.log.changes.ring.oldest == 10 && counter.living <= 4)
    }

    @Test("A transaction too large for the log keeps its place without its values")
    func beyondLimit() async throws {
        let (store, settings) = try await open(storage)
        let changes = settings.$large.changes
        settings.large = large(1, size: 1_000_000)
        try await store.flush()
        settings.large = large(2, size: 10)
        try await store.flush()
        settings.large = large(3, size: 10)
        var iterator = changes.makeAsyncIterator()
        for expected in [(1, true), (2, true), (3, false)] as [(UInt64, Bool)] {
            let change = try #require(await iterator.next())
            #expect(change.revision == expected.0 && change.mutations.isEmpty == expected.1)
            #expect(change.missed.count == (expected.1 ? 1 : 0))
        }
        #expect(counter.living == 2)
    }

    @Test("External values, values written by key and values found at opening count too")
    func outside() async throws {
        let (store, settings) = try await open(storage)
        for number in 1...10 {
            let text = SettingValue.string("\(number)" + String(repeating: "c", count: Self.size))
            storage.simulateExternalChange(["large": text], author: "B")
            try await store.flush()
            #expect(settings.large.text.hasPrefix("\(number)c"))
        }
        #expect(store.core.log.changes.ring.oldest > 6)
        let revision = store.revision
        for number in 1...10 {
            let text = SettingValue.string("\(number)" + String(repeating: "d", count: Self.size))
            try store.keys.setValue(text, forKey: "large")
        }
        #expect(store.core.log.changes.ring.oldest > revision + 6)
        try await store.close()
        let (again, reopened) = try await open(InMemoryStorage(storage.tree))
        for number in 1...10 { reopened.large = large(number) }
        #expect(again.core.log.changes.ring.oldest > 6)
    }

    @Test("A value whose type gives its size is not measured")
    func told() {
        func isMeasured<Value: Codable & Sendable>(_ value: Value) -> Bool {
            SettingDefinition(key: nil, defaultValue: value, rules: [], codec: .standard).isMeasured
        }
        #expect(!isMeasured(1) && !isMeasured("") && !isMeasured(String?.none))
        #expect(!isMeasured([1.5]) && !isMeasured(Set([1])))
        #expect(isMeasured([""]) && isMeasured(["": 1]) && isMeasured(large(1)) && isMeasured(Secret("")))
    }
}

private struct RangedSettings: SettingsGroup {
    @Setting var closed = 0...100
    @Setting var open = 0..<100
}

private struct LargeSettings: SettingsGroup {
    @Setting var large = Large("", nil)
    @Setting var other: [Large] = []
    @Setting var text = ""
    @Setting var count = 0
}

/// A text whose type gives no size, and which counts its living instances.
private struct Large: Codable, Sendable {
    let text: String
    private let life: LifeCounter.Life?

    init(_ text: String, _ counter: LifeCounter?) {
        self.text = text
        life = counter.map { LifeCounter.Life($0) }
    }

    init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self), nil)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private final class LifeCounter: Sendable {
    private let count = Atomic<Int>(0)
    var living: Int { count.load(ordering: .sequentiallyConsistent) }

    final class Life: Sendable {
        private let counter: LifeCounter

        init(_ counter: LifeCounter) {
            self.counter = counter
            counter.count.add(1, ordering: .sequentiallyConsistent)
        }

        deinit {
            counter.count.subtract(1, ordering: .sequentiallyConsistent)
        }
    }
}
