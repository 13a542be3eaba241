import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writing with `--confirm-within`, and what ends it.
@Suite(.timeLimit(.minutes(10))) struct ConfirmVerbsTests {
    private func read(_ home: CommandHome, _ key: String = "a") async -> String {
        await home.run("read", "app", key).output
    }

    @Test("A change is told with its deadline, listed, and confirmed") func confirmed() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "-int", "1")
        let written = await home.run("write", "app", "--confirm-within", "5m", "--by", "alice", "a", "-int", "2")
        #expect(written.code == 0 && written.output.isEmpty, "\(written)")
        let sentence = "Not confirmed yet: a (by “alice”). It will be reverted at "
        #expect(written.errors.contains(sentence), "\(written)")
        #expect(await read(home) == "2\n")
        for verb in ["list", "check"] {
            let answer = await home.run(verb, "app")
            #expect(answer.code == 0 && answer.errors.contains(sentence), "\(answer)")
            #expect(answer.errors.split(separator: "\n").count == 1)
        }
        let confirmed = await home.run("confirm", "app")
        #expect(confirmed.code == 0 && confirmed.output == "a stays.\n", "\(confirmed)")
        #expect(await home.run("list", "app").errors.isEmpty)
        for verb in ["confirm", "revert"] {
            let answer = await home.run(verb, "app")
            #expect(answer.code == 1 && answer.errors.contains("no unconfirmed change"), "\(answer)")
        }
        #expect(await read(home) == "2\n")
    }

    @Test("An edit in an editor is taken back by hand") func edited() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "-int", "1")
        let editor = RecordingTerminal(isTerminal: true) { path in
            try Data("{\"a\": 2}".utf8).write(to: URL(filePath: path))
            return 0
        }
        let edited = await home.run("edit", "app", "--confirm-within", "5m", "--by", "alice", on: editor)
        #expect(edited.code == 0 && edited.errors.contains("Not confirmed yet: a (by “alice”)."), "\(edited)")
        #expect(await read(home) == "2\n")
        #expect(await home.run("revert", "app").code == 0)
        #expect(await read(home) == "1\n")
    }

    @Test("A change is taken back by hand") func reverted() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "-int", "1")
        await home.run("write", "app", "b", "-int", "1")
        await home.run("delete", "app", "a", "--confirm-within", "1h30m")
        await home.run("rename", "app", "b", "c", "--confirm-within=90s")
        let answer = await home.run("revert", "app")
        #expect(answer.code == 0 && answer.output.contains("a is as it was before."), "\(answer)")
        #expect(await read(home) == "1\n")
        #expect(await read(home, "b") == "1\n")
        #expect(await home.run("read", "app", "c").code == 1)
    }

    @Test("Whoever writes next finds it taken back; what only reads changes nothing") func tooLate() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "-int", "1")
        await home.run("import", "app", "-", "--confirm-within", "1ms", on: RecordingTerminal(input: "{\"a\": 2}"))
        while await read(home) == "2\n", await home.run("list", "app").errors.contains("Not confirmed") {
            // The time must be over before the next opening: a millisecond is, by then.
            if await home.run("confirm", "app").code != 0 { break }
        }
        #expect(await read(home) == "1\n")
        #expect(await home.run("confirm", "app").code == 1)
    }

    @Test("A duration must be one", arguments: ["5", "soon", "-5m", "0s", ""]) func durations(_ text: String)
        async throws
    {
        let home = try CommandHome()
        let answer = await home.run("write", "app", "--confirm-within", text, "a", "1")
        #expect(answer.code == 64, "\(answer)")
        #expect(await home.run("read", "app").code == 1)
    }

    @Test("A secret of the schema is refused, and makes no record") func secrets() async throws {
        let home = try await KeysAndSchemasTests().home()
        let answer = await home.run("write", "app", "--confirm-within", "5m", "limits.token", "new")
        #expect(answer.code == 65 && answer.errors.contains("“limits.token”"), "\(answer)")
        #expect(!answer.errors.contains("hunter2"))
        #expect(await home.run("confirm", "app").code == 1)
    }

    @Test("A record that can't be read is named, and stays") func unreadable() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "-int", "1")
        await home.run("write", "app", "a", "-int", "2", "--confirm-within", "5m")
        try Data(#"{"a": 2, "$settle": {"unconfirmed": "later"}}"#.utf8).write(to: home.settings("app"))
        for verb in ["confirm", "revert"] {
            let answer = await home.run(verb, "app")
            #expect(answer.code == 65 && answer.errors.contains("“$settle.unconfirmed”"), "\(answer)")
        }
        let check = await home.run("check", "app")
        #expect(check.code == 1 && check.errors.contains("“$settle.unconfirmed”"), "\(check)")
        #expect(await read(home) == "2\n")
        #expect(try String(contentsOf: home.settings("app"), encoding: .utf8).contains("\"unconfirmed\": \"later\""))
    }

    @Test("No file is made where there is none") func absent() async throws {
        let home = try CommandHome()
        #expect(await home.run("confirm", "none").code == 1)
        #expect(!FileManager.default.fileExists(atPath: home.file(".config/none").path))
    }
}
