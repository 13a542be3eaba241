import Settle
import SettleTesting
import Testing

/// Elements of arrays, and several changes in one transaction.
@Suite(.timeLimit(.minutes(10))) struct ArraysAndBatchTests {
    /// A domain with `{"list": [{"name": "a"}, "b"], "n": 1}`.
    private func home() async throws -> CommandHome {
        let home = try CommandHome()
        let input = RecordingTerminal(input: "{\"list\": [{\"name\": \"a\"}, \"b\"], \"n\": 1}")
        #expect(await home.run("import", "app", "-", on: input).code == 0)
        return home
    }

    private func json(_ home: CommandHome, _ key: String) async -> String {
        await home.run("read", "app", key, "--json").output.filter { !$0.isWhitespace }
    }

    @Test("An element of an array is read, written, inserted and removed by its index")
    func elements() async throws {
        let home = try await home()
        #expect(await home.run("read", "app", "list.0.name").output == "a\n")
        #expect(await home.run("read-type", "app", "list.1").output == "Type is string\n")
        for (arguments, list) in [
            (["write", "app", "list.1", "-int", "2"], "[{\"name\":\"a\"},2]"),
            (["write", "app", "list.0.size.width", "-int", "8"], "[{\"name\":\"a\",\"size\":{\"width\":8}},2]"),
            (["insert", "app", "list.1", "-array", "x"], "[{\"name\":\"a\",\"size\":{\"width\":8}},[\"x\"],2]"),
            (["delete", "app", "list.0.size"], "[{\"name\":\"a\"},[\"x\"],2]"),
            (["write", "app", "list.1", "-array-add", "y"], "[{\"name\":\"a\"},[\"x\",\"y\"],2]"),
            (["delete", "app", "list.1.0"], "[{\"name\":\"a\"},[\"y\"],2]"),
            (["insert", "app", "list.3", "last"], "[{\"name\":\"a\"},[\"y\"],2,\"last\"]"),
            (["delete", "app", "list.0"], "[[\"y\"],2,\"last\"]"),
        ] {
            let answer = await home.run(arguments)
            #expect(answer.code == 0 && answer.errors.isEmpty, "\(arguments): \(answer)")
            #expect(await json(home, "list") == list, "\(arguments)")
        }
        #expect(await home.run("insert", "app", "new.0", "first").code == 0)
        #expect(await json(home, "new") == "[\"first\"]")
        #expect(await home.run("insert", "app", "other", "x").code == 0)
        #expect(await home.run("read", "app", "other").output == "x\n")
    }

    @Test(
        "A path that leads nowhere is refused, and nothing is changed",
        arguments: [
            (["write", "app", "list.2", "x"], 1, "the array has 2 elements"),
            (["write", "app", "list.name", "x"], 64, "must be the index"),
            (["write", "app", "list.1.x", "x"], 65, "neither an array nor a dictionary"),
            (["insert", "app", "list.3", "x"], 1, "the array has 2 elements"),
            (["insert", "app", "list.0.name", "x"], 65, "“list.0.name” exists"),
            (["insert", "app", "n", "x"], 65, "“n” exists"), (["delete", "app", "list.2"], 1, "does not exist"),
            (["delete", "app", "list.0.other"], 1, "does not exist"), (["read", "app", "list.2"], 1, "does not exist"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], _ code: Int32, _ words: String) async throws {
        let home = try await home()
        let before = await home.run("read", "app").output
        let answer = await home.run(arguments)
        #expect(answer.code == code && answer.errors.contains(words), "\(answer)")
        #expect(await home.run("read", "app").output == before)
    }

    @Test("An element has the type that its array declares, and its array obeys its rule")
    func declared() async throws {
        let home = try await KeysAndSchemasTests().home()
        await home.run("write", "app", "limits.numbers", "1,2")
        #expect(await home.run("insert", "app", "limits.numbers.1", "5").code == 0)
        #expect(await json(home, "limits.numbers") == "[1,5,2]")
        let refused = await home.run("write", "app", "limits.numbers.0", "-string", "x")
        #expect(refused.code == 65 && refused.errors.contains("limits.numbers"), "\(refused)")
        #expect(await home.run("delete", "app", "limits.numbers.0").code == 0)
        #expect(await json(home, "limits.numbers") == "[5,2]")
        #expect(await home.run("read", "app", "limits.token.0").code == 1)
    }

    private func runBatch(_ home: CommandHome, _ lines: String) async -> CommandHome.Answer {
        await home.run("batch", "app", on: RecordingTerminal(input: lines))
    }

    @Test("The lines of a batch are one transaction, and each sees what the lines before it have changed")
    func batch() async throws {
        let home = try await home()
        let store = try await SettingsStore.open(
            at: home.settings("app"), configuration: .init(history: .keep(transactions: 10)))
        try await store.commit { try store.keys.setValue(2, forKey: "n") }
        try await store.close()
        let answer = await runBatch(
            home,
            """
            # A comment, and an empty line.

            write title -string 'a "b" # c'
            set list.0.name "x y"
            insert list.2 --json '{"z": [1]}'
            delete list.2.z.0
            rename title name
            unset n
            write --literal a.b -int 5
            """)
        #expect(answer.code == 0 && answer.errors.isEmpty, "\(answer)")
        #expect(await json(home, "list") == "[{\"name\":\"xy\"},\"b\",{\"z\":[]}]")
        #expect(await home.run("read", "app", "name").output == "a \"b\" # c\n")
        #expect(await home.run("read", "app", "n").code == 1)
        #expect(await home.run("read", "app", "a\\.b").output == "5\n")
        let history = await home.run("history", "app", "--limit", "1").output
        for key in ["list", "name", "n", "a\\.b"] { #expect(history.contains("  \(key): "), "\(key) in \(history)") }
        #expect(await home.run("undo", "app").code == 0)
        #expect(await home.run("read", "app", "n").output == "2\n")
    }

    @Test(
        "A batch with a line that can't be used changes nothing, and names the line",
        arguments: [
            ("write a 1\nwrite list.7 x", 1, "Line 2: “list.7” does not exist"),
            ("write a 1\n\nread a", 64, "Line 3: There is no verb “read”"),
            ("write a 'x", 64, "Line 1: A quotation mark"), ("write a", 64, "Line 1: The value for “a”"),
            ("delete n\ndelete n", 1, "Line 2: Domain (app) not found"),
            ("write a 1\nwrite b -int x", 65, "Line 2: “x” is not a value"), ("delete", 64, "Line 1: KEY is missing"),
            ("write a 1 --by me", 64, "Line 1: There is no option “--by”"),
        ] as [(String, Int32, String)])
    func refusedBatch(_ lines: String, _ code: Int32, _ words: String) async throws {
        let home = try await home()
        let before = await home.run("read", "app").output
        let answer = await runBatch(home, lines)
        #expect(answer.code == code && answer.errors.contains(words), "\(answer)")
        #expect(answer.errors.hasSuffix("Nothing has changed.\n"))
        #expect(await home.run("read", "app").output == before)
    }

    @Test("A value is moved into an array, within it and out of it, and no other element is lost")
    func rename() async throws {
        let home = try await home()
        for (old, new, list) in [
            ("n", "list.1", "[{\"name\":\"a\"},1]"), ("list.0.name", "list.0.title", "[{\"title\":\"a\"},1]"),
            ("list.1", "list.0", "[1]"), ("list.0", "list.0", "[1]"),
        ] {
            let answer = await home.run("rename", "app", old, new)
            #expect(answer.code == 0, "\(answer)")
            #expect(await json(home, "list") == list, "\(old) \(new)")
        }
        #expect(await home.run("write", "app", "list.0", "-dict", "a", "b").code == 0)
        let refused = await home.run("rename", "app", "list.0", "list.0.a")
        #expect(refused.code == 65 && refused.errors.contains("can't be moved into itself"), "\(refused)")
        #expect(await home.run("rename", "app", "list.0", "list.1").code == 1)
        #expect(await json(home, "list") == "[{\"a\":\"b\"}]")
        #expect(await home.run("rename", "app", "list.0.a", "n").code == 0)
        #expect(await home.run("read", "app", "n").output == "b\n")
        #expect(await json(home, "list") == "[{}]")
    }

    @Test("The first element makes an array, and an array is found under a name with dots")
    func firstElement() async throws {
        let home = try CommandHome()
        #expect(await home.run("write", "app", "new.0", "-int", "1").code == 0)
        #expect(await json(home, "new") == "[1]")
        #expect(await home.run("write", "app", "--literal", "a.b", "-array", "x", "y").code == 0)
        #expect(await home.run("read", "app", "a.b.1").output == "y\n")
        #expect(await home.run("write", "app", "a.b.1", "z").code == 0)
        #expect(await home.run("delete", "app", "a.b.0").code == 0)
        #expect(await json(home, "a\\.b") == "[\"z\"]")
        #expect(await home.run("read", "app", "a").code == 1)
    }

    @Test("Only spaces and tabs separate words, and a quotation mark before a combining mark is one")
    func words() async throws {
        let home = try await home()
        let answer = await runBatch(
            home, "write\ta -string '\u{301}x y'\r\nwrite b -string 1\u{A0}2\nwrite c -string p\\ q")
        #expect(answer.code == 0, "\(answer)")
        let marked = await home.run("read", "app", "a", "--null").output
        #expect(marked.unicodeScalars.elementsEqual("\u{301}x y\0".unicodeScalars))
        #expect(await json(home, "c") == "\"pq\"")
        #expect(await home.run("read", "app", "b", "--null").output == "1\u{A0}2\0")
    }

    @Test("Later lines at one key replace earlier ones, except around changes within it")
    func repeated() async throws {
        let home = try await home()
        let lines = (0..<200).map { "insert list.2 -int \($0)" }
        let more = "write d.x 1\nwrite d -dict y 2\nwrite d.x 3\ndelete d.y\nwrite n 7\ndelete n\nwrite n 8"
        #expect(await runBatch(home, (lines + [more]).joined(separator: "\n")).code == 0)
        #expect(await home.run("read", "app", "list.2").output == "199\n")
        #expect(await home.run("read", "app", "list.201").output == "0\n")
        #expect(await json(home, "d") == "{\"x\":\"3\"}")
        #expect(await home.run("read", "app", "n").output == "8\n")
    }

    @Test("A batch obeys the schema, and leaves no files if it is refused")
    func batchedRules() async throws {
        let home = try await KeysAndSchemasTests().home()
        let refused = await runBatch(home, "write limits.isOn yes\nwrite limits.attemptCount 21")
        #expect(refused.code == 65 && refused.errors.contains("in 0...20"), "\(refused)")
        #expect(await home.run("read", "app", "limits.isOn").code == 1)
        #expect(await runBatch(home, "write owned.count 5").code == 77)
        #expect(await runBatch(home, "write limits.isOn yes\nwrite limits.attemptCount 20").code == 0)
        #expect(await home.run("read", "app", "limits.attemptCount").output == "20\n")
        let empty = try CommandHome()
        #expect(await runBatch(empty, "write a -int x").code == 65)
        #expect(await empty.run("read", "app").code == 1)
    }
}
