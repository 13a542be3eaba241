import Settle
import SettleTesting
import Testing

@testable import SettleEtcd

/// Who changed what, and back again: stores of one cluster, on different machines.
@Suite(.timeLimit(.minutes(10))) struct FleetHistoryTests {
    struct Login: SettingsGroup {
        @Setting var token = Secret("")
        @Setting var attempts = 3
    }

    struct Guarded: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting var wrongGuesses = 0
    }

    private let fixture = EtcdFixture()

    private func open(_ policy: HistoryPolicy = .keep()) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: fixture.client().storage, configuration: .init(history: policy, clock: fixture.clock))
    }

    private func entries(of store: SettingsStore) async throws -> [HistoryEntry] {
        try await store.history.entries().reduce(into: []) { $0.append($1) }
    }

    /// Commits a count as somebody else, who keeps no history, on a machine that is gone then.
    private func commit(_ count: Int, author: String? = nil) async throws -> ChangeToken {
        let store = try await open(.unchanged)
        let settings = try await store.group(Counter.self)
        try await settings.commit(author: author) { settings.count = count }
        let token = try #require(store.history.token)
        try await store.close()
        return token
    }

    @Test("A store shows what others did") func shownInStore() async throws {
        let tokens = [try await commit(1, author: "carol"), try await commit(2, author: "dave")]
        let store = try await open()
        let found = try await entries(of: store)
        #expect(found.map(\.token) == tokens.reversed())
        #expect(found.map(\.author.name) == ["dave", "carol"])
        #expect(found[0].changes.map(\.description) == ["count: 1 → 2"])
        #expect(found[1].changes.map(\.description) == ["count: nothing → 1"])
        // What a store that keeps a history writes has its program, too.
        let settings = try await store.group(Counter.self)
        try await settings.commit(author: "erin") { settings.count = 3 }
        let second = try await open()
        let newest = try await second.history.entries(limit: 1).first { _ in true }
        #expect(newest?.author.name == "erin" && newest?.author.program != nil && newest?.author.process != nil)
        for store in [store, second] { try await store.close() }
    }

    @Test("Without a policy there is none") func withoutPolicy() async throws {
        let token = try await commit(1)
        let store = try await open(.unchanged)
        await #expect(throws: SettingsError.self) { try await entries(of: store) }
        await #expect(throws: SettingsError.self) { try await store.history.undo(token) }
        try await store.close()
    }

    @Test("What others did is taken back") func undone() async throws {
        _ = try await commit(1, author: "carol")
        let token = try await commit(2, author: "dave")
        let store = try await open()
        let result = try await store.history.undo(token, author: "erin")
        #expect(result.keys == ["count"] && result.conflicts.isEmpty)
        #expect(fixture.cluster.text("/fleet/test/count") == "1")
        // On another machine, it is known that it was taken back, and by whom.
        let second = try await open()
        let newest = try #require(try await entries(of: second).first)
        #expect(newest.token == result.token && newest.undone == token && newest.author.name == "erin")
        let error = await #expect(throws: SettingsError.self) { try await second.history.undo(lastBy: "dave") }
        #expect(error?.code == .notUndoable)
        try await second.history.undo(lastBy: "carol")
        #expect(fixture.cluster.text("/fleet/test/count") == nil)
        // To redo, the undo is undone.
        try await second.history.undo(try #require(result.token), force: true)
        #expect(fixture.cluster.text("/fleet/test/count") == "2")
        for store in [store, second] { try await store.close() }
    }

    @Test("What has changed since is a conflict") func changedSince() async throws {
        let token = try await commit(2, author: "dave")
        _ = try await commit(3, author: "carol")
        let store = try await open()
        let result = try await store.history.undo(token)
        #expect(result.keys.isEmpty && result.token == nil)
        #expect(result.conflicts.map(\.description) == ["count: was 2, is 3 now"])
        #expect(fixture.cluster.text("/fleet/test/count") == "3")
        try await store.history.undo(token, force: true)
        #expect(fixture.cluster.text("/fleet/test/count") == nil)
        try await store.close()
    }

    @Test("An undo finds what is stored while it runs") func storedDuringUndo() async throws {
        let token = try await commit(2, author: "dave")
        let (storage, transport) = fixture.client()
        let store = try await SettingsStore.open(
            storage: storage, configuration: .init(history: .keep(), clock: fixture.clock))
        // Another tool is faster than the first attempt.
        let cluster = fixture.cluster
        let isFirst = LockedValue(true)
        transport.set { request in
            if request.path == EtcdPath.transaction, isFirst.withLock({ $0.exchanged(for: false) }) {
                cluster.put("/fleet/test/count", "9")
            }
            return nil
        }
        let result = try await store.history.undo(token)
        #expect(result.keys.isEmpty && result.conflicts.map { $0.valueNow } == [SettingValue.integer(9)])
        #expect(fixture.cluster.text("/fleet/test/count") == "9")
        try await store.close()
    }

    @Test("Values are those of the revision") func valuesAtRevision() async throws {
        let first = try await commit(1)
        fixture.cluster.put("/fleet/test/other", "\"x\"")
        let second = try await commit(2)
        fixture.cluster.delete("/fleet/test/other")
        let store = try await open()
        #expect(try await store.history.values(at: first) == SettingTree(["count": .integer(1)]))
        #expect(
            try await store.history.values(at: second)
                == SettingTree(["count": .integer(2), "other": .string("x")]))
        fixture.cluster.compact()
        let later = try await open()
        let error = await #expect(throws: SettingsError.self) { try await later.history.values(at: first) }
        #expect(error?.code == .historyUnavailable && error?.description.contains("no longer known") == true)
        for store in [store, later] { try await store.close() }
    }

    /// Whoever declares a setting to be a secret shows none of its values, whoever has written them; etcd has them.
    @Test("Secrets are withheld") func secretsAreWithheld() async throws {
        let writer = try await open(.unchanged)
        let login = try await writer.group(Login.self)
        try await login.commit {
            login.token = Secret("abc")
            login.attempts = 5
        }
        let token = try #require(writer.history.token)
        try await login.commit { login.token = Secret("def") }
        let store = try await open()
        _ = try await store.group(Login.self)
        let found = try await entries(of: store)
        #expect(
            found.map { $0.changes.map(\.description) } == [["token: ••••"], ["attempts: nothing → 5", "token: ••••"]])
        #expect(try await store.history.values(at: token) == SettingTree(["attempts": .integer(5)]))
        let error = await #expect(throws: SettingsError.self) { try await store.history.undo(found[0].token) }
        #expect(error?.code == .notUndoable)
        // A program without the declaration reads what it could read from the cluster, too.
        let stranger = try await open()
        #expect(try await entries(of: stranger)[0].changes.map(\.newValue) == [.string("def")])
        for store in [writer, store, stranger] { try await store.close() }
    }

    /// Also where the program that undoes does not know the group.
    @Test("What is an owner's is not taken back") func ownerOnly() async throws {
        let store = try await open()
        let guarded = try await store.group(Guarded.self)
        try await guarded.commit { guarded.wrongGuesses = 1 }
        let other = try await open()
        let token = try #require(other.history.token)
        let error = await #expect(throws: SettingsError.self) { try await other.history.undo(token) }
        #expect(error?.code == .notUndoable)
        for store in [store, other] { try await store.close() }
    }

    /// A plain write and a commit, each with a name: who has made what is one transaction of etcd.
    @Test("All authors of a transaction are named") func severalAuthors() {
        func transaction(_ name: String?) -> StoredTransaction {
            StoredTransaction(time: 1, author: TransactionAuthor(name: name), origin: .local, mutations: [])
        }
        func authors(_ names: String?...) -> String? {
            StorageBatch(revision: 1, values: [:], transactions: names.map(transaction)).authors
        }
        #expect(authors() == nil && authors(nil) == nil && authors(nil, "carol", "carol") == "carol")
        #expect(authors("carol", "dave") == "carol, dave")
        #expect(
            StorageBatch(revision: 1, values: [:], author: "erin", transactions: [transaction("x")]).authors == "erin")
    }

    @Test("The reason of a change that is taken back is in it") func theReasonOfATakenBackChangeIsInIt() async throws {
        let store = try await open()
        let settings = try await store.group(Counter.self)
        try await settings.commit { settings.count = 1 }
        try await settings.commit(author: "alice", confirmWithin: .seconds(300)) { settings.count = 2 }
        try await store.unconfirmed.revert(author: "bob")
        let second = try await open()
        let found = try await entries(of: second)
        #expect(found[0].author.name == "bob" && found[0].undone == found[1].token && found[0].reason != nil)
        #expect(found[0].reason == (try await entries(of: store))[0].reason)
        for store in [store, second] { try await store.close() }
    }

    /// Plain writes are one transaction of etcd, and one entry.
    @Test("Plain writes that go out together are one entry") func writesTogether() async throws {
        let store = try await open()
        let settings = try await store.group(Counter.self)
        for number in 1...4 { settings.count = number }
        settings.name = "x"
        try await store.flush()
        let found = try await entries(of: store)
        #expect(found.flatMap(\.changes).map(\.key).contains("name"))
        let second = try await open()
        #expect(try await entries(of: second).map(\.token) == found.map(\.token))
        try await second.history.undo(found[0].token)
        for entry in found.dropFirst() { try await second.history.undo(entry.token) }
        #expect(fixture.cluster.text("/fleet/test/count") == nil && fixture.cluster.text("/fleet/test/name") == nil)
        for store in [store, second] { try await store.close() }
    }
}

extension Bool {
    /// Takes another value.
    ///
    /// - Returns: What it was.
    fileprivate mutating func exchanged(for new: Bool) -> Bool {
        defer { self = new }
        return self
    }
}
