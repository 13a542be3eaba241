import FoundationEssentials
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Stores of programs that are older than what they have stored.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RefusingStoreTests {
    struct Group: SettingsGroup {
        @Setting var name = "default"
        @Setting(in: 0...9) var count = 1
        @Setting var list: [Int] = []
    }

    struct LateGroup: SettingsGroup {
        @Setting var size = 2
    }

    /// When the store meets the migration.
    enum Moment: CaseIterable {
        case opening, later
    }

    private static let list = [SettingsMigration("from version 1") { $0["count"] = .integer(3) }]

    private static let stored = SettingTree(["name": .string("a"), "count": .integer(2), "late.size": .integer(5)])

    private func shared(_ storage: InMemoryStorage) -> InMemoryStorage { InMemoryStorage(sharing: storage) }

    /// An older program's store on a storage that a newer one has migrated.
    private func open(_ moment: Moment, _ storage: InMemoryStorage) async throws -> (SettingsStore, Group) {
        let migrate = { try await SettingsStore.open(storage: self.shared(storage), migrations: Self.list).close() }
        if moment == .opening { try await migrate() }
        let store = try await SettingsStore.open(
            storage: shared(storage), searching: [.overrides, .application, .registration],
            configuration: .init(clock: ManualClock()), migrations: [])
        let group = try await store.group(Group.self)
        let changes = ChangeRecorder(store.changes)
        if moment == .later {
            try await migrate()
            #expect(await changes.until { !$0.isEmpty }.first?.origin == .migration)
        }
        return (store, group)
    }

    /// Stores a transaction with a history.
    private func undoable(in storage: InMemoryStorage) async throws -> ChangeToken {
        let store = try await SettingsStore.open(
            storage: shared(storage), configuration: .init(history: .keep(), clock: ManualClock()))
        try await store.commit { try store.keys.setValue(1, forKey: "undoable") }
        try await store.close()
        return try #require(store.history.token)
    }

    private func expectRefused(
        _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ write: () async throws -> Void
    ) async {
        let error = await #expect(throws: SettingsError.self, comment, sourceLocation: sourceLocation) {
            try await write()
        }
        let code = (error?.underlying as? StorageError)?.code
        #expect(code == .migrated, "\(comment): \(String(describing: error))", sourceLocation: sourceLocation)
    }

    @Test("Whatever can throw refuses to write, and leaves all values", arguments: Moment.allCases)
    func writes(moment: Moment) async throws {
        let storage = InMemoryStorage(Self.stored)
        let token = try await undoable(in: storage)
        let (store, group) = try await open(moment, storage)
        let before = store.keys.effectiveValues
        await expectRefused("set") { try group.$name.set("x") }
        await expectRefused("reset") { try group.$name.reset() }
        await expectRefused("update") { try group.update { group.name = "x" } }
        await expectRefused("an update of the store") { try store.update { group.name = "x" } }
        await expectRefused("commit") { try await group.commit { group.name = "x" } }
        await expectRefused("a commit on an actor") { try await Self.commit(group) }
        await expectRefused("a key") { try store.keys.setValue("x", forKey: "name") }
        await expectRefused("an undeclared key") { try store.keys.setValue("x", forKey: "other") }
        await expectRefused("removing a key") { try store.keys.removeValue(forKey: "name") }
        await expectRefused("removing all at a path") { try store.keys.removeAll(at: "late") }
        await expectRefused("undo") { try await store.history.undo(token) }
        let newest = try #require(store.history.token)
        await expectRefused("a commit with a condition") {
            try await store.commit(ifUnchangedSince: newest) { group.name = "x" }
        }
        await expectRefused("a commit that is to be confirmed") {
            try await store.commit(confirmWithin: .seconds(300)) { group.name = "x" }
        }
        await expectRefused("resetting all") { try store.reset() }
        await expectRefused("import") { try store.file.import(Data(#"{"name": "x"}"#.utf8)) }
        await expectRefused("a draft") {
            let draft = group.draft()
            draft.name = "x"
            try draft.apply()
        }
        #expect(store.keys.effectiveValues == before && group.name == "a" && group.count == 3)
        let migrated = storage.tree
        try await store.flush()
        try await store.close()
        #expect(storage.tree == migrated)
    }

    @MainActor private static func commit(_ group: Group) async throws {
        try await group.commit { group.name = "x" }
    }

    @Test("What can't throw leaves the value and an issue", arguments: Moment.allCases)
    func assignments(moment: Moment) async throws {
        let storage = InMemoryStorage(Self.stored)
        let (store, group) = try await open(moment, storage)
        let writes: [() -> Void] = [
            { group.name = "x" }, { group.count += 1 }, { group.list.append(1) }, { group.name += "x" },
        ]
        for write in writes {
            let issues = ChangeRecorder(store.issues)
            let count = await issues.until { !$0.isEmpty }.count
            write()
            let last = await issues.until { $0.count > count }.last
            #expect((last?.underlying as? StorageError)?.code == .migrated)
            #expect(group.name == "a" && group.count == 3 && group.list == [])
        }
        // Nobody may have followed the issues.
        await expectRefused("flush") { try await store.flush() }
        await expectRefused("a flush that waits") { try store.flushAndWait() }
        await expectRefused("a flush to the file") { try await store.file.flush() }
        await expectRefused("close") { try await store.close() }
        // It is closed all the same.
        try await store.close()
        let closed = #expect(throws: SettingsError.self) { try store.keys.setValue(1, forKey: "other") }
        #expect(closed?.code == .closed)
        #expect(storage.tree["name"] == .string("a"))
    }

    @Test("A store that refuses to save says so on standard error, once") func standardError() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Group: SettingsGroup {
                @Setting var count = 1
            }
            let storage = InMemoryStorage()
            try await SettingsStore.open(storage: InMemoryStorage(sharing: storage), migrations: [.remove("a")]).close()
            let store = try await SettingsStore.open(storage: storage, migrations: [])
            let group = try await store.group(Group.self)
            group.count += 1
            InMemoryStorage(sharing: storage).simulateExternalChange(["count": .integer(4)])
            for await count in group.$count where count == 4 { break }
            try? await store.close()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.components(separatedBy: "“remove a”").count == 2, "\(text)")
    }

    @Test("Everything else goes on: reading, following, groups opened late, other domains", arguments: Moment.allCases)
    func goesOn(moment: Moment) async throws {
        let storage = InMemoryStorage(Self.stored)
        let (store, group) = try await open(moment, storage)
        #expect(try await store.group(LateGroup.self, at: "late").size == 5)
        #expect(try store.keys.value(forKey: "count", as: Int.self) == 3)
        let changes = ChangeRecorder(store.changes)
        shared(storage).simulateExternalChange(["name": .string("b")])
        let change = await changes.until { !$0.isEmpty }.first
        #expect(change?.origin == .external && group.name == "b")
        let token = try store.domains.override(group.$name, with: "over")
        #expect(group.name == "over")
        token.cancel()
        try store.domains.register(["list": [1]])
        #expect(group.name == "b" && group.list == [1])
        #expect(throws: SettingsError.self) { try group.$name.set("x") }
        try await store.close()
    }

    @Test("Settings become their owner's all the same") func owned() async throws {
        struct LockGroup: SettingsGroup {
            @Setting var attempts = 0
        }
        struct OwnerGroup: SettingsGroup {
            static let access = SettingsAccess.owner
            let lock = LockGroup()
        }
        let storage = InMemoryStorage(Self.stored)
        try await SettingsStore.open(storage: shared(storage), migrations: Self.list).close()
        let above = TestDomain(["lock": ["attempts": 7]])
        let store = try await SettingsStore.open(
            storage: shared(storage), searching: [.source("high", above), .application], migrations: [])
        let lock = try await store.group(LockGroup.self, at: "lock")
        #expect(lock.attempts == 7)
        #expect(try await store.group(OwnerGroup.self).lock.attempts == 0 && lock.attempts == 0)
        try await store.close()
    }

    @Test("Unsaved values stay in memory when the store is told, and a flush says that they are not saved")
    func unsaved() async throws {
        let storage = InMemoryStorage(Self.stored)
        let failing = FailingStorage(shared(storage))
        let store = try await SettingsStore.open(
            storage: failing, configuration: .init(clock: ManualClock()), migrations: [])
        let group = try await store.group(Group.self)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        group.name = "unsaved"
        await #expect(throws: SettingsError.self) { try await store.flush() }
        failing.heal()
        let changes = ChangeRecorder(store.changes)
        try await SettingsStore.open(storage: shared(storage), migrations: Self.list).close()
        _ = await changes.until { $0.contains { $0.origin == ValueOrigin.migration } }
        #expect(group.name == "unsaved" && group.count == 3)
        await expectRefused("flush") { try await store.flush() }
        guard case .failing(_, let reason, _) = store.status else { throw TestFailure() }
        #expect(((reason as? SettingsError)?.underlying as? StorageError)?.code == .migrated)
        await expectRefused("set") { try group.$name.set("x") }
        try await store.close()
        #expect(storage.tree["name"] == .string("a"))
    }

    @Test("Once the record is as the program knows it again, writes are saved again") func restored() async throws {
        let storage = InMemoryStorage(Self.stored)
        let (store, group) = try await open(.later, storage)
        #expect(throws: SettingsError.self) { try group.$name.set("x") }
        group.name = "x"
        let changes = ChangeRecorder(store.changes)
        shared(storage).simulateExternalChange(["$settle.migrations": nil, "count": .integer(4)])
        _ = await changes.until { !$0.isEmpty }
        try await group.commit { group.name = "new" }
        #expect(storage.tree["name"] == .string("new") && group.count == 4)
        try await store.flush()
        try await store.close()
    }

    @Test("A record that becomes no list of names refuses writes until it is corrected") func unreadable() async throws
    {
        let storage = InMemoryStorage(Self.stored)
        let store = try await SettingsStore.open(
            storage: shared(storage), configuration: .init(clock: ManualClock()), migrations: [])
        let group = try await store.group(Group.self)
        shared(storage).simulateExternalChange(["$settle.migrations": .string("x"), "count": .integer(4)])
        try await eventually("the first external change is in force") { group.count == 4 }
        await expectRefused("commit") { try await group.commit { group.name = "new" } }
        await expectRefused("set") { try group.$name.set("x") }
        shared(storage).simulateExternalChange(["$settle.migrations": .array([]), "count": .integer(5)])
        try await eventually("the second external change is in force") { group.count == 5 }
        try await group.commit { group.name = "new" }
        #expect(storage.tree["name"] == .string("new"))
        try await store.close()
    }
}
