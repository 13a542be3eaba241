import Settle
import SettleTesting
import Testing

/// How opening says what is kept of the past.
@Suite(.timeLimit(.minutes(10))) struct HistoryPolicyTests {
    @Test("What the file says holds for everybody who opens it, until another policy is given")
    func kept() async throws {
        let home = try HistoryPlace()
        var store = try await home.open(.keep(transactions: 2))
        for number in 1...3 { try await store.commit { try store.setValue(number, forKey: "a") } }
        #expect(try await store.told() == ["a: 2 → 3", "a: 1 → 2"])
        try await store.close()
        store = try await home.open(nil)
        try await store.commit { try store.setValue(4, forKey: "a") }
        #expect(try await store.told() == ["a: 3 → 4", "a: 2 → 3"])
        try await store.close()
        store = try await home.open(HistoryPolicy.none)
        await #expect(throws: SettingsError.self) { try await store.entries() }
        try await store.close()
        #expect(try !home.names.contains(".settings.json.history"))
    }

    @Test("A store that is opened for its history and never written is absent the next time") func unwritten()
        async throws
    {
        let home = try HistoryPlace()
        for _ in 1...2 {
            let store = try await home.open()
            #expect(store.loadOutcome == .absent)
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
        try await store.commit { try store.setValue(1, forKey: "a") }
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
            #expect(throws: SettingsError.self) { try await store.undo(token) }?.code,
            #expect(throws: SettingsError.self) { try await store.values(at: token) }?.code,
            #expect(throws: SettingsError.self) { try await store.commit(ifUnchangedSince: token) {} }?.code,
        ] { #expect(code == .historyUnavailable) }
        try await store.forgetHistory(of: "a")
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
