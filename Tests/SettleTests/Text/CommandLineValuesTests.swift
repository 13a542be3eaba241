import Testing

@testable import Settle

@Suite struct CommandLineValuesTests {
    private static let options = CommandLineOptions([
        CommandLineOption("port"), CommandLineOption("verbose", .flag), CommandLineOption("token", .secret),
        CommandLineOption("passcode.attemptCount"), CommandLineOption("log.useColor", .flag),
        CommandLineOption("api.authToken", .secret), CommandLineOption(#"window\.width"#), CommandLineOption("5"),
        CommandLineOption("-dashed"), CommandLineOption("tags", .list),
    ])

    private func read(_ line: String) -> CommandLineValues {
        CommandLineValues(line.split(separator: " ").map(String.init), options: Self.options)
    }

    private func parse(_ arguments: String...) -> CommandLineValues {
        CommandLineValues(arguments, options: Self.options)
    }

    @Test(
        "A key is given in each of its spellings",
        arguments: [
            ("-port 80", "port", "80"), ("--port 80", "port", "80"), ("--port=80", "port", "80"),
            ("--port=", "port", ""), ("--port=a=b", "port", "a=b"), ("--port=-x", "port", "-x"),
            ("-passcode.attemptCount 3", "passcode.attemptCount", "3"),
            ("--passcode.attemptCount 3", "passcode.attemptCount", "3"),
            ("--passcode.attempt-count 3", "passcode.attemptCount", "3"),
            ("--passcode-attempt-count=3", "passcode.attemptCount", "3"),
            ("--verbose", "verbose", "true"), ("--no-verbose", "verbose", "false"),
            ("--verbose=false", "verbose", "false"), ("--verbose false", "verbose", "false"),
            ("-verbose YES", "verbose", "YES"),
            ("--log-use-color", "log.useColor", "true"), ("--no-log-use-color", "log.useColor", "false"),
            ("--no-log.use-color", "log.useColor", "false"), ("--no-log.useColor", "log.useColor", "false"),
            (#"--window\.width 1"#, #"window\.width"#, "1"), ("--window-width=1", #"window\.width"#, "1"),
            ("---dashed 1", "-dashed", "1"),
        ]) func spellings(line: String, key: String, value: String) throws
    {
        let values = read(line)
        let key = try #require(SettingKey(key))
        #expect(
            values.tree
                == {
                    var tree = SettingTree(); tree[key] = .string(value); return tree
                }())
        #expect(values.remaining.isEmpty && values.problems.isEmpty)
    }

    @Test(
        "What is no key stays, in order, with what follows it",
        arguments: [
            "", "-", "--", "a b", "-v x", "--output file -x", "--no-port", "-no-verbose", "-passcode-attempt-count 3",
            "--passcode-attemptcount 3", "port 80", "-port=80", "---port 80", "-- --port 80", "--=5", "-x -5",
            "--no- y",
            "--no-token-file x", "-é 5", "--PORT 80",
        ]) func unknown(line: String)
    {
        let values = read(line)
        #expect(values.tree.root.isEmpty && values.problems.isEmpty)
        #expect(values.remaining == line.split(separator: " ").map(String.init))
    }

    @Test("Known and unknown arguments may be mixed") func mixed() {
        let values = read("serve -v --port 80 --out a.txt --verbose yes -passcode.attemptCount (1,2) b -- --port 1")
        #expect(
            values.tree
                == SettingTree([
                    "port": .string("80"), "verbose": .string("true"),
                    "passcode": .dictionary(["attemptCount": .array([.string("1"), .string("2")])]),
                ]))
        #expect(values.remaining == ["serve", "-v", "--out", "a.txt", "yes", "b", "--", "--port", "1"])
        #expect(
            values.places == [
                "port": "argument 3, `--port`", "verbose": "argument 7, `--verbose`",
                "passcode.attemptCount": "argument 9, `-passcode.attemptCount`",
            ])
    }

    @Test("The argument after an option is its value unless it looks like an option") func nextArgument() {
        for value in ["-5", "-", "-.5", "", " ", "-_", "-$a", "a", "=", "(", "−x"] {
            #expect(parse("--port", value).tree.root["port"] == .string(value))
            #expect(parse("-port", value).tree.root["port"] == .string(value))
        }
        for option in ["-a", "--", "--a", "--5", "-é", "---", "--port"] {
            let values = parse("--port", option)
            #expect(values.tree.root.isEmpty && values.remaining == ["--port", option])
            #expect(values.problems.first == "argument 1, `--port` has no value.")
        }
        #expect(parse("-port").remaining == ["-port"] && parse("-verbose").problems.count == 1)
    }

    @Test("Only one hyphen makes a property list of the value") func propertyLists() {
        #expect(parse("-port", "{a = (1);}").tree.root["port"] == .dictionary(["a": .array([.string("1")])]))
        #expect(parse("--port", "(1)").tree.root["port"] == .string("(1)"))
        #expect(parse("--port=(1)").tree.root["port"] == .string("(1)"))
        #expect(parse("-port", "[1]").tree.root["port"] == .string("[1]"))
    }

    @Test("The last value counts") func last() {
        let values = parse("--port", "1", "-port", "2", "--port=3", "--verbose", "--no-verbose")
        #expect(values.tree == SettingTree(["port": .string("3"), "verbose": .string("false")]))
        #expect(values.places["port"] == "argument 5, `--port`")
        #expect(
            values.problems == [
                "argument 3, `-port` was given before, as argument 1, `--port`; the last one counts.",
                "argument 5, `--port` was given before, as argument 3, `-port`; the last one counts.",
                "argument 7, `--no-verbose` was given before, as argument 6, `--verbose`; the last one counts.",
            ])
    }

    @Test(
        "A list that is given several times has the elements of all",
        arguments: [
            (["--tags", "a", "--tags", "b"], ["a", "b"]), (["--tags=a", "-tags", "b", "--tags=a"], ["a", "b", "a"]),
            (["-tags", "(a, b)", "--tags", "c"], ["a", "b", "c"]), (["--tags=a, b", "--tags=c"], ["a", "b", "c"]),
            (["--tags=[\"a,b\"]", "--tags", "c"], ["a,b", "c"]), (["-tags", "(a, b)"], ["a", "b"]),
            (["--tags=", "--tags=a"], ["", "a"]), (["--tags=a", "--tags=[b"], ["a", "[b"]),
            (["--tags", "a", "--tags=b", "--", "--tags", "c"], ["a", "b"]),
        ]) func lists(line: [String], elements: [String])
    {
        let values = CommandLineValues(line, options: Self.options)
        #expect(values.tree.root["tags"] == .array(elements.map(SettingValue.string)))
        #expect(values.problems.isEmpty)
        #expect(values.remaining == (line.contains("--") ? ["--", "--tags", "c"] : []))
    }

    @Test("A list that is given once stays the text that its setting reads; its origin is the last option")
    func listGivenOnce() {
        #expect(parse("--tags", "a,b").tree.root["tags"] == .string("a,b"))
        #expect(parse("--tags=a", "--tags=b").places["tags"] == "argument 2, `--tags`")
    }

    @Test(
        "A secret is not taken and shows nowhere",
        arguments: [
            "--token hush", "--token=hush", "-token hush", "--api-auth-token hush", "--api.auth-token=hush",
            "-api.authToken hush", "--api.authToken hush", "--token=hush --api-auth-token hush", "a --token hush b",
        ]) func secrets(line: String)
    {
        let values = read(line)
        #expect(!"\(values)".contains("hush"))
        #expect(
            values.tree.root.isEmpty
                && values.remaining == line.split(separator: " ").map(String.init).filter { $0.count == 1 })
        #expect(values.problems.first?.contains("is a secret") == true)
    }

    @Test("A secret without a value does not swallow the next option") func secretWithoutValue() {
        let values = parse("--token", "--port", "80", "-token")
        #expect(values.tree == SettingTree(["port": .string("80")]) && values.remaining.isEmpty)
        #expect(values.problems.count == 2)
    }

    @Test("A negated flag takes no value") func negated() {
        let values = parse("--no-verbose=true")
        #expect(values.tree.root.isEmpty && values.remaining == ["--no-verbose=true"])
        #expect(values.problems == ["argument 1, `--no-verbose` takes no value."])
    }

    @Test("Two keys with one spelling in kebab case are an error, and neither is taken") func collisions() {
        let options = CommandLineOptions([
            CommandLineOption("log.level"), CommandLineOption("logLevel"), CommandLineOption("logLevel"),
            CommandLineOption("color", .flag), CommandLineOption("noColor"), CommandLineOption("a-b"),
            CommandLineOption("aB"), CommandLineOption("x.y", .secret), CommandLineOption("xY"),
        ])
        for (name, keys): (String, [SettingKey]) in [
            ("log-level", ["log.level", "logLevel"]), ("no-color", ["color", "noColor"]), ("x-y", ["x.y", "xY"]),
        ] {
            #expect(options.matches(long: name).map(\.option.key).sorted() == keys)
        }
        let values = CommandLineValues(
            ["--log-level", "1", "--logLevel=2", "--a-b", "3", "--no-color", "--x-y", "hush"], options: options)
        #expect(values.tree == SettingTree(["logLevel": .string("2"), "a-b": .string("3")]))
        #expect(values.remaining == ["--log-level", "1", "--no-color"])
        #expect(values.problems.count == 3 && !"\(values)".contains("hush"))
        #expect(values.problems[0].contains("“log.level” or “logLevel”"))
    }

    @Test("A name that could mean a secret is treated as one, and a key given twice is one key, of the last kind")
    func repeated() {
        let options = CommandLineOptions([
            CommandLineOption("aB", .flag), CommandLineOption("aB"), CommandLineOption("xY"),
            CommandLineOption("x.y", .secret),
        ])
        let values = CommandLineValues(["--a-b", "1", "--x-y", "hush"], options: options)
        #expect(values.tree == SettingTree(["aB": .string("1")]) && values.remaining.isEmpty)
        #expect(CommandLineValues(["--no-a-b"], options: options).remaining == ["--no-a-b"])
        #expect(options.matches(long: "x-y").count == 2 && options.matches(long: "a-b").count == 1)
    }

    @Test("Keys are compared by their bytes") func bytes() {
        let options = CommandLineOptions([CommandLineOption("é"), CommandLineOption("e\u{301}")])
        let values = CommandLineValues(["-e\u{301}", "1", "-é", "2", "--e\u{301}=3"], options: options)
        #expect(
            values.tree.root.count == 2 && values.tree["é"] == .string("2") && values.tree["e\u{301}"] == .string("3"))
    }

    @Test("A hundred thousand arguments and options", .timeLimit(.minutes(10))) func growth() {
        let count = 100_000
        let options = CommandLineOptions((0..<count).map { CommandLineOption(SettingKey(name: "k\($0)aName")) })
        let arguments = (0..<count).flatMap { ["--k\($0)a-name", "\($0)", "--unknown\($0)"] }
        let values = CommandLineValues(arguments, options: options)
        #expect(values.tree.root.count == count && values.remaining.count == count)
        let repeated = CommandLineValues((0..<count).map { "--tags=\($0)" }, options: Self.options)
        #expect(repeated.tree.root["tags"] == .array((0..<count).map { .string("\($0)") }))
    }
}
