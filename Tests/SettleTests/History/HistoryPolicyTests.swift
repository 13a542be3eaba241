import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// How opening says what is kept of the past.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct HistoryPolicyTests {
    @Test("What the file says holds for everybody who opens it, until another policy is given")
    func kept() async throws {
        let home = try HistoryPlace()
        var store = try await home.open(.keep(transactions: 2))
        for number in 1...3 { try await store.commit { try store.keys.setValue(number, forKey: "a") } }
        #expect(try await store.told() == ["a: 2 → 3", "a: 1 → 2"])
        try await store.close()
        store = try await home.open(.unchanged)
        try await store.commit { try store.keys.setValue(4, forKey: "a") }
        #expect(try await store.told() == ["a: 3 → 4", "a: 2 → 3"])
        try await store.close()
        store = try await home.open(.none)
        await #expect(throws: SettingsError.self) { try await store.entries() }
        try await store.close()
        #expect(try home.past.isEmpty)
    }

    @Test("A storage that is given the unchanged policy leaves its history as it is") func unchanged() async throws {
        let home = try HistoryPlace()
        let storage = try #require(home.storage() as? any HistoryStorage)
        _ = try await storage.load()
        try await storage.keepHistory(.keep())
        try await storage.keepHistory(.unchanged)
        #expect(storage.keepsHistory)
        try await storage.keepHistory(.none)
        #expect(!storage.keepsHistory)
        await storage.close()
    }

    @Test("A store that is opened for its history and never written is absent the next time") func unwritten()
        async throws
    {
        let home = try HistoryPlace()
        for _ in 1...2 {
            let store = try await home.open()
            #expect(store.file.loadOutcome == .absent)
            #expect(try await store.entries().isEmpty)
            try await store.close()
        }
    }

    @Test("A storage that refuses the policy does not keep the store from opening") func refused() async throws {
        let base = InMemoryStorage()
        let refusing = RefusingHistory(base: base)
        let store = try await SettingsStore.open(
            storage: refusing, configuration: SettingsStore.Configuration(history: .keep()))
        var issues = store.issues.makeAsyncIterator()
        let issue = await issues.next()
        #expect(issue?.code == .historyUnavailable && issue?.underlying as? StorageError == RefusingHistory.error)
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
    }

    @Test("A storage without a history that is to keep one is reported") func withoutHistory() async throws {
        let configuration = SettingsStore.Configuration(history: .keep())
        let store = try await SettingsStore.open(storage: PlainStorage(), configuration: configuration)
        var issues = store.issues.makeAsyncIterator()
        let issue = await issues.next()
        #expect(issue?.code == .historyUnavailable && issue?.description.contains("HistoryStorage") == true)
        let error = await #expect(throws: SettingsError.self) { try await store.entries() }
        #expect(error?.description == issue?.description)
        let token = ChangeToken(history: 1, position: 1, checksum: 1)
        for code in await [
            #expect(throws: SettingsError.self) { try await store.history.undo(token) }?.code,
            #expect(throws: SettingsError.self) { try await store.history.values(at: token) }?.code,
            #expect(throws: SettingsError.self) { try await store.commit(ifUnchangedSince: token) {} }?.code,
        ] { #expect(code == .historyUnavailable) }
        #expect(try await store.history.forget("a") == 0)
    }

    @Test("Forgetting a key returns how many transactions have changed it", arguments: HistoryPlace.Kind.allCases)
    func forgotten(_ kind: HistoryPlace.Kind) async throws {
        let store = try await HistoryPlace(kind).open()
        for number in 1...2 {
            try await store.commit {
                try store.keys.setValue(number, forKey: "diary.entry")
                try store.keys.setValue(number, forKey: "other")
            }
        }
        try store.keys.setValue(3, forKey: "other")
        #expect(try await store.history.forget("unknown") == 0)
        #expect(try await store.history.forget("diary") == 2)
        #expect(try await store.history.forget("diary.entry") == 0)
        #expect(try await store.told() == ["other: 2 → 3", "other: 1 → 2", "other: nothing → 1"])
        try await store.close()
    }

    @Test("Transactions of a wrong clock do not cut off those before them", arguments: [1, 7, 64, 1_000])
    func wrongClock(page: Int) throws {
        let fixture = try FileStorageFixture()
        let writer = FileStorage(at: fixture.file, calls: fixture.calls, journalLimit: 3_000)
        _ = try writer.load()
        try writer.keepHistory(.keep(transactions: 1_000, for: .days(30)))
        let now = Date().timeIntervalSinceReferenceDate
        for number in 1...60 {
            // More in a row than some pages have.
            let time = (21...50).contains(number) ? -978_307_200 + Double(number) : now - 60
            let mutation = StoredMutation(key: "a", oldValue: nil, newValue: .integer(Int64(number)))
            let transaction = StoredTransaction(
                time: time, author: TransactionAuthor(name: "\(number)"), origin: .local, mutations: [mutation])
            _ = try writer.append(
                StorageBatch(
                    revision: UInt64(number), values: ["a": .integer(Int64(number))], transactions: [transaction]),
                durability: .buffered)
            if number % 8 == 0 {
                // With other bounds, the past is written anew.
                try writer.keepHistory(.keep(transactions: 1_000 + number, for: .days(30)))
                _ = try writer.checkpoint(SettingTree(["a": .integer(Int64(number))]), for: .resting)
            }
        }
        for storage in [writer, FileStorage(at: fixture.file, calls: FaultySystemCalls(), journalLimit: 3_000)] {
            if storage !== writer { _ = try storage.load() }
            var (names, place): ([String?], ChangeToken?) = ([], nil)
            while let last = names.isEmpty || place != nil ? try storage.records(before: place, limit: page) : nil,
                !last.isEmpty
            {
                names += last.flatMap { $0.transactions.reversed() }.map(\.author.name)
                place = last.last?.entries.first?.token
            }
            #expect(names == (1...60).reversed().map { "\($0)" })
        }
    }

    @Test(
        "The bound in bytes decides what is reported, also before older transactions are removed",
        arguments: [1, 7, 1_000])
    func bytes(page: Int) throws {
        let past = try KeptPast()
        let storage = try past.openKeeping(.keep(bytes: 4_000), journalLimit: 1 << 20)
        try past.write((1...60).map { "\($0) " + String(repeating: "x", count: 300) }, at: "a", to: storage)
        var authors: [[String]] = []
        for isRenewed in [false, true] {
            if isRenewed { try past.renewJournal(storage) }
            let other = try past.open()
            for storage in [storage, other] {
                var (found, place): ([StoredRecord], ChangeToken?) = ([], nil)
                while case let records = try storage.records(before: place, limit: page), let last = records.last {
                    found += records
                    place = last.entries.first?.token
                }
                authors.append(found.flatMap(\.transactions).compactMap(\.author.name))
                // Each has 300 bytes before and after.
                #expect((4...6).contains(found.count))
            }
            other.close()
        }
        #expect(authors[0].first == "60" && Set(authors).count == 1)
        try storage.keepHistory(.keep(bytes: 1))
        #expect(try storage.records(before: nil, limit: page).isEmpty)
    }

    @Test("What is older than the bound is left out, up to the first that is not") func age() {
        let policy = HistoryPolicy.keep(for: HistoryPolicy.Age(seconds: 100))
        #expect(policy.firstIndex(in: [], now: 1_000) == 0)
        #expect(policy.firstIndex(in: [100, 899, 900, 950], now: 1_000) == 2)
        #expect(policy.firstIndex(in: [100, 950, 0, 10, 960], now: 1_000) == 1)
        #expect(policy.firstIndex(in: [100, 200], now: 1_000) == 2)
        // Those before them are young enough, or from the future.
        #expect(policy.firstIndex(in: [0, 1], after: 950, now: 1_000) == 0)
        #expect(policy.firstIndex(in: [0, 1], after: 5_000, now: 1_000) == 0)
        #expect(policy.firstIndex(in: [0, 1], after: 500, now: 1_000) == 2)
    }

    @Test("Joining an open store with another policy is refused") func joining() async throws {
        let fixture = try FileStorageFixture()
        let store = try await SettingsStore.open(
            at: fixture.file, configuration: SettingsStore.Configuration(history: .keep(transactions: 5)))
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(at: fixture.file, configuration: SettingsStore.Configuration())
        }
        #expect(error?.code == .alreadyOpen && error?.description.contains("history") == true)
        try await store.close()
    }
}

/// A storage that can't say what is to be kept.
private struct RefusingHistory: StorageWrapper {
    static let error = StorageError(.permissionDenied, "The history can't be kept.")
    let base: any Storage

    func keepHistory(_ policy: HistoryPolicy) async throws(StorageError) { throw Self.error }
}

/// A storage that can nothing but store.
private final class PlainStorage: Storage {
    private let base = InMemoryStorage()

    func load() async throws(StorageError) -> StorageContents {
        var contents = try base.load()
        contents.token = nil
        return contents
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        var receipt = try await base.append(batch, durability: durability)
        receipt.token = nil
        return receipt
    }

    func close() async { base.close() }
}
