import Settle
import SettleInterchange
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which key a text means, and what the schema of a program adds.
@Suite(.timeLimit(.minutes(10))) struct KeysAndSchemasTests {
    struct Limits: SettingsGroup {
        @Setting(in: 0...20, title: "Attempts", help: "Failed ones.") var attemptCount = 3
        @Setting var isOn = false
        @Setting var names: [String] = []
        @Setting var numbers: [Int] = []
        @Setting var started: Date?
        @Setting var wait = Duration.seconds(5)
        @Setting var token = Secret("")
        @Setting(.oneOf(["red", "green"])) var colour = "red"
        @Setting("with\\.dot") var dotted = 1
    }

    struct Owned: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting var count = 0
    }

    struct App: SettingsGroup {
        let limits = Limits()
        let owned = Owned()
    }

    func home() async throws -> CommandHome {
        let home = try CommandHome()
        let store = try await SettingsStore.open(at: home.settings("app"))
        let app = try await store.group(App.self)
        try await app.limits.commit { app.limits.token = Secret("hunter2") }
        try await store.file.writeSchema()
        try await store.close()
        return home
    }

    @Test(
        "What an owner has stored is not undone",
        arguments: [["undo", "app"], ["undo", "app", "--last-by", "lock"]])
    func undoneOwner(arguments: [String]) async throws {
        let home = try CommandHome()
        let store = try await SettingsStore.open(
            at: home.settings("app"), configuration: .init(history: .keep(transactions: 10)))
        let app = try await store.group(App.self)
        try await app.owned.commit(author: "lock") { app.owned.count = 7 }
        try await store.file.writeSchema()
        try await store.close()
        let refused = await home.run(arguments)
        #expect(refused.code == 77 && refused.errors.contains("“owned.count” belongs to its owner"), "\(refused)")
        #expect(await home.run("read", "app", "owned.count").output == "7\n")
    }

    @Test("A key is a declared one, else one that is stored under that name, else a path; new ones are paths")
    func keys() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a.b", "path")
        #expect(await home.run("read", "app", "a", "--json").output == "{\n  \"b\": \"path\"\n}\n")
        await home.run("write", "app", "--literal", "a.b", "literal")
        #expect(await home.run("read", "app", "a.b").output == "literal\n")
        #expect(await home.run("read", "app", "a", "--json").output == "{\n  \"b\": \"path\"\n}\n")
        await home.run("write", "app", "a.b", "again")
        #expect(await home.run("read", "app", "a\\.b").output == "again\n")
        #expect(await home.run("delete", "app", "a.b").code == 0)
        #expect(await home.run("read", "app", "a.b").output == "path\n")
        for key in ["", ".", "a..b", "a."] {
            #expect(await home.run("write", "app", key, "1").code == 64, "\(key)")
        }
    }

    @Test(
        "The declaration says what a text is",
        arguments: [
            ("attemptCount", "7", "7"), ("isOn", "yes", "true"), ("isOn", "1", "true"),
            ("names", "(a, b)", "[\"a\",\"b\"]"), ("names", "[\"x\", \"y\"]", "[\"x\",\"y\"]"),
            ("names", "<array><string>x</string><string>y</string></array>", "[\"x\",\"y\"]"),
            ("attemptCount", "<integer>7</integer>", "7"), ("names", "a, b", "[\"a\",\"b\"]"),
            ("numbers", "3,4", "[3,4]"), ("numbers", "5", "[5]"), ("numbers", "[6]", "[6]"),
            ("started", "2026-01-02T03:04:05Z", "\"2026-01-02T03:04:05Z\""), ("started", "null", "null"),
            ("wait", "90s", "\"90s\""), ("colour", "green", "\"green\""),
        ])
    func types(_ key: String, _ text: String, _ stored: String) async throws {
        let home = try await home()
        if key == "started" { await home.run("write", "app", "limits.started", "2000-01-01T00:00:00Z") }
        let answer = await home.run("write", "app", "limits.\(key)", text)
        #expect(answer.code == 0, "\(answer)")
        let read = await home.run("read", "app", "limits.\(key)", "--json").output
        #expect(read.filter { !$0.isWhitespace } == stored.filter { !$0.isWhitespace })
        // The program takes it as what it has declared.
        let store = try await SettingsStore.open(at: home.settings("app"))
        let app = try await store.group(App.self)
        #expect(store.settings.allSatisfy { $0.problem == nil })
        if key == "names" { #expect(app.limits.names.count == 2) }
        try await store.close()
    }

    @Test("What the program would not take is refused with the rule, and an unknown key with the nearest one")
    func refusals() async throws {
        let home = try await home()
        let rule = await home.run("write", "app", "limits.attemptCount", "21")
        #expect(
            rule.code == 65 && rule.errors.contains("limits.attemptCount") && rule.errors.contains("in 0...20"),
            "\(rule)")
        #expect(await home.run("write", "app", "limits.attemptCount", "-string", "x").code == 65)
        #expect(await home.run("write", "app", "limits.colour", "blue").errors.contains("red, green"))
        let unknown = await home.run("write", "app", "limits.atemptCount", "1")
        #expect(unknown.code == 65 && unknown.errors.contains("Did you mean “limits.attemptCount”?"))
        #expect(await home.run("write", "app", "limits.atemptCount", "-int", "1", "--force").code == 0)
        #expect(await home.run("read", "app", "limits.attemptCount").code == 1)
        for verb in [
            ["write", "app", "owned.count", "5"], ["delete", "app", "owned"],
            ["rename", "app", "limits.isOn", "owned.count"],
        ] {
            await home.run("write", "app", "limits.isOn", "yes")
            let answer = await home.run(verb)
            #expect(answer.code == 77 || answer.code == 1, "\(answer)")
        }
        let imported = await home.run(
            "import", "app", "-", on: RecordingTerminal(input: "{\"limits\": {\"isOn\": true, \"attemptCount\": 99}}"))
        #expect(imported.code == 65)
        #expect(await home.run("read", "app", "limits.attemptCount").code == 1)
    }

    @Test("Secrets are not shown by any verb, unless they are asked for on a terminal")
    func secrets() async throws {
        let home = try await home()
        let list = home.file("out.json").path
        for arguments in [
            ["read", "app"], ["read", "app", "limits.token"], ["read", "app", "limits"], ["read", "app", "--json"],
            ["list", "app"], ["list", "app", "--json"], ["explain", "app", "limits.token"],
            ["explain", "app", "limits.token", "--json"], ["find", "token"], ["export", "app"],
            ["export", "app", list], ["check", "app"], ["history", "app"], ["schema", "app"],
            ["__complete", "write", "app", "limits.token", ""],
        ] {
            for isTerminal in [true, false] {
                let answer = await home.run(arguments, on: RecordingTerminal(isTerminal: isTerminal))
                #expect(!"\(answer)".contains("hunter2"), "\(arguments)")
            }
        }
        #expect(try !String(contentsOfFile: list, encoding: .utf8).contains("hunter2"))
        let piped = await home.run("read", "app", "limits.token", "--show-secrets")
        #expect(piped.code == 69 && !"\(piped)".contains("hunter2"))
        for arguments in [["read", "app", "limits.token"], ["list", "app"], ["read", "app"]] {
            let shown = await home.run(arguments + ["--show-secrets"], on: RecordingTerminal(isTerminal: true))
            #expect(shown.output.contains("hunter2"), "\(arguments)")
        }
        let refused = await home.run("write", "app", "limits.token", "-int", "4711")
        #expect(refused.code == 65 && !"\(refused)".contains("4711"))
    }

    @Test("An import that replaces everything leaves secrets and an owner's settings, and an export leaves them out")
    func replacing() async throws {
        let home = try await home()
        let store = try await SettingsStore.open(at: home.settings("app"))
        let app = try await store.group(App.self)
        try await store.commit { (app.owned.count, app.limits.isOn) = (7, true) }
        try await store.close()
        let exported = await home.run("export", "app", "--json").output
        #expect(exported.contains("isOn") && !exported.contains("owned") && !exported.contains("token"))
        let input = RecordingTerminal(input: "{\"limits\": {\"attemptCount\": 4}}")
        #expect(await home.run("import", "app", "-", "--replace", on: input).code == 0)
        let again = try await SettingsStore.open(at: home.settings("app"))
        let now = try await again.group(App.self)
        #expect(now.owned.count == 7 && now.limits.token.revealed == "hunter2")
        #expect(now.limits.attemptCount == 4 && !now.limits.isOn)
        try await again.close()
    }

    @Test("The list has declared defaults, types and titles, and words are completed")
    func listing() async throws {
        let home = try await home()
        await home.run("write", "app", "limits.attemptCount", "4")
        await home.run("write", "app", "--force", "other", "-int", "1")
        let lines = await home.run("list", "app").output
        #expect(lines.contains("limits\n  attemptCount  4"))
        #expect(lines.contains("Int"))
        #expect(lines.contains("application") && lines.contains("declaration"))
        let explained = await home.run("explain", "app", "limits.attemptCount").output
        #expect(explained.contains("limits.attemptCount = 4, from application") && explained.contains("Failed ones."))
        #expect(
            await home.run("__complete", "write", "app", "limits.at").output.hasPrefix(
                "limits.attemptCount\tAttempts\n"))
        #expect(await home.run("__complete", "write", "app", "limits.colour", "").output == "red\ngreen\n")
        #expect(await home.run("__complete", "read", "a").output == "app\n")
        #expect(await home.run("__complete", "re").output.contains("read-type\tShows"))
        #expect(await home.run("__complete", "write", "app", "limits.isOn", "-b").output.contains("-bool\t"))
        #expect(await home.run("__complete", "read", "app", "--l").output.hasPrefix("--literal\t"))
    }
}
