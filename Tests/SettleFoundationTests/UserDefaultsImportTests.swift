import Foundation
import Settle
import SettleFoundation
import SettleInterchange
import SettleTesting
import Testing

private enum Theme: String, Codable, CaseIterable {
    case light, dark
}

private struct Lock: SettingsGroup {
    @Setting(in: 0...20) var attempts = 0
    @Setting var isEnabled = false
    @Setting var nextCheckDate: Date?
}

private struct Owned: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var count = 0
}

/// Has values of its own and those of all programs, without a file.
private final class ProgramDefaults: UserDefaults {
    private let all: [String: Any] = ["AppleLocale": "de_DE", "AppleLanguages": ["de"]]

    override func dictionaryRepresentation() -> [String: Any] {
        all.merging(["launches": 5]) { $1 }
    }

    override func persistentDomain(forName name: String) -> [String: Any]? {
        name == UserDefaults.globalDomain ? all : nil
    }

    override func volatileDomain(forName name: String) -> [String: Any] { [:] }
}

private struct App: SettingsGroup {
    @Setting var launches = 0
    @Setting var ratio = 1.0
    @Setting var title = ""
    @Setting var theme = Theme.light
    @Setting var ports: [Int] = []
    @Setting var home: URL?
    @Setting var pin: Secret<Int>?
    let lock = Lock()
    let owned = Owned()
}

