import Settle
import SettleInterchange
import SettleTesting
import Testing

/// What people see first: the help, the list, and what a verb says of what it has left alone.
@Suite(.timeLimit(.minutes(10))) struct ScreensTests {
    @Test("Without arguments, ten lines are shown, and the help shows all verbs in groups")
    func help() async throws {
        let home = try CommandHome()
        let alone = await home.run([])
        let lines = (alone.output + alone.errors).split(separator: "\n")
        #expect(alone.code == 64 && lines.count == 10 && lines.allSatisfy { $0.count <= 110 }, "\(alone)")
        #expect(alone.output.contains("\n  write ") && alone.output.contains("“settle help” lists all verbs"))
        let help = await home.run("help").output
        for title in ["Read", "Declarations", "Write", "History and repair", "Documents", "The command"] {
            #expect(help.contains("\n\n\(title):\n  "), "\(title)")
        }
        for verb in ["insert", "batch", "describe", "range", "defaults"] {
            #expect(help.contains("\n  \(verb) "), "\(verb)")
            #expect(await home.run("help", verb).output.contains("Usage: settle \(verb)"))
        }
    }

    @Test("A list fits the width of a terminal, and is whole in a pipe")
    func list() async throws {
        let home = try CommandHome()
        let long = String(repeating: "long ", count: 60)
        await home.run("write", "app", "window.title", "-string", long)
        await home.run("write", "app", "window.width", "-int", "8")
        let piped = await home.run("list", "app").output
        #expect(piped.contains("  title  \"\(long)\"  string   application\n"))
        for width in [40, 72] {
            let shown = await home.run("list", "app", on: RecordingTerminal(isTerminal: true, width: width)).output
            let lines = shown.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= width } && lines.contains { $0.count == width }, "\(shown)")
            #expect(shown.contains("…") && shown.contains("  8 "), "\(shown)")
        }
        let wide = await home.run("list", "app", on: RecordingTerminal(isTerminal: true, width: 500)).output
        #expect(wide == piped)
    }

    @Test("A search whose records can't all be written writes none") func refusedSearch() async throws {
        let home = try CommandHome()
        await home.run("write", "a", "colour", "blue")
        let input = RecordingTerminal(input: #"{"colour": "blue\u0000"}"#)
        #expect(await home.run("import", "b", "-", on: input).code == 0)
        let answer = await home.run("find", "blue", "--null")
        #expect(answer.code == 65 && answer.output.isEmpty, "\(answer)")
    }

    @Test("Records for scripts end with NUL, and a value that has one itself is refused")
    func records() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "window.title", "-string", "two\nlines")
        await home.run("write", "app", "list", "-array", "a", "-int", "1")
        #expect(await home.run("read", "app", "window.title", "-z").output == "two\nlines\u{0}")
        #expect(await home.run("read", "app", "--null").output == "list\n[\"a\",1]\u{0}window.title\ntwo\nlines\u{0}")
        let all = await home.run("read", "-z")
        #expect(all.output == "app\nlist\n[\"a\",1]\u{0}app\nwindow.title\ntwo\nlines\u{0}", "\(all)")
        #expect(await home.run("list", "app", "-z").output == "list\n[\"a\",1]\u{0}window.title\ntwo\nlines\u{0}")
        #expect(await home.run("domains", "-z").output == "app\u{0}")
        #expect(await home.run("find", "title", "-z").output == "app\nwindow.title\ntwo\nlines\u{0}")
        #expect(await home.run("list", "app", "-z", "--json").code == 64)
        await home.run("write", "app", "evil", "--json", "\"a\\u0000b\"")
        let refused = await home.run("list", "app", "-z")
        #expect(refused.code == 65 && refused.output.isEmpty && refused.errors.contains("--json"), "\(refused)")
    }

    @Test("A key with a line feed feigns no part of a record")
    func feignedRecord() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "--literal", "k\nfeigned", "value")
        for arguments in [["read", "app", "-z"], ["list", "app", "-z"], ["find", "feigned", "-z"]] {
            let refused = await home.run(arguments)
            #expect(refused.code == 65 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("line feed") && refused.errors.contains("--json"), "\(refused)")
        }
    }

    @Test("A search takes a word, or a pattern for a whole name, path or value")
    func find() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "window.width", "-int", "800")
        await home.run("write", "app", "title", "-string", "Window 1")
        func found(_ arguments: String...) async -> String {
            await home.run(["find", "-z"] + arguments).output.replacing("\u{0}", with: ";")
        }
        #expect(await found("window") == "app\ntitle\nWindow 1;app\nwindow.width\n800;")
        #expect(await found("window", "--keys") == "app\nwindow.width\n800;")
        #expect(await found("window", "--values") == "app\ntitle\nWindow 1;")
        #expect(await found("w?dth") == "app\nwindow.width\n800;")
        #expect(await found("window.*") == "app\nwindow.width\n800;")
        #expect(await found("window*", "--values") == "app\ntitle\nWindow 1;")
        #expect(await home.run("find", "indow*").code == 1)
        #expect(await home.run("find", "a", "--keys", "--values").code == 64)
    }

    @Test("A setting is described, and the values that it can have are shown")
    func describe() async throws {
        let home = try await KeysAndSchemasTests().home()
        let shown = await home.run("describe", "app", "limits.attemptCount")
        #expect(
            shown.output == """
                limits.attemptCount
                  title    Attempts
                  help     Failed ones. It must be in 0...20.
                  type     Int
                  default  3

                """, "\(shown)")
        #expect(await home.run("range", "app", "limits.attemptCount").output == "maximum 20\nminimum 0\ntype integer\n")
        #expect(await home.run("range", "app", "limits.colour").output == "enum red\nenum green\ntype string\n")
        let json = await home.run("describe", "app", "limits.token", "--json").output
        #expect(json.contains("\"isSecret\": true") && !json.contains("default") && !json.contains("hunter2"))
        #expect(await home.run("describe", "app", "owned.count").output.contains("Only its owner may change it."))
        #expect(await home.run("describe", "app", "limits.nothing").code == 1)
        await home.run("write", "other", "n", "-int", "1")
        #expect(await home.run("describe", "other", "n").output == "n\n  type      integer\n  declared  No.\n")
        #expect(await home.run("range", "other", "n").output == "type integer\n")
    }

    @Test(
        "What stays is named if everything else is replaced or removed",
        arguments: [["write", "app", "{}"], ["delete", "app"]])
    func kept(_ arguments: [String]) async throws {
        let home = try await KeysAndSchemasTests().home()
        let store = try await SettingsStore.open(at: home.settings("app"))
        let app = try await store.group(KeysAndSchemasTests.App.self)
        try await store.commit { (app.owned.count, app.limits.isOn) = (7, true) }
        try await store.close()
        let answer = await home.run(arguments)
        #expect(answer.code == 0 && answer.errors.contains("only the owner may do that: owned.count"), "\(answer)")
        #expect(answer.errors.contains("limits.token") == (arguments.first == "write"))
        #expect(!"\(answer)".contains("hunter2"))
        #expect(await home.run("read", "app", "limits.isOn").code == 1)
        #expect(await home.run("read", "app", "owned.count").output == "7\n")
    }

    @Test("If a secret can't be undone, the refusal names what can be done instead")
    func undo() async throws {
        let home = try CommandHome()
        let store = try await SettingsStore.open(
            at: home.settings("app"), configuration: .init(history: .keep(transactions: 10)))
        let app = try await store.group(KeysAndSchemasTests.App.self)
        try await store.commit { app.limits.token = Secret("hunter3") }
        try await store.file.writeSchema()
        try await store.close()
        let answer = await home.run("undo", "app")
        #expect(answer.code == 65 && answer.errors.contains("“settle write app limits.token VALUE”"), "\(answer)")
        #expect(answer.errors.contains("“settle import app -”") && !"\(answer)".contains("hunter3"))
    }
}
