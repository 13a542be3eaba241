import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What must not be found in the history.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SecretHistoryTests {
    private static let history = JournalParts.past
    private static let journal = ".settings.json.journal"

    /// Fills the journal, so that it is begun anew and its records move to the kept past.
    private func renewJournal(_ store: SettingsStore) async throws {
        for number in 1...30 {
            let text = "\(number)" + String(repeating: "x", count: 3_000)
            try await store.commit { try store.keys.setValue(text, forKey: "filler") }
        }
        try await store.file.flush()
    }

    @Test("A secret is told without its values, and none is kept in the history", arguments: HistoryPlace.Kind.allCases)
    func secrets(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        var settings = try await store.group(PartlyHiddenSettings.self)
        for text in ["hush-1", "hush-2"] {
            try await settings.commit {
                (settings.token, settings.inner.count) = (Secret(text), settings.inner.count + 1)
            }
        }
        #expect(
            try await store.told() == [
                "inner.count: 1 → 2, token: ••••", "inner.count: nothing → 1, token: ••••",
            ])
        let change = try #require(try await store.entries(of: "token", limit: 1).first?.changes.first)
        #expect(change.isSecret && change.oldValue == nil && change.newValue == nil)
        if kind == .file {
            try await renewJournal(store)
            #expect(try home.files(with: "xxx").contains(Self.history))
            // The values that are stored.
            #expect(try !home.files(with: "hush").contains(Self.history))
            #expect(try !home.files(with: "hush-1").contains(Self.journal))
        }
        // Without the group, too: the history never had them.
        try await store.close()
        store = try await home.open()
        #expect(try await store.entries(of: "token").allSatisfy { $0.changes.allSatisfy(\.isSecret) })
        settings = try await store.group(PartlyHiddenSettings.self)
        #expect(settings.token?.revealed == "hush-2")
        try await store.close()
    }

    @Test(
        "A process that has not declared a secret is not told it, in any way", arguments: HistoryPlace.Kind.allCases)
    func undeclared(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (store, other) = (try await home.open(), try await home.open())
        try await store.commit { try store.keys.setValue(1, forKey: "plain") }
        let first = try store.newest()
        var early = other.history.changes(after: first).makeAsyncIterator()
        // Nobody knows yet that it is one.
        try await store.commit { try store.keys.setValue("hush-0", forKey: "token") }
        #expect(await early.next()?.mutations.map(\.key) == ["token"])
        let settings = try await store.group(PartlyHiddenSettings.self)
        for number in 1...2 { try await settings.commit { settings.token = Secret("hush-\(number)") } }
        let newest = try store.newest()
        for token in [first, newest] {
            let values = try await other.history.values(at: token)
            #expect(values["token"] == nil && values["plain"] == .integer(1))
        }
        for token in [nil, ChangeToken(history: 1, position: 1, checksum: 1)] {
            var snapshots = other.history.changes(after: token).makeAsyncIterator()
            let snapshot = try #require(await snapshots.next()?.snapshot)
            #expect(snapshot["token"] == nil && snapshot["plain"] == .integer(1))
        }
        // A follower that comes back, while what another one was told before is still in memory.
        var late = other.history.changes(after: first).makeAsyncIterator()
        for _ in 0..<3 {
            let change = try #require(await late.next())
            #expect(!"\(change)".contains("hush") && change.mutations.allSatisfy(\.isSecret))
        }
        #expect(try await other.entries(of: "token").allSatisfy { $0.changes.allSatisfy(\.isSecret) })
        try await other.close()
        // After a restart, too.
        let reader = try await home.open(.unchanged)
        #expect(try await reader.history.values(at: newest)["token"] == nil)
        try await reader.close()
        try await store.close()
    }

    @Test(
        "Values of a key that turns out to be a secret are removed from the past", arguments: HistoryPlace.Kind.allCases
    )
    func declaredLater(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        for text in ["hush-1", "hush-2"] { try await store.commit { try store.keys.setValue(text, forKey: "token") } }
        if kind == .file {
            try await renewJournal(store)
            #expect(try home.files(with: "hush-1").contains(Self.history))
        }
        _ = try await store.group(PartlyHiddenSettings.self)
        #expect(try await store.entries(of: "token").allSatisfy { $0.changes.allSatisfy(\.isSecret) })
        if kind == .file {
            try await store.flush()
            #expect(try !home.files(with: "hush").contains(Self.history))
            #expect(try !home.files(with: "hush-1").contains(Self.journal))
        }
        try await store.close()
    }

    @Test("A forgotten key is gone from the past, with what was not saved yet", arguments: HistoryPlace.Kind.allCases)
    func forgetting(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        try await store.commit {
            try store.keys.setValue("embarrassing-1", forKey: "diary.page")
            try store.keys.setValue(1, forKey: "count")
        }
        let token = try store.newest()
        if kind == .file { try await renewJournal(store) }
        try await store.commit { try store.keys.setValue("embarrassing-2", forKey: "diary.page") }
        try store.keys.setValue("plain", forKey: "diary.page")
        try await store.history.forget("diary")
        #expect(try await store.entries(of: "diary").isEmpty)
        #expect(try await store.entries().contains { $0.changes.map(\.key) == ["count"] })
        #expect(try await home.stored()["diary.page"] == .string("plain"))
        if kind == .file {
            let found = try home.files(with: "embarrassing").filter { $0 != ".settings.json.previous" }
            #expect(found == [])
        }
        // The others are told as before, and undone.
        #expect(try await store.history.undo(token).keys == ["count"])
        try await store.commit { try store.keys.setValue("new", forKey: "diary.page") }
        #expect(try await store.told(of: "diary") == ["diary.page: \"plain\" → \"new\""])
        try await store.close()
    }

    @Test(
        "A follower that comes back is not told what has been forgotten, whoever follows",
        arguments: HistoryPlace.Kind.allCases)
    func forgottenForFollowers(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        try await store.commit { try store.keys.setValue(0, forKey: "count") }
        let token = try store.newest()
        var follower = store.history.changes(after: token).makeAsyncIterator()
        try await store.commit { try store.keys.setValue("embarrassing", forKey: "diary") }
        #expect(await follower.next()?.mutations.map(\.key) == ["diary"])
        try await store.history.forget("diary")
        try await store.commit { try store.keys.setValue(1, forKey: "count") }
        #expect(await follower.next()?.mutations.map(\.key) == ["count"])
        var other = store.history.changes(after: token).makeAsyncIterator()
        let next = try #require(await other.next())
        #expect(next.missed.count == 0 && next.mutations.map(\.key) == ["count"])
        try await store.close()
    }

    @Test("Erasing earlier values ends the past, and a new one begins") func erasing() async throws {
        let home = try HistoryPlace()
        let store = try await home.open()
        try await store.commit { try store.keys.setValue("embarrassing", forKey: "diary") }
        let token = try store.newest()
        try await renewJournal(store)
        try await store.commit { try store.keys.setValue("plain", forKey: "diary") }
        try await store.file.eraseEarlierValues()
        #expect(try home.files(with: "embarrassing") == [])
        #expect(try await store.entries().isEmpty)
        let error = await #expect(throws: SettingsError.self) { try await store.history.undo(token) }
        #expect(error?.code == .historyUnavailable)
        try await store.commit { try store.keys.setValue("new", forKey: "diary") }
        #expect(try await store.told() == ["diary: \"plain\" → \"new\""])
        try await store.close()
    }

    @Test("A storage that can't be told of a secret does not list its values all the same") func untold() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.keepHistory(.keep())
        fixture.calls.fail(every: .write, with: .noSpace)
        #expect(throws: StorageError.self) { try storage.withhold(["token"]) }
        fixture.calls.heal()
        var batch = batch(1, ["token": .string("hush"), "plain": .integer(1)])
        batch.transactions = [
            StoredTransaction(
                time: 0, author: TransactionAuthor(), origin: .local,
                mutations: [
                    StoredMutation(key: "plain", oldValue: nil, newValue: .integer(1)),
                    StoredMutation(key: "token", oldValue: nil, newValue: .string("hush")),
                ])
        ]
        let place = try #require(storage.token)
        try storage.append(batch, durability: .synced)
        let mutations = try storage.records(after: place, limit: 1)?.first?.transactions.first?.mutations
        #expect(mutations?.last == StoredMutation(withheldAt: "token") && mutations?.count == 2)
    }

    @Test("What the storage has not removed yet is not told, nor put back") func notRemoved() async throws {
        let storage = ForgetlessHistory(base: InMemoryStorage())
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(history: .keep()))
        try await store.commit { try store.keys.setValue("hush-1", forKey: "token") }
        let early = try store.newest()
        try await store.commit { try store.keys.setValue("hush-2", forKey: "token") }
        let token = try store.newest()
        #expect(try await store.history.values(at: early)["token"] == .string("hush-1"))
        _ = try await store.group(PartlyHiddenSettings.self)
        #expect(try await store.told() == ["token: ••••", "token: ••••"])
        #expect(try await store.history.values(at: early) == SettingTree())
        let error = await #expect(throws: SettingsError.self) { try await store.history.undo(token) }
        #expect(error?.code == .notUndoable && error?.description.contains("hush") == false)
    }
}

/// A storage that does not remove anything from its history.
private struct ForgetlessHistory: StorageWrapper {
    let base: any Storage

    func withhold(_ keys: [SettingKey]) async throws(StorageError) {}
}
