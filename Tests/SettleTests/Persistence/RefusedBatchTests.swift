import SettleTesting
import Testing

@testable import Settle

/// A batch that the storage refuses as a whole is retried without its largest values.
@Suite(.timeLimit(.minutes(10))) struct RefusedBatchTests {
    @Test("The largest values are found in one pass that asks for each size once", arguments: [0, 1, 5, 16, 17, 500])
    func largest(count: Int) {
        var generator = SeededGenerator(seed: 7)
        let sizes = (0..<count).map { _ in Int.random(in: 0..<40, using: &generator) }
        var asked = 0
        let largest = sizes.largest(16) { size in
            asked += 1
            return size
        }
        #expect(asked == count)
        #expect(largest == Array(sizes.sorted(by: >).prefix(16)))
    }

    @Test("The largest values are left out one after the other, at most 16", arguments: [0, 5, 16, 17])
    func leftOut(excess: Int) async throws {
        // This many texts are longer than the storage accepts.
        let storage = TextLimitStorage(limit: 500)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        // From now on the pace of appends holds everything up until the flush: the clock stands still.
        try store.keys.setValue("", forKey: "first")
        try await store.flush()
        let keys = (0..<30).map { "text\($0)" }
        for (number, key) in keys.enumerated() {
            let count = number < excess ? 1_000 + number : 1
            try store.keys.setValue(String(repeating: "a", count: count), forKey: key)
        }
        var code: SettingsError.Code?
        do { try await store.flush() } catch { code = (error as? SettingsError)?.code }
        #expect(code == (excess == 0 ? nil : excess <= 16 ? .encodingFailed : .storage))
        // Left-out values are tried again later, with the next append.
        let refused = storage.refused.prefix(excess)
        #expect(refused.map(\.count) == (0..<excess).map { 30 - $0 })
        for (index, batch) in refused.enumerated() { #expect(batch == Set(keys.filter { remains($0, index, excess) })) }
        #expect(storage.taken == (excess > 16 ? ["first"] : Set(keys.dropFirst(excess) + ["first"])))
    }

    @Test("A transaction that is refused is left out as a whole, each time") func wholeTransactions() async throws {
        let storage = TextLimitStorage(limit: 500)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        try store.update {
            try store.keys.setValue(String(repeating: "a", count: 400), forKey: "large")
            try store.keys.setValue(String(repeating: "a", count: 300), forKey: "larger")
            try store.keys.setValue("a", forKey: "small")
        }
        try store.keys.setValue("b", forKey: "other")
        for round in 1...3 {
            let error = await #expect(throws: SettingsError.self) { try await store.flush() }
            #expect(error?.code == .encodingFailed && error?.key == "large")
            #expect(storage.taken == (round == 1 ? ["other"] : ["other", "more"]))
            if round == 1 { try store.keys.setValue("c", forKey: "more") }
        }
        try store.update { try store.keys.setValue("a", forKey: "large") }
        try await store.flush()
        #expect(storage.taken == ["other", "more", "large", "larger", "small"] && store.status == .saved)
    }

    @Test("A commit that is refused is undone as a whole", arguments: [1, 400])
    func wholeCommits(other: Int) async throws {
        let storage = TextLimitStorage(limit: 500)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        try store.keys.setValue(String(repeating: "b", count: other), forKey: "other")
        await #expect(throws: SettingsError.self) {
            try await store.commit {
                try store.keys.setValue(String(repeating: "a", count: 450), forKey: "large")
                try store.keys.setValue(String(repeating: "a", count: 100), forKey: "small")
            }
        }
        #expect((try? store.keys.value(forKey: "large", as: String.self)) == nil)
        #expect((try? store.keys.value(forKey: "small", as: String.self)) == nil)
        try await store.flush()
        #expect(storage.taken == ["other"] && store.status == .saved)
    }

    /// Whether a batch has a key when that many of the largest values are left out.
    private func remains(_ key: String, _ leftOut: Int, _ excess: Int) -> Bool {
        guard let number = Int(key.dropFirst(4)) else { return false }
        return number < excess - leftOut || number >= excess
    }
}

/// Accepts batches up to a total length of text, but does not say so for a single value.
private final class TextLimitStorage: Storage {
    private let limit: Int
    private let state = LockedValue((refused: [Set<String>](), taken: Set<String>()))

    init(limit: Int) {
        self.limit = limit
    }

    /// The keys of each refused batch.
    var refused: [Set<String>] { state.withLock { $0.refused } }
    var taken: Set<String> { state.withLock { $0.taken } }

    func load() throws(StorageError) -> StorageContents { StorageContents(tree: SettingTree(), outcome: .absent) }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        let count = batch.values.values.reduce(0) { count, value in
            if case .string(let text)? = value { count + text.utf8.count } else { count }
        }
        let keys = batch.values.keys.map(\.description)
        guard count <= limit else {
            state.withLock { $0.refused.append(Set(keys)) }
            throw StorageError(.unsupportedValue, "There are more than \(limit) characters.")
        }
        state.withLock { $0.taken.formUnion(keys) }
        return StorageReceipt(position: StoragePosition(0), durability: durability)
    }

    func close() {}
}
