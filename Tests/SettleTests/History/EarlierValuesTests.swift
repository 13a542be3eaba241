import Settle
import SettleTesting
import Testing

/// What was stored at places in the history.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct EarlierValuesTests {
    @Test("Each place has the values that were stored there", arguments: HistoryPlace.Kind.allCases)
    func values(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        var expected: [(ChangeToken, SettingTree)] = []
        func record() async throws { expected.append((try store.newest(), try await home.stored())) }
        func commit(_ body: @Sendable () throws -> Void) async throws {
            try await store.commit(body)
            try await record()
        }
        try await commit { [store] in try store.keys.setValue(1, forKey: "a") }
        try await commit { [store] in try store.keys.setValue(2, forKey: "b.c") }
        try await commit { [store] in try store.keys.setValue(.dictionary(["d": .integer(3)]), forKey: "b") }
        try await commit { [store] in try store.keys.removeValue(forKey: "a") }
        try await store.file.flush()
        try home.edit(["b": .string("scalar"), "e": .array([.integer(1)])])
        try await store.commit {}
        try await record()
        try await store.close()
        store = try await home.open()
        try await commit { [store] in try store.keys.setValue(true, forKey: "b.x") }
        try store.keys.setValue("not saved", forKey: "a")
        for (token, tree) in expected { #expect(try await store.history.values(at: token) == tree) }
        try await store.close()
    }

    @Test("Writes of keys within each other are taken back in the right order") func nested() async throws {
        let store = try await HistoryPlace(.memory).open()
        try await store.commit { try store.keys.setValue(.dictionary(["x": .integer(0)]), forKey: "a") }
        let token = try store.newest()
        try await store.commit {
            try store.keys.setValue(.dictionary(["b": .integer(1), "c": .integer(1)]), forKey: "a")
            try store.keys.setValue(2, forKey: "a.b")
        }
        #expect(try await store.history.values(at: token) == SettingTree(["a": .dictionary(["x": .integer(0)])]))
    }

    @Test("Secrets and the record of migrations are left out", arguments: HistoryPlace.Kind.allCases)
    func leftOut(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        try await store.commit {
            try store.keys.setValue("early", forKey: "token")
            try store.keys.setValue(1, forKey: "inner.count")
        }
        let token = try store.newest()
        try await store.close()
        store = try await home.open(migrations: [.rename("inner.count", to: "inner.other")])
        let settings = try await store.group(PartlyHiddenSettings.self)
        try await settings.commit { settings.token = Secret("late") }
        #expect(
            try await store.history.values(at: token) == SettingTree(["inner": .dictionary(["count": .integer(1)])]))
        let now = try await store.history.values(at: try store.newest())
        #expect(now == SettingTree(["inner": .dictionary(["other": .integer(1)])]))
        try await store.close()
    }

    @Test("What is not known is refused with the reason", arguments: HistoryPlace.Kind.allCases)
    func unknown(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        var token = try store.newest()
        token.history ^= 1
        let error = await #expect(throws: SettingsError.self) { try await store.history.values(at: token) }
        #expect(error?.code == .historyUnavailable && error?.description.contains("another history") == true)
        try await store.close()
    }

    @Test("A transaction of which nothing is known bars the way") func unknownChanges() async throws {
        let storage = ForgetfulHistory(base: InMemoryStorage())
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(history: .keep()))
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        let token = try store.newest()
        try await store.commit { try store.keys.setValue(2, forKey: "a") }
        let newest = try store.newest()
        let error = await #expect(throws: SettingsError.self) { try await store.history.values(at: token) }
        #expect(error?.code == .historyUnavailable && error?.description.contains("\(newest)") == true)
        #expect(try await store.history.values(at: newest) == SettingTree(["a": .integer(2)]))
        let undo = await #expect(throws: SettingsError.self) { try await store.history.undo(newest) }
        #expect(undo?.code == .notUndoable)
        let commit = await #expect(throws: SettingsError.self) {
            try await store.commit(ifUnchangedSince: token, keys: ["b"]) {}
        }
        #expect(commit?.code == .conflict && commit?.conflict?.keys == [])
        let entry = try #require(try await store.entries(of: "b").first)
        #expect(!entry.isKnown && entry.changes.isEmpty && entry.description.hasSuffix(": unknown changes"))
    }
}

/// A storage that does not know what its transactions have changed.
private struct ForgetfulHistory: StorageWrapper {
    let base: any Storage

    func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        try await history?.records(after: token, limit: limit)?.map(forgetting)
    }

    func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord] {
        try await history?.records(before: token, limit: limit).map(forgetting) ?? []
    }

    private func forgetting(_ record: StoredRecord) -> StoredRecord {
        var record = record
        for index in record.transactions.indices { record.transactions[index].mutations = nil }
        return record
    }
}
