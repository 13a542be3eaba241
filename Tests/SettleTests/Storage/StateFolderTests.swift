import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// A file in a folder within `.config`, whose journal and other companions are in the folder for state.
@Suite(.timeLimit(.minutes(5)), .silencingIssues) struct StateFolderTests {
    private struct Window: SettingsGroup {
        static let category = SettingsCategory.state
        @Setting var width = 800
    }

    private struct App: SettingsGroup {
        @Setting var theme = "light"
        let window = Window()
    }

    private let temporary: TemporaryFolder
    private let calls = FaultySystemCalls(synchronizes: false)

    init() throws {
        temporary = try TemporaryFolder()
        try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
    }

    private var configuration: URL { temporary.url.appending(path: ".config/app") }
    private var state: URL { temporary.url.appending(path: ".local/state/app") }
    private var file: URL { configuration.appending(path: "settings.json") }

    private func open() async throws -> SettingsStore {
        try await SettingsStore.open(at: file, in: StoreRegistry()) { [file, calls] in
            FileStorage(at: file, calls: calls, watching: SystemFileWatching.shared)
        }
    }

    /// A store whose group has been written, and what is written again and again.
    private func written() async throws -> (SettingsStore, App) {
        let store = try await open()
        let app = try await store.group(App.self)
        try await app.commit {
            app.theme = "dark"
            app.window.width = 1_024
        }
        try await store.file.flush()
        return (store, app)
    }

    private func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func value() throws -> SettingValue? {
        try FileFormat.json.decode(Array(Data(contentsOf: file)))["theme"]
    }

    // MARK: What stands where

    @Test("The folder of configuration has exactly one file, however often it is written") func oneFile() async throws {
        let (store, app) = try await written()
        for theme in ["a", "b", "c"] {
            try await app.commit { app.theme = theme }
            try await store.file.flush()
            #expect(names(in: configuration) == ["settings.json"])
        }
        try await store.withLock(named: "backup") {}
        #expect(FileStorage.stateFolder(of: file).path == state.path)
        #expect(
            names(in: state) == [
                ".settings.json.backup.lock", ".settings.json.journal", ".settings.json.previous",
                "settings.state.json",
            ])
        let previous = try Data(contentsOf: state.appending(path: ".settings.json.previous"))
        #expect(try FileFormat.json.decode(Array(previous))["theme"] == .string("b"))
        for folder in [state, state.deletingLastPathComponent()] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        }
        try await store.close()
        #expect(names(in: configuration) == ["settings.json"])
    }

    @Test("Neither folder need be there before") func newFolders() async throws {
        try FileManager.default.removeItem(at: configuration)
        let (store, _) = try await written()
        try await store.close()
        #expect(try value() == .string("dark"))
        #expect(names(in: state).contains(".settings.json.journal"))
    }

    @Test("Reading makes no folder") func reading() async throws {
        try Data(#"{"theme": "mine"}"#.utf8).write(to: file)
        let store = try await open()
        let app = try await store.group(App.self)
        #expect(app.theme == "mine")
        try await store.close()
        #expect(names(in: temporary.url) == [".config"])
    }

    @Test("A version before that can't be moved, as to another file system, is not kept, and nothing else differs")
    func unmovable() async throws {
        let (store, app) = try await written()
        // Something that can't be moved either has its name.
        calls.fail(everyCallAt: "settings.json.corrupt-1", with: .crossesDevices)
        let previous = state.appending(path: ".settings.json.previous/in the way")
        try? FileManager.default.removeItem(at: previous.deletingLastPathComponent())
        try FileManager.default.createDirectory(at: previous, withIntermediateDirectories: true)
        try await app.commit { app.theme = "red" }
        try await store.file.flush()
        try await store.close()
        #expect(names(in: configuration) == ["settings.json"])
        #expect(try value() == .string("red"))
        let reopened = try await open()
        #expect(reopened.file.loadOutcome == .intact)
        try await reopened.close()
    }

    @Test("What another process has replaced and not put away is read and erased")
    func displaced() async throws {
        let (store, _) = try await written()
        try await store.close()
        let displaced = configuration.appending(path: ".settings.json.previous")
        try Data(#"{"theme": "old", "gone": 1}"#.utf8).write(to: displaced)
        let next = try await open()
        #expect(try await next.file.hasTraces(at: "gone"))
        try await next.file.eraseEarlierValues()
        #expect(names(in: configuration) == ["settings.json"])
        #expect(try await !next.file.hasTraces(at: "gone"))
        try await next.close()
    }

    // MARK: Other processes and people

    @Test("Another store learns of commits from the journal, and of edits from the file") func followed() async throws {
        let (store, app) = try await written()
        let other = try await open()
        let theirs = try await other.group(App.self)
        #expect(theirs.theme == "dark" && theirs.window.width == 1_024)
        try await app.commit { app.theme = "blue" }
        for await theme in theirs.$theme where theme == "blue" { break }
        try Data(#"{"theme": "edited"}"#.utf8).write(to: file, options: .atomic)
        for await theme in app.$theme where theme == "edited" { break }
        for await theme in theirs.$theme where theme == "edited" { break }
        try await theirs.commit { theirs.window.width += 1 }
        for await width in app.window.$width where width == 1_025 { break }
        try await store.close()
        try await other.close()
    }

    @Test(
        "A removed folder is made again, with everything in it",
        arguments: [".config/app", ".config", ".local/state"])
    func removed(folder: String) async throws {
        let (store, app) = try await written()
        // In one step: the store, which notices it, may put files back into a folder that is just being emptied.
        let gone = temporary.url.appending(path: "gone")
        try FileManager.default.moveItem(at: temporary.url.appending(path: folder), to: gone)
        try FileManager.default.removeItem(at: gone)
        try await app.commit { app.theme = "still" }
        try await store.file.flush()
        try await store.close()
        #expect(try value() == .string("still"))
        #expect(names(in: configuration) == ["settings.json"])
        let next = try await open()
        let found = try await next.group(App.self)
        #expect(found.theme == "still" && found.window.width == 1_024)
        try await next.close()
    }

    @Test("Without the folder for state the file's own values are found, and without the file nothing is made up")
    func removedAtRest() async throws {
        let (store, _) = try await written()
        try await store.close()
        try FileManager.default.removeItem(at: state)
        let second = try await open()
        let found = try await second.group(App.self)
        #expect(found.theme == "dark" && found.window.width == 800)
        try await found.commit { found.window.width = 1 }
        try await second.file.flush()
        try await second.close()
        try FileManager.default.removeItem(at: configuration)
        let third = try await open()
        guard case .removed = third.file.loadOutcome else {
            Issue.record("\(third.file.loadOutcome)")
            return
        }
        try await third.close()
    }

    @Test("A folder for state that can't be made is named, and nothing is lost") func unwritable() async throws {
        try Data(#"{"theme": "mine"}"#.utf8).write(to: file)
        calls.fail(every: .makeFolder, with: .notPermitted)
        let store = try await open()
        let app = try await store.group(App.self)
        app.theme = "new"
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error.map { "\($0)".contains("/.local/state/app”") } == true, "\(error as Any)")
        #expect(try value() == .string("mine"))
        calls.heal()
        try await store.close()
        #expect(try value() == .string("new"))
    }

    @Test("A link to a file leads to the folder for state of what it leads to") func link() async throws {
        let target = temporary.url.appending(path: "dotfiles/settings.json")
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(#"{"theme": "mine"}"#.utf8).write(to: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        let (store, _) = try await written()
        try await store.close()
        #expect(names(in: target.deletingLastPathComponent()).contains(".settings.json.journal"))
        #expect(FileStorage.stateFolder(of: file).path == target.deletingLastPathComponent().path)
        #expect(names(in: configuration) == ["settings.json"] && names(in: state).isEmpty)
    }

    @Test("A first look at the file finds the journal there") func quickRead() async throws {
        let (store, app) = try await written()
        // Not four letters, which may be base64.
        app.theme = "light"
        try await store.close()
        let path = FilePath(file.path)
        #expect(FileStorage.valueAtFirstSight(of: "theme", in: path) == .string("light"))
        try FileManager.default.removeItem(at: state)
        #expect(FileStorage.valueAtFirstSight(of: "theme", in: path) == nil)
    }

    @Test("Another program reads the file with its journal as a domain") func domain() async throws {
        let (store, app) = try await written()
        let reader = try await SettingsStore.open(
            at: temporary.url.appending(path: "other.json"), searching: [.application, .suite("app", at: file)])
        #expect(try reader.keys.value(forKey: "theme", as: String.self) == "dark")
        try await app.commit { app.theme = "green" }
        for await theme in reader.keys.values(forKey: "theme", as: String.self) where theme == "green" { break }
        try await reader.close()
        try await store.close()
    }
}
