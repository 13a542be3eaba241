import Foundation
import Settle
import SettleTesting
import Testing

private struct Window: SettingsGroup {
    @Setting(in: 1...100) var width = 10
    @Setting var title = "a"
    @Setting var opened: Date?
}

private struct Lock: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting(in: 0...20) var attempts = 0
}

private struct App: SettingsGroup {
    @Setting var name = "app"
    @Setting var token: Secret<String>?
    @Setting var table: [String: Int] = [:]
    let window = Window()
    let lock = Lock()
}

/// Export and import.
@Suite(.timeLimit(.minutes(10))) struct TransferTests {
    private let storage: InMemoryStorage
    private let store: SettingsStore
    private let app: App

    init() async throws {
        storage = InMemoryStorage(
            SettingTree([
                "old": .dictionary(["x": .integer(1), "y": .string("z")]),
                "window": .dictionary(["extra": .bool(true)]),
            ]))
        store = try await SettingsStore.open(storage: storage)
        app = try await store.group(App.self)
        try app.update {
            app.window.width = 20
            app.token = Secret("hidden")
            app.lock.attempts = 3
            app.table = ["a.b": 1]
        }
    }

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    private func tree(_ data: Data) throws -> SettingTree {
        guard case .dictionary(let values) = try SettingValue(json: data) else { throw TestFailure() }
        return SettingTree(values)
    }

    private func refusal(of json: String, _ mode: SettingsStore.ImportMode = .merge, refusing: Bool = false)
        -> SettingsError?
    {
        let before = store.revision
        let error = thrown {
            try store.file.import(Data(json.utf8), mode, unknownKeys: refusing ? .refuse : .keep)
        }
        #expect(store.revision == before, "Nothing changes.")
        return error as? SettingsError
    }

    // MARK: Export

    @Test("An export has stored and pending values and unknown keys, but no defaults")
    func export() async throws {
        for isSaved in [false, true] {
            if isSaved { try await store.flush() }
            let tree = try tree(try await store.file.export())
            #expect(tree["window.width"] == .integer(20) && tree["window.title"] == nil)
            #expect(tree["old.x"] == .integer(1) && tree["window.extra"] == .bool(true))
            #expect(tree["table"] == .dictionary(["a.b": .integer(1)]))
        }
        try app.window.$width.reset()
        #expect(try tree(try await store.file.export())["window.width"] == nil)
    }

    @Test("An export omits secrets unless requested, and an owner's settings always") func hidden() async throws {
        let plain = try await store.file.export()
        #expect(!text(plain).contains("hidden") && !text(plain).contains("attempts"))
        let all = try await store.file.export(includingSecrets: true)
        #expect(text(all).contains("hidden") && !text(all).contains("attempts"))
    }

    @Test(
        "Every format can be exported and is recognized on import",
        arguments: [.json, .propertyListXML, .propertyListBinary] as [FileFormat])
    func formats(format: FileFormat) async throws {
        app.window.opened = Date(timeIntervalSinceReferenceDate: 1_000)
        let data = try await store.file.export(as: format)
        let other = try await SettingsStore.open(storage: InMemoryStorage())
        let copy = try await other.group(App.self)
        try other.file.import(data)
        #expect(copy.window.width == 20 && copy.window.opened == app.window.opened && copy.table == ["a.b": 1])
        try other.file.import(data, as: format)
        #expect(copy.token == nil && copy.lock.attempts == 0)
        #expect(try other.keys.value(forKey: "old.y") == "z")
    }

    @Test("An export with unencodable values throws an error that names each key")
    func unencodable() async throws {
        let picky = try await store.group(PickySettings.self)
        picky.picky = 13
        let error = await #expect(throws: SettingsError.self) { try await store.file.export() }
        #expect(error?.code == .encodingFailed && error?.problems.map(\.key) == ["picky"])
    }

    // MARK: Import

    @Test("Importing an export changes nothing, in either mode") func roundTrip() async throws {
        let data = try await store.file.export()
        let before = store.revision
        try store.file.import(data)
        try store.file.import(data, .replace, unknownKeys: .keep)
        #expect(store.revision == before)
        try await store.flush()
        #expect(storage.tree["old.x"] == .integer(1) && storage.tree["window.extra"] == .bool(true))
        #expect(app.token?.revealed == "hidden" && app.lock.attempts == 3)
    }

    @Test("An import is one change with its author; merging leaves keys that the data lacks alone")
    func merging() async throws {
        let changes = ChangeRecorder(store.changes)
        try store.file.import(
            Data(#"{"name": "b", "window": {"title": "c"}, "new": {"deep": [1]}}"#.utf8), author: "backup")
        let change = await changes.next()
        #expect(
            change?.author == "backup"
                && Set(change?.mutations.map(\.key) ?? []) == ["name", "window.title", "new.deep"])
        #expect(app.name == "b" && app.window.title == "c" && app.window.width == 20 && app.table == ["a.b": 1])
        #expect(try store.keys.value(forKey: "old.x") == 1)
        try await store.flush()
        #expect(storage.tree["new.deep"] == .array([.integer(1)]))
    }

    @Test(
        "A replacing import resets all other keys, except for secrets and an owner's settings")
    func replacing() async throws {
        try store.keys.setValue(5, forKey: "written.now")
        try store.file.import(Data(#"{"name": "b", "old": {"y": "kept"}}"#.utf8), .replace)
        #expect(app.name == "b" && app.window.width == 10 && app.table.isEmpty)
        #expect(app.token?.revealed == "hidden" && app.lock.attempts == 3)
        try await store.flush()
        #expect(
            storage.tree
                == SettingTree([
                    "name": .string("b"), "old": .dictionary(["y": .string("kept")]), "token": .string("hidden"),
                    "lock": .dictionary(["attempts": .integer(3)]),
                ]))
    }

    @Test("A replacing import replaces what lies around or within its keys") func replacingAround() async throws {
        try store.keys.setValue(5, forKey: "flat")
        try await store.flush()
        // One becomes a dictionary, the other no longer is one.
        try store.file.import(Data(#"{"flat": {"deep": 1}, "old": 2}"#.utf8), .replace)
        try await store.flush()
        #expect(storage.tree["flat"] == .dictionary(["deep": .integer(1)]) && storage.tree["old"] == .integer(2))
    }

    @Test("A replacing import keeps the value that it writes to an undeclared name with dots")
    func replacingNameWithDots() async throws {
        try store.keys.setValue(1, forKey: #"flat\.name"#)
        try await store.flush()
        try store.file.import(Data(#"{"flat": {"name": 2}}"#.utf8), .replace, unknownKeys: .keep)
        try await store.flush()
        #expect(try store.keys.value(forKey: "flat.name") == 2)
    }

    @Test("A replacing import resets what the same transaction has written") func replacingInUpdate() throws {
        try store.update {
            app.window.title = "new"
            try store.file.import(Data("{}".utf8), .replace)
        }
        #expect(app.window.title == "a" && app.window.width == 10)
    }

    @Test("All refused keys are reported together, and nothing is imported") func refused() async throws {
        let error = refusal(
            of: #"{"name": "b", "window": {"width": 500, "title": 7}, "lock": {"attempts": 0}, "token": 9, "what": 1}"#,
            refusing: true)
        #expect(error?.code == .importRefused)
        #expect(error?.problems.map(\.key) == ["lock.attempts", "token", "what", "window.title", "window.width"])
        #expect(
            error?.problems.map(\.code) == [.protected, .unusableValue, .unknownKey, .unusableValue, .invalidValue])
        for key in ["lock.attempts", "token", "what", "window.title", "window.width"] {
            #expect(error?.description.contains("“\(key)”") == true, "\(key)")
        }
        #expect(app.name == "app" && app.window.width == 20 && app.lock.attempts == 3)
    }

    @Test(
        "An import of an owner's settings is refused at, around or within them, in either mode",
        arguments: [
            #"{"lock": {"attempts": 3}}"#, #"{"lock": {"attempts": 0}}"#, #"{"lock": 5}"#,
            #"{"lock": {"attempts": {"x": 1}}}"#,
            #"{"lock": {}}"#,
        ])
    func owned(json: String) {
        for mode in [SettingsStore.ImportMode.merge, .replace] {
            let error = refusal(of: json, mode)
            #expect(error?.problems.map(\.code) == [.protected])
            #expect(app.lock.attempts == 3)
        }
    }

    @Test("A refused secret is not revealed") func refusedSecret() {
        let error = refusal(of: #"{"token": ["plain text"]}"#)
        #expect(error?.problems.count == 1 && error.map { "\($0)" }?.contains("plain") == false)
    }

    @Test(
        "Unreadable data is refused with the place of the error",
        arguments: [
            ("", "Line 1, column 1"), ("[1]", "Line 1, column 1"), ("{\n  \"name\": }", "Line 2, column 11"),
            ("<plist>", "Line 1, column 8"), ("bplist00", "Byte 8"),
        ])
    func unreadable(text: String, place: String) {
        let error = refusal(of: text)
        #expect(error?.code == .importRefused)
        let beginning = "Nothing was imported, because the data can't be read: \(place): "
        #expect(error?.description.hasPrefix(beginning) == true, "\(String(describing: error))")
    }

    @Test("A name with dots is imported as a single name") func dots() async throws {
        try store.file.import(Data(#"{"people": {"carol@example.com": {"age": 5}}}"#.utf8))
        try await store.flush()
        #expect(
            storage.tree.root["people"] == .dictionary(["carol@example.com": .dictionary(["age": .integer(5)])]))
    }

    @Test("A closed store neither exports nor imports") func closed() async throws {
        try await store.close()
        await #expect(throws: SettingsError.self) { try await store.file.export() }
        #expect((thrown { try store.file.import(Data("{}".utf8)) } as? SettingsError)?.code == .closed)
    }
}
