import Testing

@testable import Settle

@Suite struct EnvironmentValuesTests {
    private struct Missing: Error, CustomStringConvertible {
        let description = "there is no such file."
    }

    private func read(
        _ environment: [String: String], _ keys: [SettingKey], files: [String: [UInt8]] = [:]
    ) throws -> EnvironmentValues {
        EnvironmentValues(environment, names: try EnvironmentNames(prefix: "APP", keys: keys)) { path in
            guard let file = files[path] else { throw Missing() }
            return file
        }
    }

    @Test("Variables of declared keys are read, with their places") func variables() throws {
        let values = try read(
            ["APP_PORT": "80", "APP_PASSCODE_ATTEMPT_COUNT": "", "APP_OTHER": "x", "PORT": "1", "app_port": "2"],
            ["port", "passcode.attemptCount", "absent", "port"])
        #expect(
            values.tree
                == SettingTree(
                    ["port": .string("80"), "passcode": .dictionary(["attemptCount": .string("")])]))
        #expect(
            values.places == [
                "port": "the variable APP_PORT", "passcode.attemptCount": "the variable APP_PASSCODE_ATTEMPT_COUNT",
            ])
        #expect(values.problems.isEmpty)
    }

    @Test(
        "One line break at the end of a file is not part of the value",
        arguments: [
            ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("\n", ""), ("", ""), ("a\r", "a\r"),
            (" a \n", " a "),
            ("\r\n", ""),
        ]) func lineBreaks(content: String, value: String) throws
    {
        let values = try read(["APP_TOKEN_FILE": "/run/t"], ["token"], files: ["/run/t": Array(content.utf8)])
        #expect(values.tree["token"].map { $0 == .string(value) } == true)
        #expect(values.places["token"] == "the file “/run/t”, which the variable APP_TOKEN_FILE names")
    }

    @Test("A declared key log.file has its variable; log has no file then") func declaredFile() throws {
        let environment = ["APP_LOG_FILE": "/var/log", "APP_LOG_FILE_FILE": "/f"]
        let values = try read(environment, ["log", "log.file"], files: ["/f": [65]])
        #expect(values.tree == SettingTree(["log": .dictionary(["file": .string("/var/log")])]))
        #expect(values.problems.count == 1)
        let other = try read(environment, ["log"], files: ["/var/log": [65]])
        #expect(other.tree == SettingTree(["log": .string("A")]))
    }

    @Test("Of a variable and its file, the variable counts, and it is told") func both() throws {
        let values = try read(["APP_PORT": "1", "APP_PORT_FILE": "/f"], ["port"])
        #expect(values.tree == SettingTree(["port": .string("1")]))
        #expect(values.problems == ["port": "APP_PORT_FILE is not used, because APP_PORT is set too."])
    }

    @Test("A file that can't be read is told, without its content") func unreadable() throws {
        let values = try read(
            ["APP_A_FILE": "/absent", "APP_B_FILE": "", "APP_C_FILE": "/c"], ["a", "b", "c"],
            files: ["/c": [0x68, 0xFF]])
        #expect(values.tree.root.isEmpty && values.places.isEmpty)
        #expect(
            values.problems == [
                "a": "a can't be read from the file “/absent”, which the variable APP_A_FILE names: "
                    + "there is no such file.",
                "b": "The variable APP_B_FILE is empty; it must name a file.",
                "c": "c can't be read from the file “/c”, which the variable APP_C_FILE names: it is not in UTF-8.",
            ])
    }

    @Test("The files that variables name are known, even unreadable ones, but not those that are not used")
    func files() throws {
        let values = try read(
            ["APP_A_FILE": "/a", "APP_B_FILE": "/absent", "APP_C": "1", "APP_C_FILE": "/c", "APP_D_FILE": ""],
            ["a", "b", "c", "d"], files: ["/a": [65]])
        #expect(values.files == [FilePath("/a"), FilePath("/absent")])
    }

    @Test("Variables that belong to no key are named, with the nearest one that does") func unknown() {
        let variables = [
            "APP_PORT", "APP_PORT_FILE", "APP_PROT", "APP_DB_PASWORD_FILE", "APP_HOME", "APPS_PORT", "PORT", "APP_",
        ]
        let unknown = EnvironmentNames.unknown(
            among: variables, declared: ["APP_PORT": "port", "APP_DB_PASSWORD": "db.password"], prefix: "APP")
        #expect(unknown.map(\.name) == ["APP_", "APP_DB_PASWORD_FILE", "APP_HOME", "APP_PROT"])
        #expect(unknown.map(\.nearest) == [nil, "APP_DB_PASSWORD_FILE", nil, "APP_PORT"])
    }

    @Test("A variable may be meant for the nearest key only") func unknownNear() {
        let variables = ["APP_COUNTRE", "APP_COUNTT_FILE", "APP_COUNT", "APP_COUNTER_FILE", "APP_HOME", "APP"]
        func near(_ key: SettingKey) -> [String] {
            EnvironmentNames.unknown(
                near: key, among: variables, declared: ["APP_COUNT": "count", "APP_COUNTER": "counter"], prefix: "APP"
            ).map(\.name)
        }
        #expect(near("count") == ["APP_COUNTT_FILE"])
        #expect(near("counter") == ["APP_COUNTRE"])
    }

    @Test("Two keys with one variable are refused, naming both") func collision() {
        #expect(throws: SpellingCollision("APP_LOG_LEVEL", "log.level", "logLevel")) {
            try EnvironmentNames(prefix: "APP", keys: ["logLevel", "a", "log.level"])
        }
        #expect("\(SpellingCollision("A_B", "b.x", "bX"))" == "A_B could mean “b.x” or “bX”. Rename one of the two.")
    }

    @Test(
        "The prefix must keep variables apart",
        arguments: ["", "_", "app", "APP_", "1A", "A-B", "Ä", "A B", "_A", "A=", "APP\0"])
    func invalidPrefixes(prefix: String) {
        #expect(throws: EnvironmentPrefixError(prefix: prefix)) { try EnvironmentNames(prefix: prefix, keys: []) }
    }

    @Test("Prefixes may have digits and underscores", arguments: ["A", "MY_APP", "APP2", "A__1"])
    func validPrefixes(prefix: String) throws {
        #expect(try EnvironmentNames(prefix: prefix, keys: ["a"]).variables.first?.name == prefix + "_A")
    }

    @Test("A hundred thousand keys and variables", .timeLimit(.minutes(10))) func growth() throws {
        let keys = (0..<100_000).map { SettingKey(name: "key\($0)") }
        let environment = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("APP_KEY\($0)", "\($0)") })
        #expect(try read(environment, keys).tree.root.count == 100_000)
    }
}
