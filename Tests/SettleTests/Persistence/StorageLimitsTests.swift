import Settle
import SettleTesting
import Testing

/// What the store makes of a storage that takes only so much at once.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StorageLimitsTests {
    private let memory = InMemoryStorage(SettingTree(["count": .integer(10)]))

    @Test("A transaction with more keys than the storage takes at once is undone and throws") func tooManyKeys()
        async throws
    {
        let storage = NarrowRemoteStorage(memory, StorageLimits(keys: 2))
        let (store, settings) = try await CounterSettings.open(on: storage)
        let error = #expect(throws: SettingsError.self) {
            try settings.update {
                settings.count = 1
                settings.other = 1
                settings.name = "one"
            }
        }
        #expect(error?.code == .tooManyKeys && settings.count == 10 && settings.other == 0)
        await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.count = 1
                settings.other = 1
                settings.name = "one"
            }
        }
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(10)])
    }

    @Test("A reset of more stored settings than the storage takes at once is refused, and one of fewer is not")
    func reset() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(keys: 2))
        let (store, settings) = try await CounterSettings.open(on: storage)
        settings.other = 1
        try store.reset()
        try await store.flush()
        #expect(memory.tree.root.isEmpty && settings.count == 0)
        settings.count = 1
        settings.other = 1
        settings.name = "one"
        let error = #expect(throws: SettingsError.self) { try settings.reset() }
        #expect(error?.code == .tooManyKeys && settings.count == 1)
        try await store.close()
        #expect(memory.tree.root.count == 3)
    }

    @Test("What waits to be saved is stored in parts that the storage takes, each transaction in one of them")
    func parts() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(keys: 3))
        let (store, _) = try await CounterSettings.open(on: storage)
        for number in 0..<10 {
            try store.update {
                try store.keys.setValue(number, forKey: "a\(number)")
                try store.keys.setValue(number, forKey: "b\(number)")
            }
        }
        try store.keys.setValue(1, forKey: "single")
        try await store.flush()
        #expect(storage.batches.allSatisfy { $0.count <= 3 } && storage.batches.flatMap { $0 }.count == 21)
        for number in 0..<10 {
            let parts = storage.batches.filter { $0.contains(.path("a\(number)")) || $0.contains(.path("b\(number)")) }
            #expect(parts.count == 1, "\(number)")
        }
        #expect(memory.tree.root.count == 22 && store.status == .saved)
    }

    @Test("What others store over a part that was stored counts, also while the rest can't be")
    func partsUnderOthers() async throws {
        let narrow = NarrowRemoteStorage(memory, StorageLimits(keys: 1))
        let storage = FailingStorage(narrow)
        let (store, settings) = try await CounterSettings.open(on: storage)
        storage.fail(.append, with: StorageError(.noSpace, "There is no room."), skipping: 1)
        settings.count = 1
        settings.other = 1
        await #expect(throws: SettingsError.self) { try await store.flush() }
        let stored = try #require(narrow.batches.last?.first)
        memory.simulateExternalChange([stored: .integer(7)])
        storage.heal()
        try await store.flush()
        #expect([settings.count, settings.other].sorted() == [1, 7])
        #expect(memory.tree[stored] == .integer(7))
    }

    @Test("A value larger than a batch may be is refused, and keeps no other one from being saved")
    func tooLarge() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(bytes: 1_000))
        let (store, settings) = try await CounterSettings.open(on: storage)
        settings.name = String(repeating: "x", count: 2_000)
        settings.other = 1
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .encodingFailed && error?.key == "name" && error?.description.contains("1000") == true)
        #expect(memory.tree["other"] == .integer(1))
        let committing = await #expect(throws: SettingsError.self) {
            try await settings.commit { settings.name = String(repeating: "y", count: 3_000) }
        }
        #expect(committing?.code == .encodingFailed && committing?.key == "name" && settings.name.count == 2_000)
        let reason = error?.description.replacing("2016", with: "3016") ?? "?"
        #expect(committing?.description == "The commit was undone, and nothing was stored: \(reason)")
    }

    @Test("What a later transaction has built on an earlier one is not stored without it") func inOrder() async throws {
        let narrow = NarrowRemoteStorage(memory, StorageLimits(keys: 2))
        let (store, settings) = try await CounterSettings.open(on: narrow)
        settings.other = 1
        settings.name = "second"
        settings.count = 3
        settings.list = [4]
        try await store.flush()
        let batches = narrow.batches
        let places = ["other", "name", "count", "list"].map { key in batches.firstIndex { $0.contains(key) } ?? -1 }
        #expect(places == places.sorted() && places.first == 0 && batches.allSatisfy { $0.count <= 2 })
        try await store.close()
    }

    @Test("A transaction with more bytes than the storage takes at once is undone and throws, although each value fits")
    func tooManyBytes() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(bytes: 1_000))
        let (store, settings) = try await CounterSettings.open(on: storage)
        let text = String(repeating: "x", count: 600)
        func write() throws {
            settings.name = text
            try store.keys.setValue(text, forKey: "text")
        }
        let error = #expect(throws: SettingsError.self) { try settings.update { try write() } }
        #expect(error?.code == .tooManyBytes && error?.description.contains("1000") == true)
        let committing = await #expect(throws: SettingsError.self) { try await settings.commit { try write() } }
        #expect(committing?.code == .tooManyBytes && settings.name == CounterSettings().name)
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(10)])
        // One after the other they are no transaction.
        try write()
        try await store.flush()
        #expect(memory.tree.root.count == 3 && store.status == .saved)
    }

    @Test("Transactions that overlap and are too much together are stored one after the other, none in parts")
    func overlappingTransactions() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(keys: 4))
        let (store, _) = try await CounterSettings.open(on: storage)
        for (number, range) in [0...2, 2...4, 4...6, 1...1].enumerated() {
            try store.update { for key in range { try store.keys.setValue(number, forKey: "key\(key)") } }
        }
        try store.update { for key in [6, 7] { try store.keys.setValue(9, forKey: "key\(key)") } }
        try await store.flush()
        #expect(storage.values.allSatisfy { $0.count <= 4 } && store.status == .saved)
        let places = (0...2).map { number in
            storage.values.firstIndex { batch in
                (number * 2...number * 2 + 2).allSatisfy { batch[.path("key\($0)")] != nil }
            }
        }
        let found = places.compactMap(\.self)
        #expect(found.count == 3 && found == found.sorted())
        #expect(storage.values.first?[.path("key2")] == .integer(0))
        let stored = (0...7).map { memory.tree[.path("key\($0)")] }
        #expect(stored == [0, 3, 1, 1, 2, 2, 9, 9].map { SettingValue.integer($0) })
    }
}

/// A storage in memory with limits, which it enforces.
private final class NarrowRemoteStorage: StorageWrapper {
    let base: any Storage
    let limits: StorageLimits
    private let appended = LockedValue<[[SettingKey: SettingValue?]]>([])

    /// The values of each batch with values.
    var values: [[SettingKey: SettingValue?]] { appended.withLock { $0 } }
    /// Their keys.
    var batches: [Set<SettingKey>] { values.map { Set($0.keys) } }

    init(_ base: InMemoryStorage, _ limits: StorageLimits) {
        self.base = base
        self.limits = limits
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        if let keys = limits.keys, batch.values.count > keys {
            throw StorageError(.writeFailed, "There are \(batch.values.count) keys.")
        }
        if !batch.values.isEmpty { appended.withLock { $0.append(batch.values) } }
        return try await base.append(batch, durability: durability)
    }
}
