import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The verbs that `defaults` does not have.
@Suite(.timeLimit(.minutes(10))) struct OtherVerbsTests {
    @Test(
        "What was exported in any form is imported as it was; a dry run only tells",
        arguments: ["json", "xml", "binary"])
    func transfer(_ form: String) async throws {
        let home = try CommandHome()
        let list = home.file("a.plist").path
        await home.run("write", list, "n", "-int", "5")
        await home.run("write", list, "d", "-dict", "x", "-bool", "true", "y", "-array")
        let out = home.file("out").path
        #expect(await home.run("export", list, out, "--as", form).code == 0)
        await home.run("write", "other", "kept", "1")
        let told = await home.run("import", "other", out, "--dry-run", "--replace")
        #expect(told.output.contains("- kept = \"1\"") && told.output.contains("+ n = 5"))
        #expect(await home.run("read", "other").output == "{\n    kept = 1;\n}\n")
        #expect(await home.run("import", "other", out).code == 0)
        #expect(await home.run("read", "other", "--json").output.contains("\"kept\""))
        #expect(await home.run("import", "other", out, "--replace").code == 0)
        #expect(await home.run("read", "other").output == (await home.run("read", list).output))
    }

    @Test("A damaged document is refused with its line, and nothing changes")
    func damaged() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        for text in ["{\"a\": 1,\n \"b\": }", "[1]", "", "<plist><dict><key>a</key></dict></plist>"] {
            let answer = await home.run("import", "app", "-", on: RecordingTerminal(input: text))
            #expect(answer.code == 65 && !answer.errors.isEmpty, "\(text): \(answer)")
        }
        #expect(await home.run("import", "app", home.file("none").path).code == 74)
        #expect(await home.run("read", "app").output == "{\n    a = 1;\n}\n")
    }

    @Test("A conversion tells what the new form can't keep")
    func convert() async throws {
        let home = try CommandHome()
        let path = try home.write("{\"a\": null, \"b\": [1, true]}", to: "in.json")
        let list = await home.run("convert", path, home.file("out.plist").path)
        #expect(list.code == 0 && list.errors.contains("“a”"))
        #expect(await home.run("convert", home.file("out.plist").path).output.contains("\"b\""))
        #expect(await home.run("convert", path, "--as", "old").output.contains("b = (\n        1,\n        1\n    );"))
        #expect(await home.run("convert", path, "--as", "yaml").code == 64)
    }

    @Test("Old data of three kinds become settings")
    func migrate() async throws {
        let home = try CommandHome()
        let defaults = try home.write("{ \"com.example.x\" = 1; plain = 2; }", to: "old.plist")
        #expect(await home.run("migrate", "app", defaults, "--from", "userdefaults").code == 0)
        #expect(await home.run("read", "app", "com\\.example\\.x").output == "1\n")
        let strings = try home.write("/* Title */\n\"ok\" = \"Fine\";\n", to: "a.strings")
        #expect(await home.run("migrate", "app", strings, "--from", "strings").code == 0)
        #expect(await home.run("read", "app", "ok").output == "Fine\n")
        #expect(await home.run("migrate", "app", strings).code == 64)
        #expect(await home.run("migrate", "app", strings, "--from", "archive").code == 65)
    }

    @Test(
        "A verb that reads changes no file, with and without a running program, whatever has been typed into it",
        arguments: [false, true])
    func readers(isRunning: Bool) async throws {
        let home = try CommandHome()
        let store = try await SettingsStore.open(
            at: home.settings("app"), configuration: .init(history: .keep(), unheardIssueHandler: { _ in }))
        for value in 1...2 { try await store.commit { try store.keys.setValue(value, forKey: "a") } }
        try await store.file.flush()
        if !isRunning { try await store.close() }
        let folder = home.settings("app").deletingLastPathComponent()
        func files() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) })
        }
        // A running program merges an edit that it can read.
        for text in ["{\"a\": ", "{\"a\": 3}", ""] where !isRunning || text != "{\"a\": 3}" {
            try Data(text.utf8).write(to: home.settings("app"))
            let before = try files()
            let verbs = [
                ["read", "app"], ["read", "app", "a"], ["read", "app", "--json"], ["read-type", "app", "a"],
                ["check", "app"], ["check", "app", "--json"], ["explain", "app", "a"], ["export", "app", "-"],
                ["history", "app"], ["domains"], ["find", "a"], ["schema", "app"],
            ]
            for verb in verbs {
                let answer = await home.run(verb)
                #expect(answer.code != 64, "\(verb): \(answer)")
                let after = try files()
                let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
                #expect(changed.isEmpty, "\(verb) after “\(text)”: \(answer)")
                if verb == ["check", "app"], text != "{\"a\": 3}" {
                    #expect(answer.code == 1 && !answer.output.contains("healthy"), "\(answer)")
                }
            }
        }
        if isRunning { try await store.close() }
    }

    @Test("A check names the journal that a newer program has written, and not its copy") func newerJournal()
        async throws
    {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        let folder = FileStorage.stateFolder(of: home.settings("app"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let journal = folder.appending(path: try #require(names.first { $0.hasSuffix(".journal") }))
        var bytes = Array(try Data(contentsOf: journal))
        let header = try bytes.withUnsafeBytes { try JournalHeader.decode($0) }
        bytes.replaceSubrange(..<JournalHeader.size, with: header.encoded(inVersion: 4))
        try Data(bytes).write(to: journal)
        let answer = await home.run("check", "app")
        #expect(answer.code != 0 && answer.errors.contains("“\(journal.path)” can't be read"), "\(answer)")
    }

    @Test("A healthy domain is healthy, a damaged one is told and repaired")
    func check() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        let healthy = await home.run("check", "app")
        #expect(healthy.code == 0 && healthy.output == "app: healthy, values: 1\n")
        try Data("{\"a\": ".utf8).write(to: home.settings("app"))
        let before = try FileManager.default.contentsOfDirectory(atPath: home.file(".config/app").path).sorted()
        let damaged = await home.run("check", "app")
        #expect(damaged.code == 1 && damaged.errors.contains("settings.json"), "\(damaged)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.file(".config/app").path).sorted() == before)
        let told = await home.run("check", "app", "--json")
        #expect(told.code == 1 && told.output.contains("settings.json"))
        let repaired = await home.run("check", "app", "--repair")
        #expect(repaired.code == 0, "\(repaired)")
        #expect(await home.run("check", "app").code == 0)
        #expect(await home.run("read", "app", "a").output == "1\n")
        #expect(await home.run("check", "none").code == 1)
    }

    @Test("An edit stores what was changed, asks again for what can't be stored, and keeps what others wrote")
    func edit() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        await home.run("write", "app", "b", "2")
        let attempts = LockedCounter()
        let terminal = RecordingTerminal(isTerminal: true, answers: ["y"]) { path in
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let isFirst = attempts.next() == 1
            let new = isFirst ? "{" : text.isEmpty ? "" : "{\"a\": \"changed\", \"c\": [1]}"
            try Data(new.utf8).write(to: URL(filePath: path))
            return 0
        }
        let answer = await home.run("edit", "app", on: terminal)
        #expect(answer.code == 0 && attempts.count == 2, "\(answer)")
        #expect(
            await home.run("read", "app", "--json").output == "{\n  \"a\": \"changed\",\n  \"c\": [\n    1\n  ]\n}\n")
        #expect(await home.run("edit", "app").code == 69)
        let unchanged = await home.run("edit", "app", on: RecordingTerminal(isTerminal: true) { _ in 0 })
        #expect(unchanged.code == 0 && unchanged.output.contains("Nothing was changed"))
        #expect(await home.run("edit", "app", on: RecordingTerminal(isTerminal: true) { _ in 1 }).code == 69)
    }

    @Test("An edit of a key that was changed meanwhile is refused")
    func conflict() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        let file = home.settings("app")
        let terminal = RecordingTerminal(isTerminal: true) { path in
            try Data("{\"a\": \"mine\"}".utf8).write(to: URL(filePath: path))
            // Another program, meanwhile.
            let storage = FileStorage(at: file)
            _ = try storage.load()
            try storage.append(StorageBatch(revision: 1, values: ["a": .string("theirs")]), durability: .synced)
            return 0
        }
        let answer = await home.run("edit", "app", on: terminal)
        #expect(answer.code == 65, "\(answer)")
        #expect(await home.run("read", "app", "a").output == "theirs\n")
    }

    @Test("Hostile text does nothing to a terminal, and comes whole through a pipe")
    func hostile() async throws {
        let home = try CommandHome()
        let text = "a\u{1B}[31m\u{202E}\u{7}\nb"
        await home.run("write", "app", "--literal", "k\u{1B}]0;x", "-string", text)
        let shown = await home.run("list", "app", on: RecordingTerminal(isTerminal: true)).output
        #expect(!shown.contains("\u{1B}") && !shown.contains("\u{202E}"))
        let read = await home.run("read", "app", "k\u{1B}]0;x", on: RecordingTerminal(isTerminal: true)).output
        #expect(!read.contains("\u{1B}") && !read.contains("\u{7}"))
        #expect(await home.run("read", "app", "k\u{1B}]0;x").output == text + "\n")
    }

    @Test("The version is that of the library, as a verb and as an option") func version() async throws {
        let home = try CommandHome()
        for argument in ["version", "--version"] {
            let answer = await home.run(argument)
            #expect(answer.code == 0 && answer.output == "settle \(SettingsStore.libraryVersion)\n", "\(answer)")
        }
        #expect(await home.run("--version", "app").code == 64)
        let numbers = SettingsStore.libraryVersion.split(separator: "-")[0].split(separator: ".")
        #expect(numbers.count == 3 && numbers.allSatisfy { UInt($0) != nil })
    }

    @Test("Wrong use is told with the usage, and every verb explains itself")
    func usage() async throws {
        let home = try CommandHome()
        for arguments in [
            [], ["raed", "app"], ["read", "app", "a", "b"], ["read", "app", "--jsno"], ["write", "app"],
            ["read", "-g", "-app", "x", "k"], ["history", "app", "--limit"], ["history", "app", "--limit", "0"],
            ["read", "app", "--json", "--plist"], ["completions", "csh"], ["help", "nothing"], ["undo", "app", "x"],
            ["read", "app", "--literal=yes", "a"], ["bisect", "app"], ["bisect", "app", "--"],
            ["bisect", "--", "true"],
            ["bisect", "app", "true"],
        ] {
            let answer = await home.run(arguments)
            #expect(answer.code == 64 && !answer.errors.isEmpty, "\(arguments): \(answer)")
        }
        #expect(await home.run("raed", "app").errors.contains("Did you mean “read”?"))
        let help = await home.run("help").output
        let manual = await home.run("help", "--man").output
        for verb in [
            "read", "read-type", "write", "delete", "rename", "find", "list", "watch", "explain", "history", "undo",
            "bisect", "confirm", "revert",
            "export", "import", "check", "convert", "migrate", "schema", "edit", "completions", "domains", "version",
        ] {
            #expect(help.contains("\n  \(verb) "), "\(verb)")
            #expect(
                manual.contains("\nsettle \(verb)") || manual.contains("settle \(verb.replacing("-", with: "\\-"))"),
                "\(verb)")
            let one = await home.run("help", verb)
            #expect(one.code == 0 && one.output.contains("Usage: settle \(verb)"))
            #expect(await home.run(verb, "--help").output == one.output)
        }
        for line in manual.split(separator: "\n") where line.hasPrefix(".") {
            #expect([".TH", ".SH", ".SS", ".PP", ".TP", ".B "].contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
