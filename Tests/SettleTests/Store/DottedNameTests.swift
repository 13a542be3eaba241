import Foundation
import Settle
import SettleTesting
import Testing

private struct Window: SettingsGroup {
    @Setting("window.width") var width = 1
    @Setting var title = ""
}

private struct Escaped: SettingsGroup {
    @Setting(#"window\.width"#) var width = 1
}

private struct Account: SettingsGroup {
    @Setting var name = ""
    @Setting var visits = 0
}

private struct Guarded: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var attempts = 0
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct DottedNameTests {
    private func open(_ root: SettingValue.Entries = [:]) async throws -> (SettingsStore, InMemoryStorage) {
        let storage = InMemoryStorage(SettingTree(root))
        return (try await SettingsStore.open(storage: storage), storage)
    }

    @Test("A backslash in a declaration, a path or a key makes a dot a part of a name")
    func backslashDeclarationPath() async throws {
        let (store, storage) = try await open()
        let window = try await store.group(Escaped.self)
        window.width = 5
        let account = try await store.group(Account.self, at: #"accounts.carol@example\.com"#)
        account.visits = 2
        try store.keys.setValue(7, forKey: #"a\.b.c"#)
        #expect(window.$width.key == #"window\.width"#)
        #expect(try store.keys.value(forKey: #"window\.width"#, as: Int.self) == 5)
        #expect(store.keys.setting(forKey: #"accounts.carol@example\.com.visits"#)?.value == .integer(2))
        try await store.flush()
        #expect(
            storage.tree.root == [
                "window.width": .integer(5),
                "accounts": .dictionary(["carol@example.com": .dictionary(["visits": .integer(2)])]),
                "a.b": .dictionary(["c": .integer(7)]),
            ])
    }

    @Test("A stored key that is literally the same wins over a path") func storedKeyLiterally() async throws {
        let (store, storage) = try await open(["window.width": .integer(5), "title": .string("t")])
        #expect(try store.keys.value(forKey: "window.width", as: Int.self) == 5)
        let window = try await store.group(Window.self)
        #expect(window.width == 5 && window.title == "t")
        window.width = 6
        try await store.flush()
        #expect(storage.tree.root == ["window.width": .integer(6), "title": .string("t")])
        try store.keys.setValue(7, forKey: "window.width")
        #expect(window.width == 7)
        #expect(try store.keys.value(forKey: "window.width", as: Int.self) == 7)
        // It stays the same setting after its value is removed and its group opened again.
        try store.keys.removeValue(forKey: "window.width")
        #expect(window.width == 1)
        try await store.flush()
        #expect(storage.tree.root == ["title": .string("t")])
        let again = try await store.group(Window.self)
        again.width = 8
        #expect(window.width == 8)
        try await store.flush()
        storage.simulateExternalChange([#"window\.width"#: .integer(9)])
        for await width in window.$width where width == 9 { break }
    }

    @Test("Without it the path is used, and at run time too") func withoutPathUsed() async throws {
        let (store, storage) = try await open(["a": .dictionary(["b.c": .integer(1)])])
        let window = try await store.group(Window.self)
        window.width = 2
        try store.keys.setValue(3, forKey: "a.b.c")
        #expect(try store.keys.value(forKey: "a.b.c", as: Int.self) == 3)
        try store.keys.setValue(4, forKey: "x.y")
        try await store.flush()
        #expect(
            storage.tree.root == [
                "window": .dictionary(["width": .integer(2)]), "a": .dictionary(["b.c": .integer(3)]),
                "x": .dictionary(["y": .integer(4)]),
            ])
    }

    @Test("A path of names takes whatever is in them") func pathNamesTakes() async throws {
        let (store, storage) = try await open()
        for id in ["carol@example.com", #"back\slash"#, "..", "e\u{301}", "\u{E9}"] {
            let account = try await store.group(Account.self, at: .path("accounts", id))
            account.name = id
            try store.keys.setValue(1, forKey: .path("accounts", id, "unknown.key"))
            #expect(try store.keys.value(forKey: .path("accounts", id, "unknown.key"), as: Int.self) == 1)
        }
        #expect(store.keys.groupNames(at: "accounts").count == 5)
        try await store.flush()
        #expect(store.keys.groupNames(at: "accounts").count == 5)
        #expect(storage.tree[SettingKey.path("accounts", "..", "name")] == .string(".."))
        let error = await #expect(throws: SettingsError.self) {
            try await store.group(Account.self, at: .path("accounts", ""))
        }
        #expect(error?.code == .invalidKey)
    }

    @Test("Groups that are stored at a path are listed, declared or not") func groupsStoredPath() async throws {
        let account = SettingValue.dictionary(["visits": .integer(1)])
        let (store, _) = try await open([
            "accounts": .dictionary(["b": account, "a.x": account, "count": .integer(3)]), "other": .integer(1),
        ])
        #expect(store.keys.groupNames() == ["accounts"])
        #expect(store.keys.groupNames(at: "accounts") == ["a.x", "b"])
        #expect(store.keys.groupNames(at: .path("accounts", "a.x")) == [])
        #expect(store.keys.groupNames(at: "nothing") == [])
        let new = try await store.group(Account.self, at: "accounts.c")
        #expect(store.keys.groupNames(at: "accounts") == ["a.x", "b"])
        new.visits = 1
        #expect(store.keys.groupNames(at: "accounts") == ["a.x", "b", "c"])
        try new.reset()
        #expect(store.keys.groupNames(at: "accounts") == ["a.x", "b"])
    }

    @Test("A group is removed with its unknown keys, as one transaction, also while it is open")
    func groupRemovedUnknown() async throws {
        let carol = SettingValue.dictionary([
            "name": .string("Carol"), "visits": .integer(3),
            "unknown": .dictionary(["deep": .integer(1), "d.e": .integer(2)]), "empty": .dictionary([:]),
        ])
        let (store, storage) = try await open(["accounts": .dictionary(["carol@example.com": carol, "dave": carol])])
        let open = try await store.group(Account.self, at: .path("accounts", "carol@example.com"))
        try store.keys.setValue(5, forKey: .path("accounts", "carol@example.com", "late"))
        let revision = store.revision
        try store.keys.removeAll(at: .path("accounts", "carol@example.com"), author: "admin")
        #expect(store.revision == revision + 1)
        #expect(open.name.isEmpty && open.visits == 0)
        #expect(store.keys.groupNames(at: "accounts") == ["dave"])
        try await store.flush()
        #expect(storage.tree.root == ["accounts": .dictionary(["dave": carol])])
        // No group or key of it is in use.
        try store.keys.removeAll(at: "accounts.dave")
        try await store.flush()
        #expect(storage.tree.root.isEmpty)
        open.visits = 1
        try await store.flush()
        #expect(storage.tree[SettingKey.path("accounts", "carol@example.com", "visits")] == .integer(1))
    }

    @Test("What is its owner's is not removed, nor what lies around it") func ownerRemovedLies() async throws {
        let (store, storage) = try await open(["user": .dictionary(["lock": .dictionary(["x": .integer(1)])])])
        let guarded = try await store.group(Guarded.self, at: "user.lock")
        guarded.attempts = 3
        for path in ["user", "user.lock", "user.lock.attempts"] {
            let error = #expect(throws: SettingsError.self) { try store.keys.removeAll(at: path) }
            #expect(error?.code == .protected)
        }
        try await store.flush()
        #expect(storage.tree["user.lock"] == .dictionary(["x": .integer(1), "attempts": .integer(3)]))
    }

    @Test("A key that is saved while a transaction writes it again has its newest value")
    func keySavedWhile() async throws {
        let failing = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: ManualClock()))
        let hold = failing.hold(.append)
        try store.keys.setValue(1, forKey: "late.x")
        await hold.waitUntilReached()
        // On its own thread, because it waits inside the transaction until the first value is saved.
        try await onThread {
            Result {
                try store.update {
                    try store.keys.setValue(2, forKey: "late.x")
                    hold.release()
                    while store.statistics.appends == 0 { continue }
                    #expect(try store.keys.value(forKey: "late.x", as: Int.self) == 2)
                    try store.keys.setValue(3, forKey: "late.x")
                }
                #expect(try store.keys.value(forKey: "late.x", as: Int.self) == 3)
                try store.keys.removeAll(at: "late")
                #expect(store.keys.groupNames().isEmpty)
            }
        }.get()
        try await store.close()
    }

