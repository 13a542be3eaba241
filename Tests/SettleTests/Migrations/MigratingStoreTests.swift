import FoundationEssentials
import SettleTesting
import Testing

@testable import Settle

/// Stores that migrate, and those that were opened before.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct MigratingStoreTests {
    struct Old: SettingsGroup {
        @Setting var theme = "light"
        @Setting var pause = 0
    }

    struct New: SettingsGroup {
        @Setting("look.theme") var theme = "light"
        @Setting var pause = 0.0
    }

    static let list: [SettingsMigration] = [
        .rename("theme", to: "look.theme"), .convert("pause", from: Int.self, to: Double.self) { Double($0) / 1000 },
    ]

    private static let stored = SettingTree(["theme": .string("dark"), "pause": .integer(1500), "z": .bool(true)])

    private func isRefused(_ error: SettingsError?) -> Bool {
        (error?.underlying as? StorageError)?.code == .migrated
    }

    @Test(
        "Where programs of other versions share the values, a step may add some, and one that does more is refused",
        arguments: [
            .rename("theme", to: "look.theme"), .remove("pause"),
            .convert("pause", from: Int.self, to: Double.self) { Double($0) / 1000 },
        ] as [SettingsMigration])
    func sharedByVersions(step: SettingsMigration) async throws {
        let memory = InMemoryStorage(Self.stored)
        let adding = SettingsMigration("add a colour") { $0["look.colour"] = .string("blue") }
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(
                storage: SharedByVersions(base: memory.shared()), migrations: [adding, step])
        }
        #expect(error?.code == .migrationFailed && error?.description.contains("“\(step.name)”") == true)
        #expect(error?.description.contains("may only add values") == true && memory.tree == Self.stored)
        let store = try await SettingsStore.open(
            storage: SharedByVersions(base: memory.shared()), migrations: [adding])
        #expect(memory.tree["look.colour"] == .string("blue") && memory.tree["theme"] == .string("dark"))
        try await store.close()
        // A step that has nothing to do does no harm.
        let empty = InMemoryStorage()
        try await SettingsStore.open(storage: SharedByVersions(base: empty), migrations: [step]).close()
    }

    @Test("Opening migrates once, and the record is no setting") func opening() async throws {
        let storage = InMemoryStorage(Self.stored)
        for round in 1...2 {
            let own = storage.shared()
            let store = try await SettingsStore.open(storage: own, migrations: Self.list)
            let settings = try await store.group(New.self)
            #expect(settings.theme == (round == 1 ? "dark" : "new") && settings.pause == 1.5)
            let export = try await store.file.export(as: .json)
            #expect(!String(decoding: export, as: UTF8.self).contains("$settle"))
            #expect(store.keys.groupNames(at: "") == ["look"] && !store.settings.contains { $0.key.contains("settle") })
            #expect((try? store.keys.value(forKey: "$settle.migrations", as: [String].self)) == nil)
            try await settings.commit { settings.theme = "new" }
            try await store.close()
        }
        #expect(storage.tree["theme"] == nil && storage.tree["z"] == .bool(true))
        #expect(MigrationRecord(in: storage.tree).names == Self.list.map(\.name))
    }

    @Test("Nothing may be written under the record's name") func reserved() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(), migrations: Self.list)
        let error = #expect(throws: SettingsError.self) { try store.keys.setValue(1, forKey: "$settle.migrations") }
        #expect(error?.code == .invalidKey)
        let file = Data(#"{"$settle": {"migrations": ["x"]}, "theme": "dark"}"#.utf8)
        try store.file.import(file)
        #expect(try store.keys.value(forKey: "theme", as: String.self) == "dark")
        try await store.close()
    }

    @Test("A failing step leaves what is stored, and the error names step and key") func failing() async throws {
        let storage = InMemoryStorage(Self.stored)
        let list = Self.list + [.convert("z", from: Int.self, to: Int.self) { $0 }]
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(storage: storage.shared(), migrations: list)
        }
        #expect(error?.code == .migrationFailed && error?.key == "z" && storage.tree == Self.stored)
        #expect(error?.description.contains("“convert z”") == true)
        // The lock is free again.
        try await SettingsStore.open(storage: storage.shared(), migrations: Self.list).close()
        #expect(storage.tree["look.theme"] == .string("dark"))
    }

    @Test("A running older program gets the values as a migration, and saves nothing any more")
    func olderProgram() async throws {
        let storage = InMemoryStorage(Self.stored)
        let older = try await SettingsStore.open(storage: storage.shared(), migrations: [])
        let old = try await older.group(Old.self)
        let (changes, issues) = (ChangeRecorder(older.changes), ChangeRecorder(older.issues))
        let newer = try await SettingsStore.open(storage: storage.shared(), migrations: Self.list)
        let change = await changes.until { !$0.isEmpty }.first
        #expect(change?.origin == .migration && old.theme == "light" && old.$theme.domains.origin == .migration)
        let error = await #expect(throws: SettingsError.self) { try await old.commit { old.theme = "old" } }
        #expect(
            error?.code == .commitNotBegun && isRefused(error) && old.theme == "light", "\(String(describing: error))")
        let told = await issues.until { !$0.isEmpty }
        #expect(told.filter { isRefused($0) }.count == 1, "\(told)")
        #expect(throws: SettingsError.self) { try old.$theme.set("plain") }
        try await older.flush()
        #expect(storage.tree["theme"] == nil && storage.tree["look.theme"] == .string("dark"))
        try await older.close()
        try await newer.close()
        #expect(storage.tree["theme"] == nil)
    }

    @Test("A program that does not know a recorded step opens, reads, and can't write") func downgrade() async throws {
        let storage = InMemoryStorage(Self.stored)
        try await SettingsStore.open(storage: storage.shared(), migrations: Self.list).close()
        let older = try await SettingsStore.open(storage: storage.shared(), migrations: [Self.list[0]])
        let settings = try await older.group(New.self)
        #expect(settings.theme == "dark")
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { settings.theme = "x" } }
        #expect(isRefused(error) && storage.tree["look.theme"] == .string("dark"))
        try await older.close()
    }

    @Test("A list that has lost a step opens nothing, and a renamed type loses none") func lostStep() async throws {
        let storage = InMemoryStorage(Self.stored)
        try await SettingsStore.open(storage: storage.shared(), migrations: Self.list).close()
        let migrated = storage.tree
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(storage: storage.shared(), migrations: [Self.list[1]])
        }
        #expect(error?.code == .migrationFailed && error?.description.contains("“rename theme to look.theme”") == true)
        #expect(storage.tree == migrated)
        // As a program of an earlier version of this library has recorded it, with another type.
        let old = ["rename theme to look.theme", "convert pause from Int to Seconds"]
        storage.simulateExternalChange(["$settle.migrations": .array(old.map { .string($0) })])
        let store = try await SettingsStore.open(storage: storage.shared(), migrations: Self.list)
        let settings = try await store.group(New.self)
        settings.pause += 1
        try await store.close()
        #expect(storage.tree["pause"] == .real(2.5) && MigrationRecord(in: storage.tree).names == old)
    }

    @Test("A value under a name with dots is migrated as its setting read it") func dottedName() async throws {
        struct First: SettingsGroup {
            @Setting("a.b") var number = 0
        }
        struct Second: SettingsGroup {
            @Setting("c.d") var number = 0
        }
        let storage = InMemoryStorage(SettingTree(["a.b": .integer(7)]))
        let first = try await SettingsStore.open(storage: storage.shared(), migrations: [])
        #expect(try await first.group(First.self).number == 7)
        try await first.close()
        let second = try await SettingsStore.open(
            storage: storage.shared(), migrations: [.rename("a.b", to: "c.d")])
        #expect(try await second.group(Second.self).number == 7)
        try await second.close()
    }

    @Test("A tool without a list is not held up, and keeps the record") func tool() async throws {
        let storage = InMemoryStorage(Self.stored)
        let tool = try await SettingsStore.open(storage: storage.shared())
        try await SettingsStore.open(storage: storage.shared(), migrations: Self.list).close()
        try tool.keys.setValue("blue", forKey: "look.theme")
        // An old key that is written again stays where it is: steps run once.
        try tool.keys.setValue("old", forKey: "theme")
        try await tool.flush()
        try await tool.close()
        let store = try await SettingsStore.open(storage: storage.shared(), migrations: Self.list)
        #expect(try await store.group(New.self).theme == "blue" && storage.tree["theme"] == .string("old"))
        #expect(MigrationRecord(in: storage.tree).names == Self.list.map(\.name))
        try await store.close()
    }

    @Test("Where there is no lock, the steps run again on what others have stored meanwhile")
    func withoutLock() async throws {
        let storage = InMemoryStorage(Self.stored)
        let lockless = OvertakenStorage(base: storage.shared()) {
            storage.simulateExternalChange(["pause": .integer(2500)])
        }
        let store = try await SettingsStore.open(storage: lockless, migrations: Self.list)
        #expect(try await store.group(New.self).pause == 2.5 && storage.tree["pause"] == .real(2.5))
        try await store.close()
    }

    @Test("A new store records the steps, so that none of them meets the values of a newer program")
    func newStore() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage.shared(), migrations: Self.list)
        let settings = try await store.group(New.self)
        try await settings.commit { settings.pause = 0.5 }
        try await store.close()
        let again = try await SettingsStore.open(storage: storage.shared(), migrations: Self.list)
        #expect(try await again.group(New.self).pause == 0.5)
        try await again.close()
    }

    @Test("An answer that was lost is asked for again, and nothing is migrated twice") func lostAnswer() async throws {
        let storage = InMemoryStorage(Self.stored)
        let failing = FailingStorage(storage.shared())
        failing.fail(.append, with: StorageError(.unavailable, "lost", isOutcomeUnknown: true))
        let store = try? await SettingsStore.open(storage: failing, migrations: Self.list)
        try await store?.close()
        let again = try await SettingsStore.open(storage: storage.shared(), migrations: Self.list)
        #expect(try await again.group(New.self).pause == 1.5)
        try await again.close()
    }
}

/// Has no lock, and others store something before its first append.
private final class OvertakenStorage: StorageWrapper, Sendable {
    let base: any Storage
    private let beforeFirst: LockedValue<(@Sendable () -> Void)?>

    init(base: any Storage, beforeFirst: @escaping @Sendable () -> Void) {
        self.base = base
        self.beforeFirst = LockedValue(beforeFirst)
    }

    func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        beforeFirst.withLock { action in
            defer { action = nil }
            return action
        }?()
        return try await base.append(batch, durability: durability)
    }
}

extension InMemoryStorage {
    fileprivate func shared() -> InMemoryStorage { InMemoryStorage(sharing: self) }
}

/// A storage whose values programs of several versions use.
private struct SharedByVersions: StorageWrapper {
    let base: any Storage
    var limits: StorageLimits { StorageLimits(sharesVersions: true) }
}
