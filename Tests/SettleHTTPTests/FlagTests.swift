import Settle
import SettleHTTP
import Testing

@Suite(.timeLimit(.minutes(10))) struct FlagTests {
    private enum Theme: String, Sendable, Codable, CaseIterable {
        case light, dark
    }

    private struct Switches: SettingsGroup {
        @Setting var isOn = false
        @Setting var theme = Theme.light
        @Setting var ratio = 15.0
        @Setting(.oneOf([1, 2, 3])) var workers = 2
        @Setting var note: String?
        @Setting var weights = ["a": 1]
        @Setting var names = ["a"]
        @Setting var password = Secret("hunter2")
    }

    private static let path = "/ofrep/v1/evaluate/flags"
    private static let context = #"{"context": {"targetingKey": "user-1", "plan": "premium"}}"#

    /// The API of the switches on a store in memory, which every client reaches.
    private struct Program {
        let store: SettingsStore
        let switches: Switches
        private let api: SettingsAPI

        init() async throws {
            store = try await SettingsStore.open(storage: InMemoryStorage())
            switches = try await store.group(Switches.self)
            var configuration = SettingsAPI.Configuration(access: .open)
            configuration.flags = .authorized
            api = SettingsAPI(store, configuration: configuration)
        }

        func flag(_ key: String) async -> Answer { await send("\(FlagTests.path)/\(key)") }

        func flags() async -> Answer { await send(FlagTests.path) }

        private func send(_ target: String) async -> Answer {
            Answer(
                response: await api.respond(
                    to: WebRequest(
                        method: "POST", target: target, headers: [("Host", "localhost")],
                        body: Array(FlagTests.context.utf8))))
        }
    }

    /// The flags in an answer, by key.
    private static func flags(_ answer: Answer) -> [String: SettingValue] {
        var flags: [String: SettingValue] = [:]
        for flag in answer.array("flags") {
            if case .string(let key)? = flag["key"] { flags[key] = flag }
        }
        return flags
    }

    @Test("A flag has the value in force with reason, variant and domain") func flagHasValue() async throws {
        let program = try await Program()
        let expected: [(String, String, String)] = [
            ("isOn", "false", "off"), ("theme", #""light""#, "light"), ("ratio", "15.0", "default"),
            ("workers", "2", "2"), ("weights", #"{"a":1}"#, "default"),
        ]
        for (key, value, variant) in expected {
            let answer = await program.flag(key)
            #expect(answer.status == 200 && answer.field("Content-Type") == "application/json; charset=utf-8")
            let metadata = #""metadata":{"domain":"declaration"},"reason":"STATIC""#
            #expect(
                answer.text == #"{"key":"\#(key)",\#(metadata),"value":\#(value),"variant":"\#(variant)"}"# + "\n")
        }
        try await program.store.commit {
            (program.switches.isOn, program.switches.theme, program.switches.ratio) = (true, .dark, 2.5)
        }
        let stored: [(String, SettingValue, String)] = [
            ("isOn", .bool(true), "on"), ("theme", .string("dark"), "dark"), ("ratio", .real(2.5), "custom"),
        ]
        for (key, value, variant) in stored {
            let answer = await program.flag(key)
            #expect(answer.value("value") == value && answer.string("variant") == variant)
            #expect(answer.string("reason") == "STATIC" && answer.string("metadata", "domain") == "application")
        }
        try await program.store.close()
    }

    @Test("All flags at once are the single ones, sorted by key") func allFlags() async throws {
        let program = try await Program()
        let flags = await program.flags()
        #expect(flags.status == 200)
        let keys = ["isOn", "note", "ratio", "theme", "weights", "workers"]
        #expect(flags.array("flags").compactMap { $0["key"] } == keys.map { SettingValue.string($0) })
        for flag in flags.array("flags") {
            guard case .string(let key)? = flag["key"] else { continue }
            #expect(await program.flag(key).value() == flag)
        }
        try await program.store.close()
    }

    @Test("An optional setting without a value leaves the value to the client") func codeDefault() async throws {
        let program = try await Program()
        let without = await program.flag("note")
        #expect(without.status == 200 && without.value("value") == nil && without.string("variant") == "default")
        try await program.store.commit { program.switches.note = "x" }
        let with = await program.flag("note")
        #expect(with.value("value") == .string("x") && with.string("variant") == "custom")
        try await program.store.close()
    }

    @Test("A number that is not finite is a failure, alone and among the others") func notFinite() async throws {
        let program = try await Program()
        try await program.store.commit { program.switches.ratio = .infinity }
        let answer = await program.flag("ratio")
        #expect(answer.status == 400 && answer.string("errorCode") == "GENERAL" && answer.string("key") == "ratio")
        #expect(answer.string("errorDetails")?.contains("not a finite number") == true)
        let flags = Self.flags(await program.flags())
        #expect(flags["ratio"] == answer.value())
        #expect(flags["isOn"]?["value"] == .bool(false))
        try await program.store.close()
    }

    @Test("The value of a domain above the file is the flag's") func coveredValue() async throws {
        let program = try await APIProgram(overrides: SettingTree(["greeting": .string("Yo")])) {
            $0.flags = .authorized
        }
        try await program.store.commit { program.app.greeting = "Hi" }
        let answer = await program.send("POST", "\(Self.path)/greeting", Self.context)
        #expect(answer.value("value") == .string("Yo") && answer.string("metadata", "domain") == "boss")
    }

    @Test(
        "Lists, secrets, owner-only settings, groups and unknown keys are not flags",
        arguments: ["names", "admin.password", "owned.attempts", "limits", "nothing", "limits.perSecond.x"])
    func notFlags(key: String) async throws {
        let program = try await APIProgram { $0.flags = .authorized }
        let switches = try await program.store.group(Switches.self)
        switches.names = ["b"]
        let answer = await program.send("POST", "\(Self.path)/\(key)", Self.context)
        #expect(answer.status == 404 && answer.field("Content-Type") == "application/json; charset=utf-8")
        #expect(answer.string("errorCode") == "FLAG_NOT_FOUND" && answer.string("key") == key)
        #expect(answer.string("errorDetails")?.contains("“\(key)”") == true)
        let all = await program.send("POST", Self.path, Self.context)
        #expect(all.status == 200 && Self.flags(all)[key] == nil && !all.text.contains("hunter2"))
    }

    @Test(
        "A body without a context of the protocol is refused",
        arguments: [
            ("", "PARSE_ERROR"), ("{", "PARSE_ERROR"), ("[]", "PARSE_ERROR"), ("true", "PARSE_ERROR"),
            (#"{"context": null}"#, "INVALID_CONTEXT"), (#"{"context": "x"}"#, "INVALID_CONTEXT"),
            (#"{"context": {"targetingKey": 1}}"#, "INVALID_CONTEXT"),
        ])
    func invalidBodies(body: String, code: String) async throws {
        let program = try await APIProgram { $0.flags = .authorized }
        let one = await program.send("POST", "\(Self.path)/greeting", body)
        #expect(one.status == 400 && one.string("errorCode") == code && one.string("key") == "greeting")
        #expect(one.string("errorDetails")?.isEmpty == false)
        let all = await program.send("POST", Self.path, body)
        #expect(all.status == 400 && all.string("errorCode") == code && all.value("key") == nil)
    }

    @Test(
        "The context changes nothing",
        arguments: ["{}", #"{"context": {}}"#, #"{"context": {"targetingKey": "user-2"}, "more": 1}"#])
    func contextChangesNothing(body: String) async throws {
        let program = try await APIProgram { $0.flags = .authorized }
        for target in [Self.path, "\(Self.path)/greeting"] {
            let answer = await program.send("POST", target, body)
            let expected = await program.send("POST", target, Self.context)
            #expect(answer.status == 200 && answer.text == expected.text)
        }
    }

    @Test("While no flag has changed, a client with the tag gets 304") func notModified() async throws {
        let program = try await APIProgram { $0.flags = .authorized }
        let first = await program.send("POST", Self.path, Self.context)
        let field = try #require(first.field("ETag"))
        let tag = ("If-None-Match", field)
        let again = await program.send("POST", Self.path, Self.context, by: "alice", tag)
        #expect(again.status == 304 && again.text.isEmpty && again.field("ETag") == field)
        // Settings that are not flags change nothing either.
        try await program.store.commit { program.app.admin.password = Secret("correct horse") }
        #expect(await program.send("POST", Self.path, Self.context, by: "alice", tag).status == 304)
        try await program.store.commit { program.app.greeting = "Hi" }
        let changed = await program.send("POST", Self.path, Self.context, by: "alice", tag)
        #expect(changed.status == 200 && changed.field("ETag") != field)
        #expect(Self.flags(changed)["greeting"]?["value"] == .string("Hi"))
    }

    @Test("A token that may read gets flags, and one of some keys only these") func access() async throws {
        let program = try await APIProgram { $0.flags = .authorized }
        let all = await program.send("POST", Self.path, Self.context, by: "bob")
        #expect(all.status == 200 && Self.flags(all)["greeting"] != nil)
        let some = await program.send("POST", Self.path, Self.context, by: "carol")
        #expect(
            some.array("flags").compactMap { $0["key"] } == [
                .string("limits.burst"), .string("limits.nick"), .string("limits.perSecond"), .string("limits.ports"),
            ])
        let hidden = await program.send("POST", "\(Self.path)/greeting", Self.context, by: "carol")
        #expect(hidden.status == 403 && hidden.problem == "not-permitted")
        #expect(await program.send("POST", Self.path, Self.context, by: nil).status == 401)
    }

    @Test("Flags are off unless the configuration has them, and may be open") func routeAccess() async throws {
        let off = try await APIProgram()
        #expect(!off.api.serves(Self.path) && !off.api.serves("\(Self.path)/greeting"))
        #expect(await off.send("POST", Self.path, Self.context).problem == "not-found")
        let open = try await APIProgram { ($0.flags, $0.path) = (.open, "/admin") }
        #expect(open.api.serves("/admin\(Self.path)/greeting"))
        let answer = await open.send("POST", "\(Self.path)/greeting", Self.context, by: nil)
        #expect(answer.status == 200 && answer.value("value") == .string("Hello"))
        #expect(await open.get("/settings", by: nil).status == 401)
        #expect(await open.get(Self.path).field("Allow") == "OPTIONS, POST")
    }

    @Test("The query of a client that was notified is accepted, and no other") func query() async throws {
        let program = try await APIProgram { $0.flags = .authorized }
        let target = "\(Self.path)?flagConfigEtag=abc&flagConfigLastModified=1771622898"
        #expect(await program.send("POST", target, Self.context).status == 200)
        #expect(await program.send("POST", "\(Self.path)?key=x", Self.context).problem == "unknown-parameter")
    }

    @Test("The document describes the flags' answers") func document() async throws {
        let program = try await APIProgram { $0.flags = .authorized }
        let paths = try #require(await program.get("/openapi.json").value("paths"))
        for (path, target, body, status) in [
            (Self.path, Self.path, Self.context, 200), (Self.path, Self.path, "[]", 400),
            ("\(Self.path)/{key}", "\(Self.path)/greeting", Self.context, 200),
            ("\(Self.path)/{key}", "\(Self.path)/greeting", "[]", 400),
            ("\(Self.path)/{key}", "\(Self.path)/nothing", Self.context, 404),
        ] {
            let answer = await program.send("POST", target, body)
            let response = paths[path]?["post"]?["responses"]?["\(status)"]
            let schema = response?["content"]?["application/json"]?["schema"]
            #expect(answer.status == status && schema?["type"] == .string("object"), "\(target): \(answer.status)")
            guard case .dictionary(let members)? = answer.value() else { continue }
            for name in members.keys { #expect(schema?["properties"]?[name] != nil, "\(target): \(name)") }
        }
    }
}