    @Test("A setting keeps its key when one that is literally the same is stored later")
    func settingKeepsKey() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(BalanceSettings.self, at: "app")
        storage.simulateExternalChange([SettingKey(name: "app.left"): .integer(1), "app.right": .integer(2)])
        for await right in settings.$right where right == 2 { break }
        #expect(try store.keys.value(forKey: "app.left", as: Int.self) == 1)
        try store.keys.setValue(3, forKey: "app.left")
        #expect(settings.left == 3)
        try await store.flush()
        #expect(storage.tree["app.left"] == .integer(3) && storage.tree[SettingKey(name: "app.left")] == nil)
    }

    @Test("A group can be opened where something was removed, saved or not, stored or not")
    func groupOpenedSomething() async throws {
        let values = SettingTree(["users": .dictionary(["a": .dictionary(["count": .integer(1), "x": .integer(2)])])])
        for isSaved in [false, true] {
            let storage = InMemoryStorage(values)
            let store = try await SettingsStore.open(storage: storage)
            for name in ["a", "b"] {
                try store.keys.removeAll(at: .path("users", name))
                if isSaved { try await store.flush() }
                let settings = try await store.group(CounterSettings.self, at: .path("users", name))
                #expect(settings.count == 0)
                settings.other = 3
            }
            try await store.flush()
            let user = SettingValue.dictionary(["other": .integer(3)])
            #expect(storage.tree["users"] == .dictionary(["a": user, "b": user]))
        }
    }

    @Test("A transaction sees the keys that it has written and removed, and their groups")
    func transactionSeesKeys() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(SettingTree(["old": .dictionary(["x": .integer(1)])])))
        func number(_ key: String) throws -> Int? { try store.keys.value(forKey: key) }
        try store.update {
            try store.keys.setValue(1, forKey: "count")
            try store.keys.setValue((try number("count") ?? -1) + 1, forKey: "count")
            try store.keys.setValue(3, forKey: "new.y")
            try store.keys.removeValue(forKey: "old.x")
            #expect(try number("count") == 2 && number("new.y") == 3 && number("old.x") == nil)
            #expect(store.keys.groupNames() == ["new"])
            try store.keys.removeValue(forKey: "new.y")
            #expect(try number("new.y") == nil)
            #expect(store.keys.groupNames().isEmpty)
        }
        #expect(try number("count") == 2 && number("new.y") == nil && number("old.x") == nil)
        #expect(throws: TestFailure.self) {
            try store.update {
                try store.keys.setValue(7, forKey: "undone")
                #expect(try number("undone") == 7)
                throw TestFailure()
            }
        }
        #expect(try number("undone") == nil && store.keys.groupNames().isEmpty)
    }

    @Test("A write by key that changes nothing or is undone is in nobody's way") func writeKeyChanges() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(SettingTree(["c": .integer(1)])))
        try store.keys.removeValue(forKey: "a")
        try? store.update {
            try store.keys.setValue(1, forKey: "b")
            throw TestFailure()
        }
        try store.keys.setValue(1, forKey: "c")
        #expect(store.core.indexedSettingCount == 0)
        try store.keys.setValue(2, forKey: "a.x")
        try store.keys.setValue(3, forKey: "b.x")
        _ = try await store.group(CounterSettings.self, at: "c")
    }
}
