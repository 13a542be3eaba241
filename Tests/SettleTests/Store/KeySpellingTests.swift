import Foundation
import Settle
import SettleTesting
import Testing

private struct Lock: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var attempts = 0
    @Setting var table: [String: Int] = [:]
}

private struct Guarded: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var attempts = 0
}

private struct Win: SettingsGroup {
    @Setting(in: 1...1_000) var width = 10
    @Setting var title = ""
}

private struct Literal: SettingsGroup {
    @Setting(#"w\.width"#) var width = 1
}

private struct Alike: SettingsGroup {
    @Setting("w.width") var width = 1
    @Setting(#"w\.width"#) var literal = 1
}

private struct Service: SettingsGroup {
    @Setting var token: Secret<String>?
}

private struct Person: SettingsGroup {
    @Setting var visits = 0
    let x = Visits()
}

private struct Visits: SettingsGroup {
    @Setting var visits = 0
}

/// A declared setting has one place, and every spelling of its key refers to it.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct KeySpellingTests {
    private func open(_ root: SettingValue.Entries = [:]) async throws -> (SettingsStore, InMemoryStorage) {
        let storage = InMemoryStorage(SettingTree(root))
        return (try await SettingsStore.open(storage: storage), storage)
    }

    /// Opens a group as after a restart.
    private func reopened<Group: SettingsGroup>(
        _ type: Group.Type, at path: SettingKey, on storage: InMemoryStorage
    ) async throws -> Group {
        let store = try await SettingsStore.open(storage: InMemoryStorage(storage.tree))
        return try await store.group(type, at: path)
    }

    private func entries(_ data: Data) throws -> SettingTree {
        guard case .dictionary(let values) = try SettingValue(json: data) else { throw TestFailure() }
        return SettingTree(values)
    }

    // MARK: Writes

    @Test("No spelling of its key writes an owner's setting") func spellingKeyWrites() async throws {
        let (store, storage) = try await open(["lock": .dictionary(["attempts": .integer(5)])])
        let lock = try await store.group(Lock.self, at: "lock")
        let keys: [SettingKey] = [.path("lock.attempts"), .path("lock.table"), .path("lock.table", "x")]
        for key in keys + ["lock.attempts"] {
            #expect(throws: SettingsError.self) { try store.keys.setValue(0, forKey: key) }
            #expect(throws: SettingsError.self) { try store.keys.removeValue(forKey: key) }
        }
        let error = #expect(throws: SettingsError.self) {
            try store.file.import(Data(#"{"lock.attempts": 0}"#.utf8))
        }
        #expect(error?.code == .importRefused)
        try await store.close()
        #expect(storage.tree.root == ["lock": .dictionary(["attempts": .integer(5)])])
        #expect(lock.attempts == 5)
        #expect(try await reopened(Lock.self, at: "lock", on: storage).attempts == 5)
    }

    @Test("An owner's setting that has a literal name can't be written by its path or around it")
    func ownerSettingLiteral() async throws {
        let (store, storage) = try await open(["lock.attempts": .integer(5)])
        let lock = try await store.group(Guarded.self, at: "lock")
        lock.attempts = 6
        for key in ["lock", "lock.attempts", #"lock\.attempts"#] {
            let error = #expect(throws: SettingsError.self) {
                try store.keys.setValue(.dictionary(["attempts": .integer(0)]), forKey: key)
            }
            #expect(error?.code == .protected)
        }
        #expect(throws: SettingsError.self) { try store.keys.removeAll(at: "lock") }
        try await store.close()
        #expect(storage.tree.root == ["lock.attempts": .integer(6)])
    }

    @Test("Every spelling of its key writes, reads, lists and removes a declared setting")
    func everySpellingKey() async throws {
        for root: SettingValue.Entries in [
            ["w": .dictionary(["width": .integer(100)])], ["w.width": .integer(100)],
        ] {
            let (store, storage) = try await open(root)
            let win = try await store.group(Win.self, at: "w")
            for (number, key) in ["w.width", #"w\.width"#].enumerated() {
                try store.keys.setValue(200 + number, forKey: key)
                #expect(win.width == 200 + number)
                #expect(try store.keys.value(forKey: key, as: Int.self) == 200 + number)
                #expect(store.keys.setting(forKey: key)?.value == .integer(Int64(200 + number)))
                #expect(throws: SettingsError.self) { try store.keys.setValue("no number", forKey: key) }
                #expect(throws: SettingsError.self) { try store.keys.setValue(5_000, forKey: key) }
                try await store.flush()
                #expect(storage.tree.root.count == 1 && (storage.tree.root.keys.first == root.keys.first))
                try store.keys.removeValue(forKey: key)
                #expect(win.width == 10)
            }
            #expect(store.settings.count == 2)
            try await store.flush()
            #expect(storage.tree.root.isEmpty)
        }
    }