@Suite(.timeLimit(.minutes(10))) struct UserDefaultsImportTests {
    private func open() async throws -> (SettingsStore, App, InMemoryStorage) {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        return (store, try await store.group(App.self), storage)
    }

    private func file(_ values: [String: Any], in folder: TemporaryFolder) throws -> URL {
        let file = folder.url.appending(path: "com.example.old.plist")
        try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0).write(to: file)
        return file
    }

    @Test("A declared setting takes what the defaults system converts, and other keys stay as they are")
    func converting() async throws {
        let folder = try TemporaryFolder()
        let (store, app, _) = try await open()
        let old: [String: Any] = [
            "launches": "5", "ratio": 2, "title": 3.5, "theme": "dark", "ports": ["80", 443], "home": "/tmp/a",
            "lock.isEnabled": 1, "lock": ["attempts": "7"], "window.frame": "0 0",
            "dates": [Date(timeIntervalSince1970: 1)],
        ]
        let report = try await UserDefaultsImport(contentsOf: file(old, in: folder)).run(into: store)
        #expect(app.launches == 5 && app.ratio == 2 && app.title == "3.5" && app.theme == .dark)
        #expect(app.ports == [80, 443] && app.home == URL(filePath: "/tmp/a"))
        #expect(app.lock.isEnabled && app.lock.attempts == 7)
        #expect(store.keys[#"window\.frame"#] == .string("0 0"))
        #expect(store.keys["dates"] == .array([.date(Date(timeIntervalSince1970: 1))]))
        #expect(report.left.isEmpty && !report.isRepeated)
        #expect(report.taken.map(\.name) == ["dates", "ratio", "theme", "window.frame"])
        #expect(
            report.converted.map(\.name) == ["home", "launches", "lock.attempts", "lock.isEnabled", "ports", "title"])
        #expect(report.description.contains("converted: “launches” to “launches”. A string became a whole number."))
    }

    @Test("What a setting refuses is left with the reason, and keeps nothing else from being taken") func left()
        async throws
    {
        let folder = try TemporaryFolder()
        let (store, app, storage) = try await open()
        let old: [String: Any] = [
            "launches": "many", "title": "t", "lock.attempts": 21, "owned.count": 4, "theme": "blue",
            "ports": [1, "x"],
        ]
        let report = try await UserDefaultsImport(contentsOf: file(old, in: folder)).run(into: store)
        #expect(app.title == "t" && app.launches == 0 && app.lock.attempts == 0 && app.owned.count == 0)
        #expect(report.left.map(\.name) == ["launches", "lock.attempts", "owned.count", "ports", "theme"])
        #expect(report.left[1].reason == "“lock.attempts” can't be 21: it must be in 0...20. The old value stays.")
        #expect(Set(storage.tree.root.keys) == ["title", UserDefaultsImport.memory])
    }

    @Test("A report shows no value of a secret") func secrets() async throws {
        let folder = try TemporaryFolder()
        let (store, app, _) = try await open()
        let refused = try await UserDefaultsImport(contentsOf: file(["pin": "hunter2"], in: folder), frequency: .always)
            .run(into: store)
        #expect(refused.left.map(\.name) == ["pin"] && !refused.description.contains("hunter2"))
        let taken = try await UserDefaultsImport(contentsOf: file(["pin": "4711"], in: folder), frequency: .always).run(
            into: store)
        #expect(app.pin?.revealed == 4711 && taken.converted.map(\.name) == ["pin"])
        #expect(!taken.description.contains("4711"))
    }

    @Test("Keys get other names and spellings, or are ignored") func targets() async throws {
        let folder = try TemporaryFolder()
        let (store, app, storage) = try await open()
        let lock = ArchivedObject(className: "Lock", fields: ["PLAttempts": 3, "PLOn": 1, "PLNext": 1_000])
        let old: [String: Any] = [
            "LaunchCount": 9, "NSWindow Frame": "x", "next": 0, "other": 1,
            "Lock": try KeyedArchive(root: .object(lock)).data(), "Broken": Data([1]),
        ]
        let mapping = ArchiveMapping(classes: [
            "Lock": ArchiveMapping.Class(
                keys: ["PLAttempts": "attempts", "PLOn": "isEnabled", "PLNext": "nextCheckDate"],
                values: ["PLOn": .number01, "PLNext": .secondsSince1970()])
        ])
        let report = try await UserDefaultsImport(
            contentsOf: file(old, in: folder),
            [
                "LaunchCount": "launches", "NSWindow Frame": .ignored, "Lock": .archive(mapping, "lock"),
                "Broken": .archive(mapping, "lock"), "next": .spelled(.secondsSince1970(zeroIsNone: true), "then"),
            ], others: .left
        ).run(into: store)
        #expect(app.launches == 9 && app.lock.attempts == 3 && app.lock.isEnabled)
        #expect(app.lock.nextCheckDate == Date(timeIntervalSince1970: 1_000))
        #expect(report.taken.map(\.name) == ["LaunchCount"])
        #expect(report.converted.map(\.name) == ["Lock.attempts", "Lock.isEnabled", "Lock.nextCheckDate", "next"])
        #expect(report.left.map(\.name) == ["Broken", "NSWindow Frame", "other"])
        #expect(storage.tree["then"] == nil)
    }

    @Test("A group takes the names of its settings, and nothing else") func group() async throws {
        let folder = try TemporaryFolder()
        let (store, app, _) = try await open()
        let old: [String: Any] = ["attempts": 2, "isEnabled": true, "launches": 4]
        let report = try await UserDefaultsImport(contentsOf: file(old, in: folder), others: .declared(at: "lock"))
            .run(into: store)
        #expect(app.lock.attempts == 2 && app.lock.isEnabled && app.launches == 0)
        #expect(report.taken.map(\.key) == ["lock.attempts", "lock.isEnabled"])
        #expect(report.left.map(\.name) == ["launches"])
    }

    @Test("Of the domain of all programs only what is named is taken") func globalDomain() async throws {
        let (store, app, _) = try await open()
        let defaults = try #require(ProgramDefaults(suiteName: "settle-tests-\(UUID())"))
        let report = try await UserDefaultsImport(defaults, name: "all", ["AppleLocale": "locale"]).run(into: store)
        #expect(report.taken.map(\.name) == ["AppleLocale", "launches"] && report.left.isEmpty)
        #expect(app.launches == 5 && store.keys["locale"] == .string("de_DE") && store.keys["AppleLanguages"] == nil)
    }

    @Test("The path of a group may have names with dots") func dottedGroup() async throws {
        let folder = try TemporaryFolder()
        let (store, _, _) = try await open()
        let path = SettingKey.path("accounts", "carol@example.com")
        let lock = try await store.group(Lock.self, at: path)
        let old: [String: Any] = ["attempts": 2, "launches": 4]
        let report = try await UserDefaultsImport(contentsOf: file(old, in: folder), others: .declared(at: path))
            .run(into: store)
        #expect(lock.attempts == 2)
        #expect(report.taken.map(\.name) == ["attempts"] && report.left.map(\.name) == ["launches"])
    }

    @Test("A dictionary is that of a group whose settings the file has under names with dots") func dottedNames()
        async throws
    {
        let folder = try TemporaryFolder()
        let own = folder.url.appending(path: "settings.json")
        try Data(#"{"lock.attempts": 3, "lock.isEnabled": true, "lock.nextCheckDate": 0}"#.utf8).write(to: own)
        let store = try await SettingsStore.open(at: own)
        let lock = try await store.group(Lock.self, at: "lock")
        let report = try await UserDefaultsImport(contentsOf: file(["lock": ["attempts": "7"]], in: folder))
            .run(into: store)
        #expect(lock.attempts == 7 && lock.isEnabled)
        #expect(report.left.isEmpty && report.converted.map(\.name) == ["lock.attempts"], "\(report)")
        try await store.close()
    }

    @Test("Once is once for the file, whoever opens it, and the memory is a part of the transaction") func once()
        async throws
    {
        let folder = try TemporaryFolder()
        let old = try file(["launches": 5], in: folder)
        let own = folder.url.appending(path: "settings.json")
        var store = try await SettingsStore.open(at: own)
        var app = try await store.group(App.self)
        // Without values there is nothing to remember.
        let nothing = UserDefaultsImport(contentsOf: folder.url.appending(path: "missing.plist"))
        #expect(try await nothing.run(into: store).description == "There was nothing to import.")
        var changes = store.changes.makeAsyncIterator()
        try await UserDefaultsImport(contentsOf: old).run(into: store)
        let change = try #require(await changes.next())
        #expect(change.mutations.map(\.key).contains("launches") && change.author == "UserDefaults")
        #expect(change.mutations.map(\.key).contains { $0.hasPrefix(UserDefaultsImport.memory) })
        app.launches = 6
        try await store.close()
        store = try await SettingsStore.open(at: own)
        app = try await store.group(App.self)
        let again = try await UserDefaultsImport(contentsOf: old).run(into: store)
        #expect(again.isRepeated && again.taken.isEmpty && app.launches == 6)
        let always = try await UserDefaultsImport(contentsOf: old, frequency: .always).run(into: store)
        #expect(!always.isRepeated && app.launches == 5)
        try await store.close()
    }

    @Test("Of two processes that start at the same time, one imports") func twoProcesses() async throws {
        let folder = try TemporaryFolder()
        let old = try file(["launches": 5], in: folder)
        let own = folder.url.appending(path: "settings.json")
        // Each has a storage of its own, as processes have.
        let first = try await SettingsStore.open(storage: FileStorage(at: own))
        let second = try await SettingsStore.open(storage: FileStorage(at: own))
        let apps = (try await first.group(App.self), try await second.group(App.self))
        async let one = UserDefaultsImport(contentsOf: old).run(into: first)
        async let two = UserDefaultsImport(contentsOf: old).run(into: second)
        let repeated = try await [one, two].map(\.isRepeated)
        #expect(repeated == [true, false] || repeated == [false, true])
        for await launches in apps.0.$launches where launches == 5 { break }
        for await launches in apps.1.$launches where launches == 5 { break }
        try await first.close()
        try await second.close()
    }

    @Test("A file that is no domain throws, and nothing is remembered") func unreadable() async throws {
        let folder = try TemporaryFolder()
        let (store, _, storage) = try await open()
        let file = folder.url.appending(path: "com.example.old.plist")
        for text in ["<plist>", "(1, 2)"] {
            try Data(text.utf8).write(to: file)
            await #expect(throws: (any Error).self) { try await UserDefaultsImport(contentsOf: file).run(into: store) }
        }
        #expect(storage.tree.root.isEmpty)
        try Data("{launches = 8;}".utf8).write(to: file)
        #expect(try await UserDefaultsImport(contentsOf: file).run(into: store).converted.map(\.name) == ["launches"])
    }

    @Test("A live suite is read as it is") func suite() async throws {
        let (store, app, _) = try await open()
        let name = "settle-tests-\(UUID())"
        let defaults = try #require(UserDefaults(suiteName: name))
        defaults.set("5", forKey: "launches")
        defaults.set(true, forKey: "lock.isEnabled")
        defaults.set(Data([1, 2]), forKey: "bytes")
        defer { defaults.removePersistentDomain(forName: name) }
        let report = try await UserDefaultsImport(domain: name).run(into: store)
        #expect(app.launches == 5 && app.lock.isEnabled && store.keys["bytes"] == .data(Data([1, 2])))
        #expect(report.taken.map(\.name) == ["bytes", "lock.isEnabled"])
        // Which is what its siblings take, and without the keys of the whole system.
        var all: UserDefaultsImport { UserDefaultsImport(defaults, name: "all", ["bytes": "other"]) }
        #expect(try await all.run(into: store).taken.map(\.name) == ["bytes", "lock.isEnabled"])
        #expect(store.keys["other"] == .data(Data([1, 2])))
        #expect(try await all.run(into: store).isRepeated)
        let other = UserDefaultsImport(defaults, name: "other", others: .declared(at: nil))
        #expect(try await other.run(into: store).left.contains { $0.name == "bytes" })
    }
}
