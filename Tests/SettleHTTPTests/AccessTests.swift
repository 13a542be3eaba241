import Settle
import SettleHTTP
import SettleTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct AccessTests {
    private static let targets = [
        "/settings", "/settings/greeting", "/settings/limits", "/settings/changes", "/settings/history", "/health/live",
        "/health/ready", "/metrics", "/openapi.json",
    ]

    @Test("Without a token nothing is served", arguments: targets) func withoutTokenNothingServed(target: String)
        async throws
    {
        let program = try await APIProgram()
        let answer = await program.get(target, by: nil)
        #expect(answer.status == 401 && answer.problem == "missing-token")
        #expect(answer.field("WWW-Authenticate") == "Bearer realm=\"settings\"")
        let wrong = await program.get(target, by: "mallory")
        #expect(wrong.status == 401)
        #expect(wrong.field("WWW-Authenticate") == "Bearer realm=\"settings\", error=\"invalid_token\"")
    }

    @Test("Routes that the configuration opens are served to everyone") func routesConfigurationOpensServed()
        async throws
    {
        let program = try await APIProgram {
            ($0.health, $0.metrics, $0.description) = (.open, .open, .open)
        }
        for target in ["/health/live", "/health/ready", "/metrics", "/openapi.json"] {
            #expect(await program.get(target, by: nil).status == 200, "\(target)")
        }
        #expect(await program.get("/settings", by: nil).status == 401)
    }

    @Test("Routes that are off do not exist") func routesOffDoExist() async throws {
        let program = try await APIProgram {
            ($0.health, $0.metrics, $0.description) = (.off, .off, .off)
        }
        for target in ["/health/live", "/health/ready", "/metrics", "/openapi.json"] {
            #expect(await program.get(target).problem == "not-found", "\(target)")
            #expect(!program.api.serves(target))
        }
    }

    @Test(
        "Other authorizations are none",
        arguments: ["Basic alice-0123456789abcdef", "Bearer", "Bearer a b", "bearer", ""])
    func otherAuthorizationsNone(field: String) async throws {
        let program = try await APIProgram()
        #expect(await program.get("/settings", by: nil, ("Authorization", field)).status == 401)
    }

    @Test("The scheme is compared without regard to case") func schemeComparedWithoutRegard() async throws {
        let program = try await APIProgram()
        let field = ("authorization", "bEaReR alice-0123456789abcdef")
        #expect(await program.get("/settings", by: nil, field).status == 200)
    }

    @Test("A token that may read changes nothing") func tokenMayReadChanges() async throws {
        let program = try await APIProgram()
        #expect(await program.get("/settings", by: "bob").status == 200)
        for (method, target, body) in [
            ("PATCH", "/settings/greeting", "\"x\""), ("PATCH", "/settings", "{}"),
            ("DELETE", "/settings/greeting", ""), ("POST", "/settings/undo/x", ""),
            ("PATCH", "/settings/greeting?dryRun=true", "\"x\""),
        ] {
            let answer = await program.send(method, target, body, by: "bob")
            #expect(answer.status == 403 && answer.problem == "not-permitted", "\(method) \(target)")
        }
        #expect(program.app.greeting == "Hello")
    }

    @Test("A token of some keys sees and changes only these") func tokenSomeKeysSees() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "Hi" }
        let hidden = try #require(program.store.history.token)
        try await program.store.commit { (program.app.greeting, program.app.limits.burst) = ("Ho", 5) }
        let keys = await program.get("/settings", by: "carol").array("settings").compactMap { $0["key"] }
        let limits = program.store.settings.map(\.key).filter { $0.hasPrefix("limits.") }
        #expect(keys == limits.map { SettingValue.string($0) } && keys.count == 4)
        #expect(await program.get("/settings/limits", by: "carol").status == 200)
        #expect(await program.get("/settings/greeting", by: "carol").problem == "not-permitted")
        #expect(await program.get("/settings/admin", by: "carol").problem == "not-permitted")
        #expect(await program.send("PATCH", "/settings/limits.burst", "6", by: "carol").status == 200)
        #expect(await program.send("DELETE", "/settings/greeting", by: "carol").problem == "not-permitted")
        let both = #"{"limits.burst": 7, "greeting": "x"}"#
        #expect(await program.send("PATCH", "/settings", both, by: "carol").problem == "not-permitted")
        #expect(await program.send("POST", "/settings/check", both, by: "carol").problem == "not-permitted")
        let history = await program.get("/settings/history", by: "carol")
        #expect(history.array("entries").count == 2 && !history.text.contains("greeting"))
        let undo = await program.send("POST", "/settings/undo/\(hidden)", by: "carol")
        #expect(undo.problem == "not-permitted" && !undo.text.contains("greeting"))
        #expect(program.app.greeting == "Ho" && program.app.limits.burst == 6)
    }

    private struct Dotted: SettingsGroup {
        @Setting("w\\.width") var width = 1
    }

    private struct Undotted: SettingsGroup {
        struct Window: SettingsGroup {
            @Setting var height = 1
        }
        let w = Window()
    }

    @Test("A name with dots is not within reach of a token for a group, however it is spelled", arguments: ["", "%5C"])
    func nameWithDots(backslash: String) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let tokens = APITokens {
            [
                "alice": APIToken("alice-0123456789abcdef"),
                "carol": APIToken("carol-0123456789abcdef", keys: ["w"]),
            ]
        }
        let api = SettingsAPI(store, groups: Dotted.self, configuration: .init(access: .tokens(tokens)))
        func send(_ method: String, _ body: String, by client: String) async -> Answer {
            let field = ("Authorization", "Bearer \(client)-0123456789abcdef")
            let request = WebRequest(
                method: method, target: "/settings/w\(backslash).width", headers: [field], body: Array(body.utf8))
            return Answer(response: await api.respond(to: request))
        }
        // The second answer may be remembered.
        for (method, body) in [("GET", ""), ("GET", ""), ("PATCH", "5")] {
            #expect(await send(method, body, by: "carol").problem == "not-permitted", "\(method)")
            #expect(await send(method, body, by: "alice").status == 200, "\(method)")
        }
        try await store.close()
    }

    @Test("A setting is within reach of a token for its group, also where its value is stored under a name with dots")
    func storedNameWithDots() async throws {
        let storage = InMemoryStorage(SettingTree(["w.height": .integer(3)]))
        let store = try await SettingsStore.open(storage: storage)
        let tokens = APITokens { ["carol": APIToken("carol-0123456789abcdef", keys: ["w"])] }
        let api = SettingsAPI(store, groups: Undotted.self, configuration: .init(access: .tokens(tokens)))
        for (method, body) in [("GET", ""), ("PATCH", "5")] {
            let request = WebRequest(
                method: method, target: "/settings/w.height",
                headers: [("Authorization", "Bearer carol-0123456789abcdef")], body: Array(body.utf8))
            #expect(Answer(response: await api.respond(to: request)).status == 200, "\(method)")
        }
        #expect(storage.tree.root == ["w.height": .integer(5)])
        try await store.close()
    }

    @Test("Listings, streams, the history, flags and conflicts go by declared keys, too")
    func severalStoredNamesWithDots() async throws {
        let storage = InMemoryStorage(SettingTree(["w.height": .integer(3), "other": .integer(1)]))
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        let tokens = APITokens { ["carol": APIToken("carol-0123456789abcdef", keys: ["w"])] }
        var configuration = SettingsAPI.Configuration(access: .tokens(tokens))
        configuration.flags = .authorized
        let api = SettingsAPI(store, groups: Undotted.self, configuration: configuration)
        func send(
            _ method: String, _ target: String, _ body: String = "", _ headers: (name: String, value: String)...
        ) async -> Answer {
            var fields = headers
            fields.append(("Authorization", "Bearer carol-0123456789abcdef"))
            let request = WebRequest(method: method, target: target, headers: fields, body: Array(body.utf8))
            return Answer(response: await api.respond(to: request))
        }
        // As listings spell it.
        let (key, flags) = ("w\\.height", "/ofrep/v1/evaluate/flags")
        let several = #"{"w\\.height": 4}"#
        #expect(await send("POST", "/settings/check", several).status == 200)
        let changed = await send("PATCH", "/settings", #"{"w.height": 4}"#)
        #expect(changed.status == 200 && changed.array("settings").map { $0["key"] } == [.string(key)])
        let listed = await send("GET", "/settings")
        #expect(listed.array("settings").map { $0["key"] } == [.string(key)])
        let twice = await send("PATCH", "/settings", #"{"w.height": 4, "w\\.height": 5}"#)
        #expect(twice.status == 400 && twice.text.contains("two values"))
        // A listing has a key of the document.
        #expect(await send("GET", "/openapi.json").text.contains(#""enum":["w\\.height"]"#))
        #expect(await send("POST", flags, "{}").array("flags").map { $0["key"] } == [.string(key)])
        #expect(await send("POST", "\(flags)/w.height", "{}").value("value") == .integer(4))
        var reader = try StreamReader(await send("GET", "/settings/changes"))
        let snapshot = try await reader.next("snapshot")
        try #require(snapshot.data?["values"] == .dictionary([key: .integer(4)]))
        let tag = try #require(listed.field("ETag"))
        try await store.commit(author: "dave") { try store.keys.setValue(.integer(5), forKey: "w.height") }
        let change = try await reader.next("change")
        #expect(change.data?["author"] == .string("dave"))
        let conflict = await send("PATCH", "/settings", several, ("If-Match", tag))
        #expect(conflict.status == 412 && conflict.array("conflicts").map { $0["key"] } == [.string(key)])
        #expect(conflict.string("author") == "dave")
        let token = try #require(store.history.token)
        #expect(await send("GET", "/settings/history").text.contains(#""name":"dave""#))
        #expect(await send("POST", "/settings/undo/\(token)").status == 200)
        #expect(store.keys["w.height"] == .integer(4))
        try await store.close()
    }

    @Test("A refusal names the group of the request and none of its settings") func refusalNamesGroup() async throws {
        let program = try await APIProgram()
        let patch = ("Content-Type", "application/merge-patch+json")
        for answer in [
            await program.get("/settings/admin", by: "carol"),
            await program.send("DELETE", "/settings/admin", by: "carol"),
            await program.send("PATCH", "/settings/admin", "null", by: "carol"),
            await program.send("PATCH", "/settings", #"{"admin": null}"#, by: "carol", patch),
            await program.send("POST", "/settings/check", #"{"admin": null}"#, by: "carol", patch),
        ] {
            #expect(answer.status == 403 && answer.string("key") == "admin")
            #expect(answer.string("detail") == "The token is not for “admin”.")
        }
        let all = await program.send("PATCH", "/settings", "null", by: "carol", patch)
        #expect(all.status == 403 && all.string("detail") == "The token is not for all settings.")
        #expect(program.app.admin.password == Secret("hunter2"))
    }

    @Test("A document describes the settings within reach of the token") func documentDescribesSettingsWithin()
        async throws
    {
        let program = try await APIProgram()
        let text = await program.get("/openapi.json", by: "carol").text
        #expect(text.contains("limits.burst") && !text.contains("greeting") && !text.contains("admin."))
        #expect(await program.get("/openapi.json", by: "bob").text.contains("greeting"))
    }

    @Test("While no token is set, the API is closed") func whileTokenSetAPI() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.admin.tokens = Secret([:]) }
        for client in ["alice", nil] {
            let answer = await program.get("/settings", by: client)
            #expect(answer.status == 403 && answer.problem == "closed")
        }
        // A short one is none.
        try await program.store.commit { program.app.admin.tokens = Secret(["alice": APIToken("short")]) }
        #expect(await program.get("/settings", by: nil, ("Authorization", "Bearer short")).problem == "closed")
    }

    @Test("A domain that sets the tokens empty is named with the way out") func domainSetsTokensEmpty() async throws {
        let program = try await APIProgram(overrides: SettingTree(["admin": .dictionary(["tokens": .dictionary([:])])]))
        let answer = await program.get("/settings")
        #expect(answer.problem == "closed")
        #expect(answer.string("detail")?.contains("“admin.tokens” comes from") == true)
        #expect(answer.string("detail")?.contains("“boss”") == true)
        #expect(answer.string("detail")?.contains("remove it") == true)
    }

    @Test("A refusal does not name the folder of the tokens") func refusalDoesNameFolder() async throws {
        let folder = try TemporaryFolder()
        let program = try await APIProgram { $0.access = .tokens(.folder(folder.url)) }
        let answer = await program.get("/settings", by: nil)
        #expect(answer.problem == "closed" && !answer.text.contains(folder.url.lastPathComponent))
    }

    private struct Twins: SettingsGroup {
        @Setting("same") var first = 0
        @Setting("same") var second = 0
    }

    @Test("The error of groups that can't be declared is not shown without a token") func errorGroupsCantDeclared()
        async throws
    {
        let log = AccessLog()
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var configuration = SettingsAPI.Configuration(
            access: .tokens(APITokens { ["alice": APIToken("alice-0123456789abcdef")] }))
        (configuration.health, configuration.metrics) = (.open, .open)
        configuration.accessLog = { log.add($0) }
        let api = SettingsAPI(store, groups: Twins.self, configuration: configuration)
        func get(_ target: String, _ headers: (name: String, value: String)...) async -> Answer {
            Answer(response: await api.respond(to: WebRequest(method: "GET", target: target, headers: headers)))
        }
        #expect(await get("/settings").status == 401)
        #expect(await get("/nothing").status == 404)
        #expect(await get("/health/live").status == 200)
        let metrics = await get("/metrics")
        #expect(metrics.status == 500 && !metrics.text.contains("Twins"))
        #expect(log.all.last?.failure?.contains("Twins") == true)
        let answer = await get("/settings", ("Authorization", "Bearer alice-0123456789abcdef"))
        #expect(answer.status == 500 && answer.text.contains("Twins"))
    }

    @Test("A new token is accepted at once, and an old one is not any more") func newTokenAcceptedOnce() async throws {
        let program = try await APIProgram()
        try await program.store.commit {
            program.app.admin.tokens = Secret(["dave": APIToken("dave-0123456789abcdef")])
        }
        #expect(await program.get("/settings", by: "dave").status == 200)
        #expect(await program.get("/settings", by: "alice").status == 401)
        let request = WebRequest(
            method: "GET", target: "/own", headers: [("Authorization", "Bearer dave-0123456789abcdef")])
        #expect(program.api.author(of: request) == "dave")
        #expect(program.api.author(of: WebRequest(method: "GET", target: "/own", headers: [])) == nil)
    }

    @Test("Of several names with one token, the first in order is the author") func severalNames() async throws {
        let program = try await APIProgram()
        let token = APIToken("dave-0123456789abcdef")
        try await program.store.commit {
            program.app.admin.tokens = Secret(["zoe": token, "dave": token, "amy": token, "bob": token])
        }
        let request = WebRequest(
            method: "GET", target: "/own", headers: [("AUTHORIZATION", "Bearer dave-0123456789abcdef")])
        #expect(program.api.author(of: request) == "amy")
    }

    @Test("Tokens are read from a folder, as text or as an object") func tokensReadFromFolder() async throws {
        let folder = try TemporaryFolder()
        let texts = [
            "erin": "erin-0123456789abcdef\n", ".hidden": "none-0123456789abcdef",
            "frank": #"{"token": "frank-0123456789abcdef", "access": "read", "keys": ["limits"]}"#,
            "broken": #"{"token": 1}"#,
        ]
        for (name, text) in texts { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
        let program = try await APIProgram { $0.access = .tokens(.folder(folder.url)) }
        #expect(await program.get("/settings", by: "erin").status == 200)
        #expect(await program.get("/settings/limits.burst", by: "frank").status == 200)
        #expect(await program.get("/settings/greeting", by: "frank").status == 403)
        #expect(await program.get("/settings", by: "none").status == 401)
        let answer = await program.send("PATCH", "/settings/greeting", "\"x\"", by: "erin")
        #expect(answer.status == 200)
        #expect(await program.get("/settings/history", by: "erin").text.contains(#""name":"erin""#))
    }

    @Test("A token with a misspelt member gives no access", arguments: ["acess", "key", "Access"])
    func tokenMisspeltMemberGives(member: String) async throws {
        let folder = try TemporaryFolder()
        let text = #"{"token": "erin-0123456789abcdef", "\#(member)": "read"}"#
        try Data(text.utf8).write(to: folder.url.appending(path: "erin"))
        try Data("alice-0123456789abcdef".utf8).write(to: folder.url.appending(path: "alice"))
        let program = try await APIProgram { $0.access = .tokens(.folder(folder.url)) }
        #expect(await program.get("/settings", by: "erin").status == 401)
        let tokens = #"{"alice": "alice-0123456789abcdef", "erin": \#(text)}"#
        #expect(await program.send("PATCH", "/settings/admin.tokens", tokens).status == 422)
    }

    @Test("Of two sources of tokens, both count") func twoSourcesTokensBoth() async throws {
        let program = try await APIProgram { configuration in
            let one = APITokens { ["one": APIToken("one-0123456789abcdef")] }
            let other = APITokens { ["other": APIToken("other-0123456789abcdef")] }
            configuration.access = .tokens(one + other)
        }
        #expect(await program.get("/settings", by: "one").status == 200)
        #expect(await program.get("/settings", by: "other").status == 200)
    }

    @Test("An empty token does not hide one of the same name in another source", arguments: ["", "short"])
    func emptyTokenHideOne(text: String) async throws {
        let program = try await APIProgram { configuration in
            let one = APITokens { ["alice": APIToken(text)] }
            let other = APITokens { ["alice": APIToken("alice-0123456789abcdef")] }
            configuration.access = .tokens(one + other)
        }
        #expect(await program.get("/settings").status == 200)
    }

    @Test("An open API takes the name of the server's user, and only its own pages and names") func openAPITakesName()
        async throws
    {
        let program = try await APIProgram(isOpen: true)
        var request = WebRequest(
            method: "PATCH", target: "/settings/greeting", headers: [("Host", "localhost:8080")],
            body: Array("\"Hi\"".utf8))
        request.user = "grace"
        #expect(await program.api.respond(to: request).status == 200)
        let host = ("Host", "127.0.0.1")
        let history = await program.get("/settings/history", by: nil, host)
        #expect(history.text.contains(#""name":"grace""#))
        let foreign = ("Origin", "https://example.com")
        #expect(await program.send("DELETE", "/settings/greeting", by: nil, host, foreign).problem == "foreign-page")
        let own = ("Origin", "http://127.0.0.1")
        #expect(await program.send("DELETE", "/settings/greeting", by: nil, host, own).status == 200)
        let site = ("Sec-Fetch-Site", "cross-site")
        #expect(await program.send("DELETE", "/settings/greeting", by: nil, host, site).problem == "foreign-page")
        #expect(await program.get("/settings", by: nil, ("Host", "example.com")).problem == "wrong-host")
        #expect(await program.get("/settings", by: nil).status == 421)
    }

    @Test("A route of the program admits a client by its rights") func routeProgramAdmitsClient() async throws {
        let program = try await APIProgram()
        func author(_ method: String, _ client: String) -> String? {
            let field = ("Authorization", "Bearer \(client)-0123456789abcdef")
            return program.api.author(of: WebRequest(method: method, target: "/own", headers: [field]))
        }
        #expect(author("POST", "alice") == "alice" && author("GET", "alice") == "alice")
        #expect(author("GET", "bob") == "bob" && author("HEAD", "bob") == "bob")
        #expect(author("POST", "bob") == nil && author("DELETE", "bob") == nil)
        #expect(author("POST", "carol") == nil && author("GET", "carol") == nil)
    }

    @Test("A route of the program is not reached by a foreign name") func routeProgramReachedForeign() async throws {
        let program = try await APIProgram(isOpen: true)
        func author(_ host: String) -> String? {
            program.api.author(
                of: WebRequest(
                    method: "POST", target: "/own", headers: [("Host", host), ("Origin", "http://\(host)")]))
        }
        #expect(author("localhost") == "api" && author("evil.example") == nil)
    }

    @Test("Refusals are counted, and reported sparingly") func refusalsCountedReportedSparingly() async throws {
        let log = Reports()
        let program = try await APIProgram { $0.refusalLog = { log.add($0) } }
        for _ in 0..<30 { _ = await program.get("/settings/greeting?x=secret", by: nil) }
        #expect(log.all.count == 10 && log.all.allSatisfy { $0.reason == .missing && $0.path == "/settings/greeting" })
        program.time.pass(10)
        _ = await program.get("/settings", by: "mallory")
        #expect(log.all.last?.reason == .wrong && log.all.last?.unreported == 20)
        let metrics = await program.get("/metrics").text
        #expect(metrics.contains("settings_api_refused_requests_total{reason=\"missing\"} 30\n"))
        #expect(metrics.contains("settings_api_refused_requests_total{reason=\"wrong\"} 1\n"))
    }
}

/// Collects reports.
final class Reports: Sendable {
    private let reports = Mutex<[APIRefusal]>([])

    var all: [APIRefusal] { reports.withLock { $0 } }

    func add(_ report: APIRefusal) { reports.withLock { $0.append(report) } }
}
