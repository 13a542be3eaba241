import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Commits beside tools that write keys without Settle, and so move no head.
@Suite(.timeLimit(.minutes(10))) struct ReadSetTests {
    private let fixture = EtcdFixture()

    struct Limits: SettingsGroup {
        @Setting var limit = 1
        @Setting var result = 0
    }

    /// A store that is up to date, and from now on without news.
    private func open() async throws -> (SettingsStore, Limits, FakeTransport) {
        // The tests' time passes fast, and only the commits are to ask for something meanwhile.
        let (storage, transport) = fixture.client {
            $0.audit = .seconds(1_000_000_000)
            $0.silence = .seconds(1_000_000_000)
        }
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Limits.self)
        try await store.commit {
            settings.limit = 2
            try store.keys.setValue(1, forKey: "dictionary.inner")
        }
        try await fixture.whileDeadlinesPass {
            try await eventually("the storage has a stream") { transport.state.withLock { !$0.streams.isEmpty } }
        }
        transport.holdStreams()
        return (store, settings, transport)
    }

    @Test("A write that a commit has read is noticed") func readWrite() async throws {
        let ways: [(SettingsStore, Limits) throws -> Int] = [
            { _, settings in settings.limit },
            { _, settings in settings.$limit.domains.stored ?? 0 },
            { store, _ in try store.keys.value(forKey: "limit", as: Int.self) ?? 0 },
            { store, _ in
                guard case .integer(let value)? = store.keys.effectiveValues["limit"] else { return 0 }
                return Int(value)
            },
        ]
        for (number, way) in ways.enumerated() {
            let (store, settings, transport) = try await open()
            fixture.cluster.put("/fleet/test/limit", "\(10 + number)")
            try await fixture.whileDeadlinesPass {
                try await store.commit { settings.result = try way(store, settings) }
            }
            #expect(fixture.cluster.text("/fleet/test/result") == "\(10 + number)")
            transport.releaseStreams()
            try await fixture.whileDeadlinesPass { try await store.close() }
        }
    }

    @Test("A removal that a commit has read is noticed") func readRemoval() async throws {
        let (store, settings, transport) = try await open()
        fixture.cluster.delete("/fleet/test/limit")
        try await fixture.whileDeadlinesPass { try await store.commit { settings.result = settings.limit } }
        #expect(fixture.cluster.text("/fleet/test/result") == "1")
        transport.releaseStreams()
        try await fixture.whileDeadlinesPass { try await store.close() }
    }

    @Test(
        "What is stored around or within a key is noticed",
        arguments: ["dictionary", "dictionary.inner", "dictionary.new"])
    func storedAroundOrWithin(_ key: String) async throws {
        let (store, settings, transport) = try await open()
        fixture.cluster.put("/fleet/test/\(key)", key == "dictionary" ? "{\"more\":1}" : "7")
        try await fixture.whileDeadlinesPass {
            try await store.commit {
                guard case .dictionary(let entries)? = store.keys["dictionary"] else { return }
                settings.result = entries.count + (entries["inner"] == .integer(7) ? 10 : 0)
            }
        }
        #expect(fixture.cluster.text("/fleet/test/result") == (key == "dictionary.inner" ? "11" : "2"))
        transport.releaseStreams()
        try await fixture.whileDeadlinesPass { try await store.close() }
    }

    @Test("A commit that only reads asks for what it has read") func onlyReads() async throws {
        let (store, settings, transport) = try await open()
        fixture.cluster.put("/fleet/test/limit", "9")
        #expect(try await fixture.whileDeadlinesPass { try await store.commit { settings.limit } } == 9)
        transport.releaseStreams()
        try await fixture.whileDeadlinesPass { try await store.close() }
    }

    /// What such a commit compares is in `BatchPlanTests`.
    @Test("What a commit has not read comes into force too") func notRead() async throws {
        let (store, settings, transport) = try await open()
        fixture.cluster.put("/fleet/test/else", "5")
        try await fixture.whileDeadlinesPass {
            for number in 1...5 { try await store.commit { settings.result = settings.limit + number } }
        }
        #expect(fixture.cluster.text("/fleet/test/result") == "7")
        transport.releaseStreams()
        try await fixture.whileDeadlinesPass {
            try await eventually("the other key's value is in force") {
                try store.keys.value(forKey: "else", as: Int.self) == 5
            }
        }
        try await fixture.whileDeadlinesPass { try await store.close() }
    }

    @Test("A follower of the history gets what was stored unnoticed before a commit")
    func followedUnnoticed() async throws {
        let (store, settings, transport) = try await open()
        let token = try #require(store.history.token)
        fixture.cluster.put("/fleet/test/else", "5")
        try await fixture.whileDeadlinesPass { try await store.commit { settings.result = settings.limit } }
        transport.releaseStreams()
        let keys = try await fixture.whileDeadlinesPass {
            var keys: [[String]] = []
            for await change in store.history.changes(after: token) {
                keys.append(change.mutations.map(\.key))
                if keys.count == 2 { break }
            }
            return keys
        }
        #expect(keys == [["else"], ["result"]])
        try await fixture.whileDeadlinesPass { try await store.close() }
    }

    @Test("An inherited write is not contested by own transactions") func inheritedWrite() async throws {
        let copy = InMemoryStorage()
        let (storage, transport) = fixture.client(localCopy: InMemoryStorage(sharing: copy))
        _ = try await storage.load()
        // Without a stream, what a tool has stored stays unnoticed.
        fixture.cluster.put("/fleet/test/else", "5")
        for (number, key) in ["a", "b"].enumerated() {
            let batch = StorageBatch(revision: UInt64(number + 1), values: [SettingKey(name: key): .integer(1)])
            try await storage.append(batch, durability: .synced)
        }
        transport.setAll(.refused)
        await #expect(throws: StorageError.self) {
            try await storage.append(StorageBatch(revision: 3, values: ["a": .integer(2)]), durability: .synced)
        }
        await storage.close()
        // The next process inherits the write.
        let (next, _) = fixture.client(localCopy: InMemoryStorage(sharing: copy))
        _ = try await next.load()
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        #expect(await next.lostTransactions().isEmpty)
        #expect(await next.pendingTransactionCount() == 0)
        await next.close()
    }

    @Test("A write over what a tool has stored unnoticed is given up when it is inherited")
    func inheritedWriteOverUnnoticed() async throws {
        let copy = InMemoryStorage()
        let (storage, transport) = fixture.client(localCopy: InMemoryStorage(sharing: copy))
        _ = try await storage.load()
        fixture.cluster.put("/fleet/test/a", "5")
        try await storage.append(StorageBatch(revision: 1, values: ["b": .integer(1)]), durability: .synced)
        transport.setAll(.refused)
        await #expect(throws: StorageError.self) {
            try await storage.append(StorageBatch(revision: 2, values: ["a": .integer(2)]), durability: .synced)
        }
        await storage.close()
        let (next, _) = fixture.client(localCopy: InMemoryStorage(sharing: copy))
        _ = try await next.load()
        #expect(fixture.cluster.text("/fleet/test/a") == "5")
        #expect(await next.lostTransactions().map(\.values) == [["a": .integer(2)]])
        await next.close()
    }
}