    @Test("What lies within another place is not taken for a spelling") func liesWithinAnother() async throws {
        let (store, storage) = try await open()
        let outer = try await store.group(Person.self, at: .path("users", "bob"))
        let inner = try await store.group(Person.self, at: .path("users", "bob.x"))
        inner.visits = 2
        outer.x.visits = 3
        try store.keys.setValue(4, forKey: .path("users", "bob.x", "visits"))
        try await store.flush()
        #expect(inner.visits == 4 && outer.x.visits == 3)
        #expect(storage.tree[SettingKey.path("users", "bob.x", "visits")] == .integer(4))
        #expect(storage.tree["users.bob.x.visits"] == .integer(3))
        storage.simulateExternalChange([.path("users", "bob.x", "visits"): .integer(5)])
        for await visits in inner.$visits where visits == 5 { break }
        #expect(outer.x.visits == 3)
    }

    @Test("Two declarations of one key in two spellings are refused") func twoDeclarationsOne() async throws {
        let (store, _) = try await open()
        _ = try await store.group(Win.self, at: "w")
        let second = await #expect(throws: SettingsError.self) { try await store.group(Literal.self) }
        #expect(second?.code == .duplicateKey)
        let (other, _) = try await open()
        let alike = await #expect(throws: SettingsError.self) { try await other.group(Alike.self) }
        #expect(alike?.code == .duplicateKey)
    }

    // MARK: Others

    @Test("An edit at another spelling is one of the setting, and moves to its place")
    func editAnotherSpelling() async throws {
        let (store, storage) = try await open(["w": .dictionary(["width": .integer(100)])])
        let win = try await store.group(Win.self, at: "w")
        let recorder = ChangeRecorder(store.changes)
        storage.simulateExternalChange(
            SettingTree(["w.width": .integer(300), "w": .dictionary(["width": .integer(100)])]))
        let change = try #require(await recorder.next())
        #expect(change.origin == .external && win.width == 300)
        try await store.flush()
        #expect(storage.tree.root == ["w": .dictionary(["width": .integer(300)])])
        try await store.commit { win.width = 200 }
        try await store.close()
        #expect(try await reopened(Win.self, at: "w", on: storage).width == 200)
    }

