import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle
@testable import SettleInterchange

private struct LookSettings: SettingsGroup {
    @Setting(title: "Theme") var theme = "dark"
    @Setting(in: 1...9) var size = 3
}

private struct ReservedSettings: SettingsGroup {
    @Setting("$schema") var schema = ""
}

private struct UsualSettings: SettingsGroup {
    @Setting var a = 0
    @Setting var b = 0
}

/// What stands under `"$schema"` in a settings file.
@Suite(.timeLimit(.minutes(10))) struct SchemaLocationTests {
    private let folder = try? TemporaryFolder()
    private var file: URL { folder?.url.appending(path: "settings.json") ?? URL(filePath: "/") }
    private var schema: URL { file.deletingLastPathComponent().appending(path: "settings.schema.json") }

    private func text(of file: URL? = nil) throws -> String {
        try String(contentsOf: file ?? self.file, encoding: .utf8)
    }

    private var writing: SettingsStore.Configuration {
        var configuration = SettingsStore.Configuration()
        configuration.writesSchema = true
        return configuration
    }

    // MARK: Written

    @Test("A new file begins with the schema's location, and fits the schema that is written beside it")
    func newFile() async throws {
        let store = try await SettingsStore.open(at: file, configuration: writing)
        let look = try await store.group(LookSettings.self)
        try await store.file.flush()
        #expect(!FileManager.default.fileExists(atPath: file.path), "a file is not made for it alone")
        try await look.commit { look.size = 5 }
        try await store.close()
        #expect(try text() == "{\n  \"$schema\": \"./settings.schema.json\",\n  \"size\": 5\n}\n")
        let written = try SettingValue(json: Data(contentsOf: schema))
        #expect(written == SettingsSchema(store.settings).jsonSchema)
        let value = try SettingValue(json: Data(contentsOf: file))
        #expect(SchemaValidator().mistakes(in: value, against: written) == [])
        let again = try await SettingsStore.open(at: file, configuration: writing)
        #expect(try await again.group(LookSettings.self).size == 5)
        #expect(again.keys.effectiveValues.root.keys.sorted() == ["size", "theme"])
        try await again.close()
    }

    @Test("A person who removes the location from a new file has removed it") func removed() async throws {
        let store = try await SettingsStore.open(at: file, configuration: writing)
        let look = try await store.group(LookSettings.self)
        try await look.commit { look.size = 5 }
        try await store.file.flush()
        try Data("{\"size\": 6}".utf8).write(to: file)
        for await size in look.$size where size == 6 { break }
        try await look.commit { look.size = 7 }
        try await store.close()
        #expect(try text() == "{\"size\": 7}")
    }

    @Test("The schema is written a moment after a group was opened, once for the groups that are opened together")
    func moment() async throws {
        let clock = ManualClock()
        var configuration = writing
        configuration.clock = clock
        let store = try await SettingsStore.open(at: file, configuration: configuration)
        let look = try await store.group(LookSettings.self)
        let usual = try await store.group(UsualSettings.self, at: "usual")
        await clock.sleepers(atLeast: 1)
        #expect(!FileManager.default.fileExists(atPath: schema.path))
        clock.advance(by: .milliseconds(250))
        try await eventually("the schema is written") { FileManager.default.fileExists(atPath: schema.path) }
        #expect(try text(of: schema).contains("\"theme\"") && text(of: schema).contains("\"usual\""))
        let number = try FileManager.default.attributesOfItem(atPath: schema.path)[.systemFileNumber] as? Int
        try await store.close()
        withExtendedLifetime((look, usual)) {}
        let again = try await SettingsStore.open(at: file, configuration: writing)
        _ = try await (again.group(LookSettings.self), again.group(UsualSettings.self, at: "usual"))
        try await again.close()
        let later = try FileManager.default.attributesOfItem(atPath: schema.path)[.systemFileNumber] as? Int
        #expect(number == later, "one that says the same stays as it is")
    }

    @Test("Files that exist, property lists and stores without the choice get none")
    func withoutLocation() async throws {
        try Data("{\"size\": 4}".utf8).write(to: file)
        let list = file.deletingPathExtension().appendingPathExtension("plist")
        let other = file.deletingLastPathComponent().appending(path: "other.json")
        for (file, configuration) in [(file, writing), (list, writing), (other, .init())] {
            let store = try await SettingsStore.open(at: file, configuration: configuration)
            let look = try await store.group(LookSettings.self)
            try await look.commit { look.size = 5 }
            try await store.close()
            #expect(try !text(of: file).contains("$schema"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(
            names.filter { $0.hasSuffix(".schema.json") }.sorted() == [
                "settings.plist.schema.json", "settings.schema.json",
            ])
    }

    @Test("A schema that can't be written is an issue, and keeps nothing from being saved") func failure() async throws
    {
        try FileManager.default.createDirectory(at: schema, withIntermediateDirectories: true)
        let store = try await SettingsStore.open(at: file, configuration: writing)
        let look = try await store.group(LookSettings.self)
        try await look.commit { look.size = 5 }
        var issues = store.issues.makeAsyncIterator()
        try await store.close()
        #expect(await issues.next()?.description.contains("settings.schema.json") == true)
        #expect(try text().contains("\"size\": 5"))
    }

    @Test("Stores that are open ask for the same, and settings in memory have no schema") func agreement() async throws
    {
        let store = try await SettingsStore.open(at: file, configuration: writing)
        await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(at: file, configuration: .init())
        }
        #expect(writing.writesSchema && !SettingsStore.Configuration().writesSchema)
        try await store.close()
        let memory = try await SettingsStore.open(storage: InMemoryStorage(), configuration: writing)
        let look = try await memory.group(LookSettings.self)
        look.size = 4
        var issues = memory.issues.makeAsyncIterator()
        try await memory.close()
        #expect(await issues.next() == nil)
    }

    // MARK: Kept

    @Test(
        "What a person has written stays, and is no setting",
        arguments: ["\"https://example.com/look.json\"", "\"\"", "{\"a\": 1}", "7"])
    func kept(location: String) async throws {
        try Data("{\"$schema\": \(location), \"size\": 4, \"other\": 1}".utf8).write(to: file)
        let store = try await SettingsStore.open(
            at: file, configuration: .init(history: .keep(transactions: 10)))
        let look = try await store.group(LookSettings.self)
        #expect(store.keys.effectiveValues.root.keys.sorted() == ["other", "size", "theme"])
        #expect(store.keys["$schema"] == nil && store.settings.map(\.key) == ["size", "theme"])
        let backup = try await store.file.export()
        #expect(!String(decoding: backup, as: UTF8.self).contains("$schema"))
        let changes: [() throws -> Void] = [
            { look.theme = "light" },
            { try store.keys.removeAll(at: "size") },
            { try store.file.import(backup, .replace) },
            {
                let data = Data("{\"$schema\": \"mine\", \"size\": 2}".utf8)
                try store.file.import(data, .replace, unknownKeys: .refuse)
            },
        ]
        for change in changes {
            try change()
            try await store.file.flush()
            let root = try #require(try SettingValue(json: Data(contentsOf: file)).entries)
            #expect(root["$schema"] == (try SettingValue(json: Data(location.utf8))))
        }
        #expect(look.size == 2 && store.keys["other"] == nil)
        try await store.close()
    }

    @Test("An edit of it while a program runs stays, and changes nothing that the program sees")
    func edited() async throws {
        let store = try await SettingsStore.open(
            at: file, configuration: .init(history: .keep(transactions: 10)))
        let look = try await store.group(LookSettings.self)
        try await look.commit { look.size = 5 }
        try await store.file.flush()
        try Data("{\"$schema\": \"./mine.json\", \"size\": 6}".utf8).write(to: file)
        for await size in look.$size where size == 6 { break }
        look.theme = "light"
        try await store.file.flush()
        #expect(try text().contains("\"$schema\": \"./mine.json\""))
        var changes: [HistoryEntry] = []
        for try await entry in store.history.entries() { changes.append(entry) }
        #expect(changes.map(\.origin) == [.local, .external, .local])
        #expect(!changes.flatMap(\.changes).contains { $0.key.hasPrefix("$") })
        try Data("{\"size\": 7}".utf8).write(to: file)
        for await size in look.$size where size == 7 { break }
        look.theme = "dark"
        try await store.close()
        #expect(try !text().contains("$schema"), "whoever removes it has removed it")
    }

    @Test("Another domain's file may have it") func domains() async throws {
        let other = file.deletingLastPathComponent().appending(path: "other.json")
        try Data("{\"$schema\": \"x\", \"$settle\": {\"migrations\": []}, \"size\": 4}".utf8).write(to: other)
        let store = try await SettingsStore.open(at: file, searching: [.application, .suite("other", at: other)])
        #expect(store.keys.effectiveValues.root.keys.sorted() == ["size"])
        try await store.close()
    }

    // MARK: Reserved

    @Test("No setting can have the key") func reserved() async throws {
        let store = try await SettingsStore.open(at: file)
        func refusal(_ body: () async throws -> Void) async -> String {
            "\((await #expect(throws: SettingsError.self) { try await body() }).map { $0.description } ?? "")"
        }
        #expect(await refusal { _ = try await store.group(ReservedSettings.self) }.contains("“$schema” is reserved"))
        let path = await refusal { _ = try await store.group(LookSettings.self, at: "$schema.look") }
        #expect(path.contains("“$schema” is reserved"))
        #expect(await refusal { try store.keys.setValue("x", forKey: "$schema") }.contains("“$schema” is reserved"))
        #expect(await refusal { try store.keys.removeValue(forKey: "$schema") }.contains("“$schema” is reserved"))
        _ = try await store.group(ReservedSettings.self, at: "deep")
        try await store.close()
    }
}

extension SettingValue {
    fileprivate var entries: SettingValue.Entries? { if case .dictionary(let entries) = self { entries } else { nil } }
}
