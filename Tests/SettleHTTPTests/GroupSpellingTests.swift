import Settle
import SettleHTTP
import SettleTesting
import Testing

/// Groups with a setting that the file stores under a name with dots, beside the dictionary of the group.
@Suite(.timeLimit(.minutes(10))) struct GroupSpellingTests {
    private struct Limits: SettingsGroup {
        @Setting var burst = 1
        @Setting var requests = 1
    }

    private struct App: SettingsGroup {
        let limits = Limits()
        @Setting var greeting = "Hello"
    }

    /// A program with a client for each reach: alice has everything, bob the setting with dots, carol the group, and
    /// dora the other setting of the group.
    private struct Program {
        let storage = InMemoryStorage(
            SettingTree(["limits": .dictionary(["burst": .integer(2)]), "limits.requests": .integer(5)]))
        let store: SettingsStore
        let app: App
        let api: SettingsAPI

        init() async throws {
            let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
            let app = try await store.group(App.self)
            try await store.commit { app.greeting = "Hi" }
            (self.store, self.app) = (store, app)
            let tokens = APITokens {
                [
                    "alice": APIToken("alice-0123456789abcdef"),
                    "bob": APIToken("bob-0123456789abcdef", keys: ["limits.requests"]),
                    "carol": APIToken("carol-0123456789abcdef", keys: ["limits"]),
                    "dora": APIToken("dora-0123456789abcdef", keys: ["limits.burst"]),
                ]
            }
            api = SettingsAPI(store, groups: App.self, configuration: .init(access: .tokens(tokens)))
        }

        func send(
            _ method: String, _ target: String, _ body: String = "", by client: String = "alice",
            _ headers: (name: String, value: String)...
        ) async -> Answer {
            let fields = headers + [(name: "Authorization", value: "Bearer \(client)-0123456789abcdef")]
            let request = WebRequest(method: method, target: target, headers: fields, body: Array(body.utf8))
            return Answer(response: await api.respond(to: request))
        }
    }

    private static let patch = (name: "Content-Type", value: "application/merge-patch+json")

    @Test(
        "A group has a setting that is stored under a name with dots, if that is within reach",
        arguments: [("alice", 2, 5), ("bob", nil, 5), ("carol", 2, 5), ("dora", 2, nil)] as [(String, Int64?, Int64?)])
    func group(client: String, burst: Int64?, requests: Int64?) async throws {
        let program = try await Program()
        let answer = await program.send("GET", "/settings/limits", by: client)
        #expect(answer.value("burst") == burst.map(SettingValue.integer))
        #expect(answer.value("requests") == requests.map(SettingValue.integer))
        try await program.store.close()
    }

    @Test(
        "A merge patch writes the setting where it is stored, whichever spelling the patch has",
        arguments: [
            ("/settings/limits", #"{"requests": 7}"#), ("/settings", #"{"limits": {"requests": 7}}"#),
            ("/settings", #"{"limits.requests": 7}"#), ("/settings/limits.requests", "7"),
        ])
    func patched(target: String, body: String) async throws {
        let program = try await Program()
        #expect(await program.send("PATCH", target, body, Self.patch).status == 200)
        #expect(program.app.limits.requests == 7)
        #expect(program.storage.tree["limits\\.requests"] == .integer(7))
        #expect(program.storage.tree["limits.requests"] == nil)
        try await program.store.close()
    }

    @Test("A merge patch with both spellings is refused", arguments: [#"{"requests": 7}"#, "null"])
    func patchedTwice(group: String) async throws {
        let program = try await Program()
        let body = #"{"limits": \#(group), "limits.requests": 8}"#
        let answer = await program.send("PATCH", "/settings", body, Self.patch)
        #expect(answer.problem == "invalid-body" && answer.text.contains("two values"))
        #expect(program.app.limits.requests == 5 && program.app.limits.burst == 2)
        try await program.store.close()
    }

    @Test("A reset of the group resets it, and so does one of its declared key") func reset() async throws {
        let program = try await Program()
        #expect(await program.send("DELETE", "/settings/limits.requests").status == 200)
        #expect(program.app.limits.requests == 1 && program.app.limits.burst == 2)
        #expect(await program.send("PATCH", "/settings/limits", #"{"requests": 7}"#).status == 200)
        #expect(await program.send("DELETE", "/settings/limits").status == 200)
        #expect(program.app.limits.requests == 1 && program.app.limits.burst == 1)
        #expect(program.storage.tree.root == ["greeting": .string("Hi")])
        try await program.store.close()
    }

    @Test("A refusal to reset the group names the group, and nothing is reset") func refusedReset() async throws {
        let program = try await Program()
        for answer in [
            await program.send("DELETE", "/settings/limits", by: "dora"),
            await program.send("PATCH", "/settings", #"{"limits": null}"#, by: "dora", Self.patch),
        ] {
            #expect(answer.status == 403 && answer.string("key") == "limits")
        }
        #expect(program.app.limits.requests == 5 && program.app.limits.burst == 2)
        try await program.store.close()
    }

    @Test(
        "If-Match of the group notices its changes, and none of other settings", arguments: ["alice", "bob", "carol"])
    func condition(client: String) async throws {
        let program = try await Program()
        let target = "/settings/limits"
        let tag = try #require(await program.send("GET", target, by: client).field("ETag"))
        try await program.store.commit { program.app.greeting = "Ho" }
        let body = #"{"requests": 6}"#
        #expect(await program.send("PATCH", target, body, by: client, ("If-Match", tag)).status == 200)
        try await program.store.commit(author: "dave") { program.app.limits.requests = 7 }
        let late = await program.send("PATCH", target, #"{"requests": 8}"#, by: client, ("If-Match", tag))
        #expect(late.status == 412 && late.string("author") == "dave")
        let conflicts = late.array("conflicts")
        #expect(conflicts.map { $0["key"] } == [.string("limits\\.requests")])
        #expect(conflicts.map { $0["stored"] } == [.integer(7)] && conflicts.map { $0["yours"] } == [.integer(8)])
        #expect(program.app.limits.requests == 7)
        try await program.store.close()
    }

    @Test("A conflict has the value of the request, whichever spelling of the key that has") func conflict()
        async throws
    {
        let program = try await Program()
        let target = "/settings/limits.requests"
        let tag = try #require(await program.send("GET", target).field("ETag"))
        try await program.store.commit { program.app.limits.requests = 7 }
        let late = await program.send("PATCH", target, "8", ("If-Match", tag))
        #expect(late.status == 412 && late.array("conflicts").map { $0["yours"] } == [.integer(8)])
        try await program.store.close()
    }
}