    @Test("An edit of single keys, of both spellings, or one that moves a value is taken in too")
    func editSingleKeys() async throws {
        let (store, storage) = try await open(["w": .dictionary(["width": .integer(100)])])
        let win = try await store.group(Win.self, at: "w")
        storage.simulateExternalChange([#"w\.width"#: .integer(300)])
        for await width in win.$width where width == 300 { break }
        try await store.flush()
        #expect(storage.tree.root == ["w": .dictionary(["width": .integer(300)])])
        // The literal name takes precedence over the path, as when a group is opened.
        storage.simulateExternalChange(
            SettingTree(["w.width": .integer(400), "w": .dictionary(["width": .integer(500)])]))
        for await width in win.$width where width != 300 { break }
        #expect(win.width == 400)
        try await store.flush()
        storage.simulateExternalChange(SettingTree(["w.width": .integer(600)]))
        for await width in win.$width where width != 400 { break }
        #expect(win.width == 600)
        try await store.flush()
        #expect(storage.tree.root == ["w": .dictionary(["width": .integer(600)])])
    }

    @Test("An edit at another spelling that changes nothing or can't be used goes, too")
    func editAnotherSpellingChanges() async throws {
        let (store, storage) = try await open(["w": .dictionary(["width": .integer(100)])])
        let win = try await store.group(Win.self, at: "w")
        var issues = store.issues.makeAsyncIterator()
        storage.simulateExternalChange([#"w\.width"#: .integer(5_000)])
        let issue = await issues.next()
        #expect(issue?.code == .unusableValue && issue?.key == "w.width" && win.width == 100)
        try await store.flush()
        #expect(storage.tree.root == ["w": .dictionary(["width": .integer(100)])])
        let recorder = ChangeRecorder(win.$title)
        storage.simulateExternalChange([#"w\.width"#: .integer(100), "w.title": .string("seen")])
        await recorder.until { $0.last == "seen" }
        try await store.flush()
        #expect(storage.tree.root == ["w": .dictionary(["width": .integer(100), "title": .string("seen")])])
    }

    @Test("An edit at another spelling does not replace what waits to be saved")
    func editAnotherSpellingReplace() async throws {
        let memory = InMemoryStorage(SettingTree(["w": .dictionary(["width": .integer(100)])]))
        let failing = FailingStorage(memory)
        let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: ManualClock()))
        let win = try await store.group(Win.self, at: "w")
        let recorder = ChangeRecorder(win.$title)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        win.width = 200
        await #expect(throws: SettingsError.self) { try await store.flush() }
        memory.simulateExternalChange([#"w\.width"#: .integer(300), "w.title": .string("seen")])
        await recorder.until { $0.last == "seen" }
        #expect(win.width == 200)
        failing.heal()
        try await store.flush()
        #expect(memory.tree.root == ["w": .dictionary(["width": .integer(200), "title": .string("seen")])])
    }

    @Test("What a place has hidden comes into force when an edit removes that") func placeHiddenComes() async throws {
        let (store, storage) = try await open(["w.width": .integer(5), "w": .dictionary(["width": .integer(100)])])
        let win = try await store.group(Win.self, at: "w")
        #expect(win.width == 5)
        storage.simulateExternalChange(SettingTree(["w": .dictionary(["width": .integer(100)])]))
        for await width in win.$width where width == 100 { break }
        try await store.flush()
        #expect(try await reopened(Win.self, at: "w", on: storage).width == 100)
    }

    @Test("What a place hides goes with the next write or reset of the setting") func placeHidesGoes() async throws {
        let root: SettingValue.Entries = [
            "w.width": .integer(5), "w": .dictionary(["width": .integer(100), "title": .string("t")]),
        ]
        let (store, storage) = try await open(root)
        let win = try await store.group(Win.self, at: "w")
        try await store.flush()
        #expect(storage.tree.root == root, "Opening a group writes nothing.")
        try win.$width.reset()
        try await store.flush()
        #expect(storage.tree.root == ["w": .dictionary(["title": .string("t")])])
        let (second, other) = try await open(root)
        let again = try await second.group(Win.self, at: "w")
        again.width = 6
        try await second.flush()
        #expect(other.tree.root == ["w.width": .integer(6), "w": .dictionary(["title": .string("t")])])
    }

    @Test("A group whose setting has a literal name is let go of and removed by its path")
    func groupWhoseSetting() async throws {
        let (store, storage) = try await open(["w.width": .integer(5)])
        let win = try await store.group(Win.self, at: "w")
        try store.keys.removeAll(at: "w")
        #expect(win.width == 10)
        win.width = 7
        try await store.release(at: "w")
        #expect(store.settings.isEmpty)
        #expect(storage.tree.root == ["w.width": .integer(7)])
    }

    @Test("A group's history has a setting that is stored under a literal name, and its conditions notice that one")
    func groupHistory() async throws {
        let storage = InMemoryStorage(SettingTree(["w.width": .integer(100)]))
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        let win = try await store.group(Win.self, at: "w")
        try await win.commit { win.title = "t" }
        let token = try #require(store.history.token)
        try await win.commit { win.width = 200 }
        let error = await #expect(throws: SettingsError.self) {
            try await store.commit(ifUnchangedSince: token, keys: ["w"]) {}
        }
        #expect(error?.code == .conflict && error?.conflict?.keys == [#"w\.width"#])
        var changed: [[String]] = []
        for try await entry in store.history.entries(of: "w") { changed.append(entry.changes.map(\.key)) }
        #expect(changed == [[#"w\.width"#], ["w.title"]])
        #expect(try await store.history.forget("w") == 2)
        for try await entry in store.history.entries(of: "w.width") { Issue.record("It still has \(entry).") }
        try await store.close()
    }

    // MARK: Transfer

    @Test("An import writes a setting under every spelling of its key, with its rule")
    func importWritesSetting() async throws {
        let (store, storage) = try await open(["w": .dictionary(["width": .integer(100)])])
        let win = try await store.group(Win.self, at: "w")
        for json in [#"{"w.width": "no number"}"#, #"{"w.width": 5000}"#] {
            #expect(throws: SettingsError.self) { try store.file.import(Data(json.utf8)) }
        }
        try store.file.import(Data(#"{"w.width": 300}"#.utf8), unknownKeys: .refuse)
        #expect(win.width == 300)
        try store.file.import(Data(#"{"w.width": 400, "w": {"width": 1}}"#.utf8), .replace)
        #expect(win.width == 400)
        try await store.flush()
        #expect(storage.tree.root == ["w": .dictionary(["width": .integer(400)])])
    }

    @Test("A secret is hidden, and kept by an import, under every spelling of its key")
    func secretHiddenKept() async throws {
        let root: SettingValue.Entries = [
            "svc.token": .string("hush"), "svc": .dictionary(["token": .string("old"), "port": .integer(1)]),
        ]
        let (store, storage) = try await open(root)
        let service = try await store.group(Service.self, at: "svc")
        #expect(service.token?.revealed == "hush")
        #expect(try entries(try await store.file.export()).root == ["svc": .dictionary(["port": .integer(1)])])
        let all = try entries(try await store.file.export(includingSecrets: true))
        #expect(all[#"svc\.token"#] == .string("hush") && all["svc.token"] == nil)
        try store.file.import(Data("{}".utf8), .replace)
        #expect(service.token?.revealed == "hush")
        try await store.flush()
        #expect(try await reopened(Service.self, at: "svc", on: storage).token?.revealed == "hush")
    }
}
