import Foundation
import Settle
import SettleTesting
import Testing

/// The old values of a history are those that were stored, whoever else wrote.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct OldValuesTests {
    @Test("A batch that was made before another process has stored its keys is told over what that has left")
    func overtaken() async throws {
        let fixture = try FileStorageFixture()
        let (first, second) = (try fixture.opened(), try fixture.opened())
        try first.keepHistory(.keep())
        let now = Date().timeIntervalSinceReferenceDate
        func store(_ value: Int64?, over old: Int64?, earlier: [Int64] = [], in storage: FileStorage) throws {
            let values = (earlier.map { $0 } + [value]).map { $0.map(SettingValue.integer) }
            var batch = StorageBatch(
                revision: 1, values: ["k": values.last ?? nil],
                expectedValues: old.map { ["k": .integer($0)] } ?? [:],
                transactionCount: UInt64(values.count))
            var before = old.map(SettingValue.integer)
            for value in values {
                let mutation = StoredMutation(key: "k", oldValue: before, newValue: value)
                batch.transactions.append(
                    StoredTransaction(time: now, author: TransactionAuthor(), origin: .local, mutations: [mutation]))
                before = value
            }
            _ = try storage.append(batch, durability: .synced)
        }
        try store(8, over: nil, in: first)
        _ = try second.externalChanges()
        try store(40, over: 8, in: first)
        try store(9, over: 8, in: second)
        // Two transactions of one batch, of which the first has stored what is there already.
        try store(7, over: 40, earlier: [9], in: first)
        try store(nil, over: 9, in: second)
        _ = try first.externalChanges()
        let told = try first.records(before: nil, limit: 9).flatMap { $0.transactions.reversed() }
            .map { ($0.mutations ?? []).map { HistoryChange($0).description } }
        #expect(told == [["k: 7 → nothing"], ["k: 9 → 7"], [], ["k: 40 → 9"], ["k: 8 → 40"], ["k: nothing → 8"]])
        // Undoing the batch puts back what it has really replaced.
        let store = try await SettingsStore.open(storage: fixture.storage(), configuration: .init(clock: ManualClock()))
        let entries = try await store.entries()
        func token(of change: String) throws -> ChangeToken {
            try #require(entries.first { $0.changes.map(\.description) == [change] }).token
        }
        #expect(try await store.history.values(at: token(of: "k: 8 → 40"))["k"] == .integer(40))
        try await store.history.undo(token(of: "k: 40 → 9"), force: true)
        #expect(store.keys["k"] == .integer(40))
        try await store.close()
        #expect(try fixture.freshLoad().tree["k"] == .integer(40))
    }

    @Test(
        "What a store has removed without knowing that it was there is in the past, too",
        arguments: HistoryPlace.Kind.allCases)
    func unknownRemoval(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (one, other) = (home.storage(), home.storage())
        for storage in [one, other] { _ = try await storage.load() }
        let history = try #require(other as? any HistoryStorage)
        try await history.keepHistory(.keep())
        let inner = SettingValue.dictionary(["p": .integer(7)])
        func append(
            _ key: SettingKey, _ value: SettingValue?, _ mutations: [StoredMutation], to storage: any Storage
        ) async throws {
            let list = [[], mutations].map {
                StoredTransaction(
                    time: Date().timeIntervalSinceReferenceDate, author: TransactionAuthor(), origin: .local,
                    mutations: $0)
            }
            _ = try await storage.append(
                StorageBatch(revision: 1, values: [key: value], transactionCount: 2, transactions: list),
                durability: .synced)
        }
        try await append("t", inner, [StoredMutation(key: "t", oldValue: nil, newValue: inner)], to: one)
        // It took the key for missing, so none of its transactions says anything.
        try await append("t", nil, [], to: other)
        let told = try await history.records(before: nil, limit: 9).flatMap(\.transactions).map { $0.mutations ?? [] }
        #expect(told.contains([StoredMutation(key: "t", oldValue: inner, newValue: nil)]))
        for storage in [one, other] { await storage.close() }
    }

    @Test("Each transaction begins with what the one before has left", arguments: HistoryPlace.Kind.allCases, 1...4)
    func chain(_ kind: HistoryPlace.Kind, seed: UInt64) async throws {
        let home = try HistoryPlace(kind)
        let stores = [try await home.open(), try await home.open()]
        var random = SeededGenerator(seed: seed)
        for number in 1...60 {
            let key = ["k", "g.a", "g.b"].randomElement(using: &random) ?? "k"
            let store = stores[Int.random(in: 0...1, using: &random)]
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try store.keys.removeValue(forKey: key)
            case 1:
                try store.update {
                    try store.keys.setValue(number, forKey: key)
                    try store.keys.setValue(number, forKey: "k")
                }
            case 2, 3: try store.keys.setValue(number, forKey: key)
            case 4: try await store.flush()
            case 5: try await store.commit { try store.keys.setValue(number, forKey: key) }
            default:
                // Both at once.
                async let first: Void = stores[0].commit { try stores[0].keys.setValue(-number, forKey: key) }
                try stores[1].keys.setValue(number, forKey: key)
                try await stores[1].flush()
                try await first
            }
        }
        for store in stores { try await store.flush() }
        let stored = try await home.stored()
        for store in stores {
            var tree = SettingTree()
            let entries = try await store.entries()
            for entry in entries.reversed() {
                for change in entry.changes {
                    #expect(tree[SettingKey(stored: change.key)] == change.oldValue, "seed \(seed): \(entry)")
                    tree[SettingKey(stored: change.key)] = change.newValue
                }
            }
            #expect(tree == stored, "seed \(seed)")
        }
        for store in stores { try await store.close() }
    }
}
