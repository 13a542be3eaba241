import Settle
import SettleHTTP
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConditionTests {
    @Test("A change of something else does not matter to a setting, but to all") func changeSomethingElseDoes()
        async throws
    {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.burst = 1 }
        let tag = try #require(await program.get("/settings/greeting").field("ETag"))
        try await program.store.commit { program.app.limits.burst = 2 }
        #expect(await program.send("PATCH", "/settings", #"{"greeting": "x"}"#, ("If-Match", tag)).status == 412)
        #expect(await program.send("PATCH", "/settings/limits", #"{"burst": 3}"#, ("If-Match", tag)).status == 412)
        #expect(await program.send("PATCH", "/settings/greeting", "\"x\"", ("If-Match", tag)).status == 200)
    }

    @Test("A conflict has both values, the author and the token") func conflictBothValuesAuthor() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.burst = 1 }
        let tag = try #require(await program.get("/settings/limits.burst").field("ETag"))
        try await program.store.commit(author: "dave") { program.app.limits.burst = 2 }
        let answer = await program.send("PATCH", "/settings/limits.burst", "3", ("If-Match", tag))
        #expect(answer.status == 412 && answer.problem == "changed")
        let conflict = try #require(answer.array("conflicts").first)
        #expect(conflict["key"] == .string("limits.burst"))
        #expect(conflict["yours"] == .integer(3) && conflict["stored"] == .integer(2))
        #expect(answer.string("author") == "dave")
        #expect(answer.string("token") == program.store.history.token?.description)
        #expect(program.app.limits.burst == 2)
    }

    @Test("A conflict of a covered setting has the file's value") func conflictCoveredSetting() async throws {
        let ports = SettingValue.dictionary(["ports": .dictionary(["cover": .integer(1)])])
        let program = try await APIProgram(
            overrides: SettingTree(["greeting": .string("Yo"), "limits": ports]))
        try await program.store.commit { program.app.greeting = "Hello again" }
        let tag = try #require(await program.get("/settings").field("ETag"))
        try await program.store.commit {
            program.app.greeting = "Hi"
            program.app.limits.ports = ["web": 80]
        }
        let answer = await program.send(
            "PATCH", "/settings", #"{"greeting": "Ho", "limits": {"ports": {"ssh": 22}}}"#,
            ("Content-Type", "application/merge-patch+json"), ("If-Match", tag))
        #expect(answer.status == 412)
        let conflicts = answer.array("conflicts")
        let greeting = try #require(conflicts.first { $0["key"] == .string("greeting") })
        #expect(greeting["stored"] == .string("Hi") && greeting["yours"] == .string("Ho"))
        let merged = try #require(conflicts.first { $0["key"] == .string("limits.ports") })
        #expect(merged["stored"] == .dictionary(["web": .integer(80)]))
        #expect(merged["yours"] == .dictionary(["web": .integer(80), "ssh": .integer(22)]))
    }

    @Test("A conflict of a secret has no value") func conflictSecretValue() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.burst = 1 }
        let tag = try #require(await program.get("/settings/admin.password").field("ETag"))
        try await program.store.commit { program.app.admin.password = Secret("of another") }
        let answer = await program.send("PATCH", "/settings/admin.password", "\"of mine\"", ("If-Match", tag))
        #expect(answer.status == 412 && !answer.text.contains("of another") && !answer.text.contains("of mine"))
    }

    @Test("The client's own change is recognized when it is repeated") func clientsOwnChangeRecognized() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.burst = 1 }
        let tag = try #require(await program.get("/settings/limits.burst").field("ETag"))
        #expect(await program.send("PATCH", "/settings/limits.burst", "3", ("If-Match", tag)).status == 200)
        let token = program.store.history.token
        #expect(await program.send("PATCH", "/settings/limits.burst", "3", ("If-Match", tag)).status == 200)
        #expect(program.store.history.token == token)
        #expect(await program.send("PATCH", "/settings/limits.burst", "4", ("If-Match", tag)).status == 412)
        let limited = await program.send("PATCH", "/settings/limits.burst", "3", by: "carol", ("If-Match", tag))
        #expect(limited.status == 412)
    }

    @Test("For a token of some keys, only these count") func tokenSomeKeysOnly() async throws {
        let program = try await APIProgram {
            $0.access = .tokens(
                APITokens {
                    [
                        "burst": APIToken("burst-0123456789abcdef", keys: ["limits.burst"]),
                        "carol": APIToken("carol-0123456789abcdef", keys: ["limits"]),
                    ]
                })
        }
        try await program.store.commit { program.app.limits.burst = 1 }
        let tag = try #require(await program.get("/settings", by: "carol").field("ETag"))
        try await program.store.commit(author: "dave") { program.app.greeting = "Hi" }
        let body = #"{"limits.burst": 2}"#
        for target in ["/settings?dryRun=true", "/settings"] {
            let answer = await program.send("PATCH", target, body, by: "carol", ("If-Match", tag))
            #expect(answer.status == 200, "\(target)")
        }
        let part = try #require(await program.get("/settings/limits", by: "burst").field("ETag"))
        try await program.store.commit(author: "dave") { program.app.limits.perSecond = 3 }
        let group = #"{"burst": 3}"#
        #expect(await program.send("PATCH", "/settings/limits", group, by: "burst", ("If-Match", part)).status == 200)
        let late = await program.send("PATCH", "/settings", body, by: "carol", ("If-Match", part))
        #expect(late.status == 412 && late.array("conflicts").count == 2)
    }

    @Test("Before anything is stored, the contents count") func beforeAnythingStoredContents() async throws {
        // A history that is kept begins with the opening.
        let program = try await APIProgram(history: .unchanged)
        try #require(program.store.history.token == nil)
        let tag = try #require(await program.get("/settings/limits.burst").field("ETag"))
        #expect(tag.hasPrefix("\"~"))
        #expect(await program.send("PATCH", "/settings/limits.burst", "0", ("If-Match", tag)).status == 422)
        #expect(await program.send("PATCH", "/settings/limits.burst", "5", ("If-Match", tag)).status == 200)
        #expect(await program.send("PATCH", "/settings/limits.burst", "6", ("If-Match", tag)).status == 412)
        #expect(program.app.limits.burst == 5)
    }

    @Test("Once something has been stored, a tag without a token is refused, even if the contents are the same")
    func tagWithoutTokenSecret() async throws {
        let program = try await APIProgram(history: .unchanged)
        // The group shows nothing of its secrets.
        let tag = try #require(await program.get("/settings/admin").field("ETag"))
        #expect(tag.hasPrefix("\"~"))
        let statuses = [
            await program.send("PATCH", "/settings/admin", #"{"password": "first"}"#, ("If-Match", tag)).status,
            await program.send("PATCH", "/settings/admin", #"{"password": "second"}"#, ("If-Match", tag)).status,
        ]
        #expect(statuses == [200, 412])
        #expect(program.app.admin.password == Secret("first"))
        #expect(await program.get("/settings/admin").text == "{}\n")
    }

    @Test("A tag without a token is refused after a write that waits to be saved") func tagWithoutTokenUnsaved()
        async throws
    {
        let program = try await APIProgram(history: .unchanged)
        let tag = try #require(await program.get("/settings/admin").field("ETag"))
        try #require(tag.hasPrefix("\"~"))
        program.app.admin.password = Secret("first")
        let answer = await program.send("PATCH", "/settings/admin", #"{"password": "second"}"#, ("If-Match", tag))
        #expect(answer.status == 412)
        #expect(program.app.admin.password == Secret("first"))
    }

    @Test("Of changes that come at once with one tag without a token, one is made") func tagWithoutTokenAtOnce()
        async throws
    {
        let program = try await APIProgram(history: .unchanged)
        let tag = try #require(await program.get("/settings/admin").field("ETag"))
        try #require(tag.hasPrefix("\"~"))
        let statuses = await withTaskGroup(of: Int.self) { tasks in
            for number in 1...4 {
                tasks.addTask {
                    let body = #"{"password": "\#(number)"}"#
                    return await program.send("PATCH", "/settings/admin", body, ("If-Match", tag)).status
                }
            }
            return await tasks.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 412, 412, 412])
    }

    @Test("An event's identifier counts in If-Match") func eventsIdentifierCountsIf() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.burst = 1 }
        let token = try #require(program.store.history.token)
        let old = "\"\(token)\""
        #expect(await program.send("PATCH", "/settings/limits.burst", "5", ("If-Match", old)).status == 200)
        #expect(await program.send("PATCH", "/settings/limits.burst", "6", ("If-Match", old)).status == 412)
    }

    @Test(
        "A field that is not a list of tags is refused",
        arguments: ["x", "\"a", "\"a\" \"b\"", "\"a\",", "*, \"a\"", ""])
    func fieldListTagsRefused(field: String) async throws {
        let program = try await APIProgram()
        #expect(await program.send("PATCH", "/settings/greeting", "\"x\"", ("If-Match", field)).status == 400)
        #expect(await program.get("/settings/greeting", ("If-None-Match", field)).status == 400)
        #expect(program.app.greeting == "Hello")
    }

    @Test("A change has no If-None-Match") func changeIfNoneMatch() async throws {
        let program = try await APIProgram()
        #expect(await program.send("PATCH", "/settings/greeting", "\"x\"", ("If-None-Match", "*")).status == 400)
        #expect(program.app.greeting == "Hello")
    }

    @Test("An unsaved change and one of another domain make another tag") func unsavedChangeOneAnother() async throws {
        let program = try await APIProgram()
        let tag = try #require(await program.get("/settings/greeting").field("ETag"))
        #expect(await program.get("/settings/greeting", ("If-None-Match", tag)).status == 304)
        #expect(await program.get("/settings/greeting", ("If-None-Match", "W/\(tag)")).status == 304)
        program.app.greeting = "Hi"
        #expect(await program.get("/settings/greeting", ("If-None-Match", tag)).status == 200)
    }

    @Test("304 has the tag and no body") func answer304TagBody() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.burst = 1 }
        for target in ["/settings", "/settings/limits", "/settings/limits.burst", "/settings/history"] {
            let first = await program.get(target)
            let tag = try #require(first.field("ETag"))
            let answer = await program.get(target, ("If-None-Match", "\"x\", \(tag)"))
            #expect(answer.status == 304 && answer.text.isEmpty && answer.field("ETag") == tag, "\(target)")
            #expect(await program.get(target, ("If-None-Match", "*")).status == 304, "\(target)")
        }
    }

    /// What the conditions of a client should lead to.
    private struct Model {
        /// The number of changes of each key.
        var versions = ["limits.burst": 0, "limits.perSecond": 0]
        /// The tags that were read, with the versions then.
        var tags: [(target: String, tag: String, versions: [String: Int])] = []
    }

    @Test("Any sequence of conditions agrees with a model", arguments: UInt64(1)...8) func anySequenceConditionsAgrees(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        var model = Model()
        // Of each kind of request, the statuses that occurred: a model that predicts only one proves little.
        var statuses: [String: Set<Int>] = [:]
        let keys = model.versions.keys.sorted()
        for step in 2...240 {
            let key = keys.randomElement(using: &random) ?? ""
            let target = ["/settings", "/settings/limits", "/settings/\(key)"].randomElement(using: &random) ?? ""
            let known = model.tags.randomElement(using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                try await program.store.commit(author: "dave") {
                    try program.store.keys.setValue(.integer(Int64(step)), forKey: key)
                }
                model.versions[key, default: 0] += 1
            case 1:
                let tag = try #require(await program.get(target).field("ETag"))
                model.tags.append((target, tag, model.versions))
                let again = await program.get(target, ("If-None-Match", tag))
                #expect(again.status == 304, "seed \(seed), step \(step)")
                statuses["read", default: []].insert(again.status)
            case 2:
                guard let known else { continue }
                let isCurrent = known.versions == model.versions
                let answer = await program.get(known.target, ("If-None-Match", known.tag))
                #expect(answer.status == (isCurrent ? 304 : 200), "seed \(seed), step \(step)")
                statuses["read", default: []].insert(answer.status)
            default:
                guard let known else { continue }
                let other = model.tags.randomElement(using: &random) ?? known
                let field: String
                let read: [[String: Int]]
                switch Int.random(in: 0..<5, using: &random) {
                case 0: (field, read) = ("W/\(known.tag)", [])
                case 1: (field, read) = ("*", [model.versions])
                case 2: (field, read) = ("\"made-up\"", [])
                case 3: (field, read) = ("\(known.tag) , \(other.tag)", [known.versions, other.versions])
                default: (field, read) = (known.tag, [known.versions])
                }
                let base = target == "/settings/\(key)" ? [key] : keys
                let now = model.versions
                let isMet = read.contains { versions in base.allSatisfy { versions[$0] == now[$0] } }
                let value = "\(step)"
                let body: String
                switch target {
                case "/settings": body = "{\"\(key)\": \(value)}"
                case "/settings/limits": body = "{\"\(key.dropFirst("limits.".count))\": \(value)}"
                default: body = value
                }
                let isDryRun = Bool.random(using: &random)
                let before = program.store.keys[key]
                let answer = await program.send(
                    "PATCH", target + (isDryRun ? "?dryRun=true" : ""), body, ("If-Match", field))
                #expect(answer.status == (isMet ? 200 : 412), "seed \(seed), step \(step): \(field)")
                statuses[isDryRun ? "dry run" : "write", default: []].insert(answer.status)
                let isWritten = isMet && !isDryRun
                #expect(
                    program.store.keys[key] == (isWritten ? .integer(Int64(step)) : before),
                    "seed \(seed), step \(step): \(field)")
                if isWritten { model.versions[key, default: 0] += 1 }
            }
        }
        #expect(statuses == ["read": [200, 304], "dry run": [200, 412], "write": [200, 412]], "seed \(seed)")
    }
}
