import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Where the bytes of a secret are, when its setting is stored in a folder of secrets.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SecretBytesTests {
    private let home: TemporaryFolder
    private var folder: URL { home.url.appending(path: "secrets") }

    init() throws {
        home = try TemporaryFolder()
    }

    private func open(_ name: String = "settings.json") async throws -> (SettingsStore, SecretGroup) {
        let store = try await SettingsStore.open(
            at: home.url.appending(path: name), searching: [.secretStore(in: folder), .application],
            configuration: .init(history: .keep()))
        return (store, try await store.group(SecretGroup.self))
    }

    /// The paths of all files with a text, in the settings' folder and in those within it.
    private func files(with text: String) throws -> [String] {
        let paths = try #require(FileManager.default.enumerator(atPath: home.url.path))
        var found: [String] = []
        for case let path as String in paths {
            let file = home.url.appending(path: path)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            // A file that has just been removed has no bytes.
            guard let data = try? Data(contentsOf: file) else { continue }
            if data.range(of: Data(text.utf8)) != nil { found.append(path) }
        }
        return found.sorted()
    }

    @Test("The folder of secrets alone has them, whatever is written, undone, exported and closed") func bytes()
        async throws
    {
        let (store, settings) = try await open()
        for number in 1...3 {
            try await store.domains[.secretStore].update { settings.token = Secret("hunter2-\(number)") }
            settings.token = Secret("hunter2-refused")
            try await settings.commit { settings.name = "name \(number)" }
            try await store.file.flush()
        }
        let newest = try #require(store.history.token)
        try await store.history.undo(newest)
        try await store.file.flush()
        let data = try await store.file.export(includingSecrets: true)
        try data.write(to: home.url.appending(path: "export.json"))
        #expect(try files(with: "name 2").contains("settings.json"))
        #expect(try files(with: "hunter2-3") == ["secrets/token"])
        #expect(try files(with: "hunter2") == ["secrets/token"])
        try await store.close()
        #expect(try files(with: "hunter2") == ["secrets/token"])
        let calls = POSIXSystemCalls()
        #expect(try calls.status(at: folder.path).permissions == 0o700)
        #expect(try calls.status(at: folder.appending(path: "token").path).permissions == 0o600)

        let (again, reopened) = try await open()
        #expect(reopened.token?.revealed == "hunter2-3")
        try await again.close()
    }

    @Test("An earlier value leaves the settings, and erasing leaves none of its bytes")
    func earlierValue() async throws {
        try Data(#"{"token": "hunter2-early"}"#.utf8).write(to: home.url.appending(path: "settings.json"))
        let (store, settings) = try await open()
        try await store.domains[.secretStore].update { settings.token = Secret("new") }
        try await store.file.flush()
        #expect(try !files(with: "hunter2-early").contains("settings.json"))
        try await store.file.eraseEarlierValues()
        #expect(try files(with: "hunter2-early") == [])
        try await store.close()
    }

    @Test("Two stores write one folder: each secret is that of the last write, in both") func twoStores() async throws {
        let (first, ours) = try await open("first.json")
        let (second, theirs) = try await open("second.json")
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for number in 1...20 {
                    try await first.domains[.secretStore].update {
                        ours.token = Secret("first \(number)")
                        ours.pin = Secret(number)
                    }
                }
            }
            tasks.addTask {
                for number in 1...20 {
                    try await second.domains[.secretStore].update {
                        theirs.token = Secret("second \(number)")
                        theirs.list = [Secret("\(number)")]
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let last = try String(contentsOf: folder.appending(path: "token"), encoding: .utf8)
        #expect(["first 20", "second 20"].contains(last))
        for settings in [ours, theirs] {
            try await eventually("both have the last values") {
                settings.token?.revealed == last && settings.pin.revealed == 20
                    && settings.list.map(\.revealed) == ["20"]
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["list", "pin", "token"])
        try await first.close()
        try await second.close()
    }

    @Test("Increments by many tasks are all in the secret") func increments() async throws {
        let (store, settings) = try await open()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 1...40 {
                tasks.addTask {
                    try await store.domains[.secretStore].update { settings.pin = Secret(settings.pin.revealed + 1) }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(settings.pin.revealed == 40)
        #expect(try String(contentsOf: folder.appending(path: "pin"), encoding: .utf8) == "40")
        try await store.close()
    }
}
