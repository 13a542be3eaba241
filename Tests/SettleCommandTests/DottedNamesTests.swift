import Settle
import SettleInterchange
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Declared settings that a file has under one name with dots, as a program reads them, too.
@Suite(.timeLimit(.minutes(10))) struct DottedNamesTests {
    /// A home whose domain `app` has a schema, and this file.
    private func home(_ text: String) async throws -> CommandHome {
        let home = try await KeysAndSchemasTests().home()
        try Data(text.utf8).write(to: home.settings("app"))
        return home
    }

    private func stored(_ home: CommandHome) throws -> SettingTree {
        let storage = FileStorage(reading: home.settings("app"), isFollowed: false)
        defer { storage.close() }
        return try storage.load().tree
    }

    @Test("A secret under a name with dots is hidden by every verb") func secrets() async throws {
        let home = try await home(#"{"limits.token": "hunter2", "limits.isOn": true}"#)
        for arguments in [
            ["read", "app"], ["read", "app", "limits.token"], ["read", "app", "limits.token", "--literal"],
            ["list", "app"], ["list", "app", "--json"], ["explain", "app", "limits.token"],
            ["explain", "app", "limits.token", "--literal"], ["find", "hunter"], ["export", "app"],
            ["history", "app"], ["check", "app"],
        ] {
            let answer = await home.run(arguments)
            #expect(!"\(answer)".contains("hunter2"), "\(arguments): \(answer)")
        }
        let editor = RecordingTerminal(isTerminal: true) { path in
            try String(contentsOfFile: path, encoding: .utf8).contains("hunter2") ? 1 : 0
        }
        let edited = await home.run("edit", "app", on: editor)
        #expect(edited.code == 0, "\(edited)")
        for arguments in [["read", "app", "limits.token"], ["list", "app"]] {
            let shown = await home.run(arguments + ["--show-secrets"], on: RecordingTerminal(isTerminal: true))
            #expect(shown.output.contains("hunter2") && !shown.output.contains("limits.token"), "\(shown)")
        }
        let renamed = await home.run("rename", "app", "limits.token", "limits.colour")
        #expect(renamed.code == 65 && renamed.errors.contains("is a secret"), "\(renamed)")
    }

    @Test("A setting under a name with dots is read, changed and removed there") func values() async throws {
        let home = try await home(#"{"limits.names": ["a", "b"], "limits.attemptCount": 4}"#)
        #expect(await home.run("read", "app", "limits.names.1").output == "b\n")
        #expect(await home.run("read-type", "app", "limits.names").output == "Type is array\n")
        #expect(await home.run("write", "app", "limits.names", "-array-add", "c").code == 0)
        #expect(try stored(home)["limits\\.names"] == .array(["a", "b", "c"].map { .string($0) }))
        #expect(await home.run("write", "app", "limits.attemptCount", "21").code == 65)
        #expect(await home.run("write", "app", "limits.attemptCount", "20").code == 0)
        #expect(await home.run("delete", "app", "limits.names").code == 0)
        #expect(try stored(home) == SettingTree(["limits.attemptCount": .integer(20)]))
    }

    @Test("A check finds a value under a name with dots") func check() async throws {
        let home = try await home(#"{"limits.attemptCount": 99}"#)
        let answer = await home.run("check", "app")
        #expect(answer.code == 1 && answer.errors.contains("in 0...20"), "\(answer)")
    }

    @Test("A name with dots does not open what is its owner's") func owners() async throws {
        let home = try await home(#"{"owned.count": 7}"#)
        for arguments in [
            ["write", "app", "--literal", "owned.count", "-int", "1", "--force"],
            ["delete", "app", "--literal", "owned.count"], ["delete", "app", "owned.count"],
            ["write", "app", "owned.count", "1"],
        ] {
            let answer = await home.run(arguments)
            #expect(answer.code == 77, "\(arguments): \(answer)")
        }
        #expect(await !home.run("export", "app").output.contains("owned"))
        #expect(await home.run("delete", "app").errors.contains("owned.count"))
        #expect(try stored(home) == SettingTree(["owned.count": .integer(7)]))
    }

    @Test("A replacement changes values under names with dots, and leaves the secrets there")
    func replacement() async throws {
        let home = try await home(#"{"limits.names": ["a"], "limits.isOn": true, "limits.token": "hunter2"}"#)
        let document = #"{"limits": {"names": ["x"]}}"#
        let tried = await home.run(
            "import", "app", "-", "--replace", "--dry-run", on: RecordingTerminal(input: document))
        #expect(tried.code == 0 && tried.output.split(separator: "\n").count == 3, "\(tried)")
        let answer = await home.run("import", "app", "-", "--replace", on: RecordingTerminal(input: document))
        #expect(answer.code == 0 && answer.errors.contains("limits.token"), "\(answer)")
        let expected: SettingValue.Entries = [
            "limits.names": .array([.string("x")]), "limits.token": .string("hunter2"),
        ]
        #expect(try stored(home) == SettingTree(expected))
    }

    @Test("A schema that was written beside names with dots describes a nested file") func flatSchema() async throws {
        let (home, app) = (try CommandHome(), KeysAndSchemasTests.App.self)
        let file = home.settings("app")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(#"{"limits.attemptCount": 7, "limits.token": "hunter2"}"#.utf8).write(to: file)
        let store = try await SettingsStore.open(at: file)
        let group = try await store.group(app)
        try await store.file.writeSchema()
        try await store.close()
        withExtendedLifetime(group) {}
        for text in [
            #"{"limits": {"attemptCount": 99, "token": "hunter2"}}"#,
            #"{"limits.attemptCount": 99, "limits.token": "hunter2"}"#,
        ] {
            try Data(text.utf8).write(to: file)
            let check = await home.run("check", "app")
            #expect(check.code == 1 && check.errors.contains("“limits.attemptCount” can't be 99"), "\(check)")
            for verb in ["list", "read", "export"] {
                #expect(await !home.run(verb, "app").output.contains("hunter2"), "\(verb)")
            }
        }
    }

    @Test("One deletion removes a setting at its path and under its name with dots, and one rename moves it")
    func twoSpellings() async throws {
        let text = #"{"limits.attemptCount": 4, "limits": {"attemptCount": 5, "isOn": true}}"#
        let rest = SettingTree(["limits": .dictionary(["isOn": .bool(true)])])
        var home = try await home(text)
        #expect(await home.run("delete", "app", "limits.attemptCount").code == 0)
        #expect(try stored(home) == rest)
        #expect(await home.run("delete", "app", "limits.attemptCount").code == 1)
        home = try await self.home(text)
        #expect(await home.run("delete", "app", "--literal", "limits.attemptCount").code == 0)
        #expect(
            try stored(home)
                == SettingTree(["limits": .dictionary(["attemptCount": .integer(5), "isOn": .bool(true)])]))
        home = try await self.home(text)
        #expect(await home.run("rename", "app", "limits.attemptCount", "old", "--force").code == 0)
        #expect(try stored(home)["old"] == .integer(4) && stored(home)["limits"] == rest["limits"])
        #expect(try stored(home)["limits\\.attemptCount"] == nil)
        for arguments in [["delete", "app"], ["import", "app", "-", "--replace"]] {
            home = try await self.home(text)
            #expect(await home.run(arguments, on: RecordingTerminal(input: "{}")).code == 0)
            #expect(try stored(home) == SettingTree(), "\(arguments)")
        }
        let document = RecordingTerminal(input: #"{"limits": {"attemptCount": 6}}"#)
        for arguments in [
            ["write", "app", "limits", "-dict", "attemptCount", "-int", "6"], ["import", "app", "-", "--replace"],
        ] {
            home = try await self.home(text)
            #expect(await home.run(arguments, on: document).code == 0)
            #expect(try stored(home) == SettingTree(["limits.attemptCount": .integer(6)]), "\(arguments)")
        }
    }

    @Test("The history of a setting has its changes under a name with dots", arguments: [true, false])
    func history(isDeclared: Bool) async throws {
        let home = try await home(#"{"limits.attemptCount": 4}"#)
        let file = home.settings("app")
        if !isDeclared {
            try FileManager.default.removeItem(
                at: file.deletingLastPathComponent().appending(path: "settings.schema.json"))
        }
        let written: [[SettingValue?]] = [[.integer(5), nil], [.integer(6)]]
        for values in written {
            let store = try await SettingsStore.open(
                at: file, configuration: .init(history: .keep(transactions: 10)))
            for value in values {
                try await store.commit {
                    if let value {
                        try store.keys.setValue(value, forKey: "limits.attemptCount")
                    } else {
                        try store.keys.removeValue(forKey: "limits.attemptCount")
                    }
                }
            }
            try await store.close()
        }
        #expect(try stored(home)["limits.attemptCount"] == .integer(6))
        for key in isDeclared ? ["limits.attemptCount", "limits"] : ["limits.attemptCount"] {
            let answer = await home.run("history", "app", key)
            for words in ["4 → 5", "5 → nothing", "nothing → 6"] {
                #expect(answer.code == 0 && answer.output.contains(words), "\(key): \(answer)")
            }
        }
        let literal = await home.run("history", "app", "--literal", "limits.attemptCount").output
        #expect(literal.contains("4 → 5") && !literal.contains("nothing → 6"), "\(literal)")
    }

    @Test(
        "The deletion of a group removes its settings under names with dots",
        arguments: ["", #", "limits": {"x": 1}"#])
    func deletedGroup(more: String) async throws {
        let home = try await home(#"{"limits.names": ["a"], "limits.token": "hunter2", "other": 1"# + more + "}")
        #expect(await home.run("delete", "app", "limits").code == 0)
        #expect(try stored(home) == SettingTree(["other": .integer(1)]))
        #expect(await home.run("delete", "app", "limits").code == 1)
    }

    @Test("A dictionary for a group replaces values under names with dots, except secrets")
    func groups() async throws {
        let home = try await home(#"{"limits.names": ["a"], "limits.isOn": true, "limits.token": "hunter2"}"#)
        #expect(await home.run("write", "app", "limits", "-dict", "isOn", "-bool", "no").code == 0)
        #expect(
            try stored(home)
                == SettingTree(["limits.isOn": .bool(false), "limits.token": .string("hunter2")]))
    }
}
