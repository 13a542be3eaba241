import Settle
import SettleHTTP
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct WritingTests {
    @Test("A change is stored under the name of the token") func changeStoredUnderName() async throws {
        let program = try await APIProgram()
        let answer = await program.send("PATCH", "/settings/limits.perSecond", "50")
        #expect(answer.status == 200 && answer.value("value") == .integer(50))
        #expect(program.app.limits.perSecond == 50 && program.store.status.oldestUnsavedChange == nil)
        let history = await program.get("/settings/history?limit=1")
        #expect(history.array("entries").first?["author"]?["name"] == .string("alice"))
        #expect(answer.string("token") == program.store.history.token?.description)
    }

    @Test("A broken rule is a problem with key and rule, and changes nothing") func brokenRuleProblemKey() async throws
    {
        let program = try await APIProgram()
        let answer = await program.send("PATCH", "/settings/limits.perSecond", "0")
        #expect(answer.status == 422 && answer.problem == "invalid-value")
        #expect(answer.string("key") == "limits.perSecond" && answer.string("rule") == "in 1...100000")
        #expect(answer.string("detail")?.contains("in 1...100000") == true)
        #expect(answer.value("status") == .integer(422) && answer.string("title") == "The value is not valid.")
        #expect(answer.string("requestId") == answer.field("X-Request-ID"))
        #expect(program.app.limits.perSecond == 1000)
    }

    @Test("Another type is a problem") func anotherTypeProblem() async throws {
        let program = try await APIProgram()
        #expect(await program.send("PATCH", "/settings/limits.perSecond", "\"x\"").problem == "invalid-value")
    }

    @Test("A body that is not JSON is a problem", arguments: ["", "{", "1 2", "nul"]) func bodyJSONProblem(body: String)
        async throws
    {
        let program = try await APIProgram()
        let answer = await program.send("PATCH", "/settings/limits.perSecond", body)
        #expect(answer.status == 400 && answer.problem == "invalid-body")
    }

    @Test("Several are set together or not at all") func severalSetTogetherAll() async throws {
        let program = try await APIProgram()
        let fine = await program.send("PATCH", "/settings", #"{"limits.perSecond": 5, "greeting": "Hi"}"#)
        #expect(fine.status == 200 && fine.array("settings").count == 2)
        #expect(program.app.limits.perSecond == 5 && program.app.greeting == "Hi")
        let wrong = await program.send("PATCH", "/settings", #"{"greeting": "Ho", "limits.perSecond": 0}"#)
        #expect(wrong.status == 422 && program.app.greeting == "Hi")
        let unknown = await program.send("PATCH", "/settings", #"{"greeting": "Ho", "nothing": 0}"#)
        #expect(unknown.problem == "unknown-setting" && program.app.greeting == "Hi")
        #expect(await program.send("PATCH", "/settings", "[1]").problem == "invalid-body")
    }

    @Test("A merge patch changes what it names, and null resets") func mergePatchChangesNames() async throws {
        let program = try await APIProgram()
        try await program.store.commit {
            program.app.limits.burst = 7
            program.app.limits.ports = ["web": 80, "old": 1]
        }
        let body = #"{"limits": {"perSecond": 5, "burst": null, "ports": {"old": null, "new": 2}}}"#
        let answer = await program.send(
            "PATCH", "/settings", body, ("Content-Type", "application/merge-patch+json; charset=utf-8"))
        #expect(answer.status == 200)
        #expect(program.app.limits.perSecond == 5 && program.app.limits.burst == 1000)
        #expect(program.app.limits.ports == ["web": 80, "new": 2] && program.app.greeting == "Hello")
    }

    @Test("A group takes a merge patch with any media type of JSON") func groupTakesMergePatch() async throws {
        let program = try await APIProgram()
        let answer = await program.send("PATCH", "/settings/limits", #"{"perSecond": 5, "nick": "x"}"#)
        #expect(answer.status == 200 && answer.value("perSecond") == .integer(5))
        #expect(program.app.limits.nick == "x")
        #expect(await program.send("PATCH", "/settings/limits", "5").problem == "invalid-body")
        #expect(await program.send("PATCH", "/settings/limits", #"{"x": 5}"#).problem == "unknown-setting")
        #expect(await program.send("PATCH", "/settings/limits", "null").status == 200)
        #expect(program.app.limits.perSecond == 1000 && program.app.limits.nick == nil)
    }

    @Test("A value that is an object is merged only as a merge patch") func valueObjectMergedOnly() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.ports = ["web": 80] }
        _ = await program.send(
            "PATCH", "/settings/limits.ports", #"{"ssh": 22}"#, ("Content-Type", "application/merge-patch+json"))
        #expect(program.app.limits.ports == ["web": 80, "ssh": 22])
        _ = await program.send("PATCH", "/settings/limits.ports", #"{"dns": 53}"#)
        #expect(program.app.limits.ports == ["dns": 53])
    }

    @Test("A merge patch builds on the file's value and not on the one that covers it") func mergePatchBuildsOnFile()
        async throws
    {
        let limits = SettingValue.dictionary(["ports": .dictionary(["cover": .integer(1)])])
        let program = try await APIProgram(overrides: SettingTree(["limits": limits]))
        try await program.store.commit { program.app.limits.ports = ["web": 80] }
        let patch = ("Content-Type", "application/merge-patch+json")
        let answer = await program.send("PATCH", "/settings/limits.ports", #"{"ssh": 22}"#, patch)
        #expect(answer.status == 200 && program.app.limits.ports == ["cover": 1])
        let stored = program.store.domains[.application].values["limits.ports"]
        #expect(stored == .dictionary(["web": .integer(80), "ssh": .integer(22)]))
    }

    @Test("A merge patch of a covered secret stores nothing of the value that covers it") func mergePatchCoveredSecret()
        async throws
    {
        let tokens = SettingValue.dictionary([
            "alice": .string("alice-0123456789abcdef"), "environment": .string("environment-0123456789"),
        ])
        let program = try await APIProgram(
            overrides: SettingTree(["admin": .dictionary(["tokens": tokens])]))
        let patch = ("Content-Type", "application/merge-patch+json")
        #expect(await program.send("PATCH", "/settings/admin.tokens", #"{"bob": null}"#, patch).status == 200)
        let stored = try #require(try program.store.keys.ownValue(forKey: "admin.tokens"))
        #expect(stored["alice"] != nil && stored["carol"] != nil)
        #expect(stored["bob"] == nil && stored["environment"] == nil)
    }

    @Test("Another media type is refused with those that are accepted") func anotherMediaTypeRefused() async throws {
        let program = try await APIProgram()
        let answer = await program.send(
            "PATCH", "/settings/greeting", "\"x\"", ("Content-Type", "application/json-patch+json"))
        #expect(answer.status == 415 && answer.problem == "unsupported-media-type")
        #expect(answer.field("Accept-Patch") == "application/json, application/merge-patch+json")
        let form = ("Content-Type", "application/x-www-form-urlencoded")
        #expect(await program.send("PATCH", "/settings/greeting", "\"x\"", form).status == 200)
    }

    @Test("A request with two media types is refused, and is not taken for JSON") func twoMediaTypes() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.ports = ["web": 80] }
        let patch = ("Content-Type", "application/merge-patch+json")
        let answer = await program.send("PATCH", "/settings/limits.ports", #"{"ssh": 22}"#, patch, patch)
        #expect(answer.status == 400 && answer.problem == "invalid-request")
        #expect(program.app.limits.ports == ["web": 80])
    }

    @Test("A reset is of a setting or of a group") func resetSettingGroup() async throws {
        let program = try await APIProgram()
        try await program.store.commit {
            (program.app.limits.perSecond, program.app.limits.burst, program.app.greeting) = (1, 2, "Hi")
        }
        let answer = await program.send("DELETE", "/settings/greeting")
        #expect(answer.status == 200 && answer.value("isDefault") == .bool(true))
        #expect(program.app.greeting == "Hello" && program.app.limits.burst == 2)
        #expect(await program.send("DELETE", "/settings/limits").status == 200)
        #expect(program.app.limits.perSecond == 1000 && program.app.limits.burst == 1000)
        #expect(await program.send("DELETE", "/settings/nothing").problem == "unknown-setting")
    }

    @Test("A dry run says what would change, and changes nothing") func dryRunSaysWould() async throws {
        let program = try await APIProgram(overrides: SettingTree(["greeting": .string("Yo")]))
        let revision = program.store.revision
        let body = #"{"limits.perSecond": 5, "greeting": "Hi", "admin.password": "new one"}"#
        let answer = await program.send("PATCH", "/settings?dryRun=true", body)
        #expect(answer.status == 200 && answer.value("dryRun") == .bool(true))
        let changes = answer.array("changes")
        #expect(changes.count == 2 && !answer.text.contains("new one"))
        #expect(changes.contains { $0["key"] == .string("limits.perSecond") && $0["new"] == .integer(5) })
        #expect(changes.contains { $0["key"] == .string("admin.password") && $0["isSecret"] == .bool(true) })
        #expect(answer.array("covered") == [.string("greeting")])
        #expect(program.app.limits.perSecond == 1000 && program.store.revision == revision)
        #expect(await program.send("PATCH", "/settings/limits.burst?dryRun=true", "0").status == 422)
        #expect(await program.send("DELETE", "/settings/limits.burst?dryRun=false").status == 200)
    }

    @Test("A dry run does not show whether a secret was guessed", arguments: ["hunter2", "another"])
    func dryRunSecretGuessed(guess: String) async throws {
        let program = try await APIProgram()
        let answer = await program.send("PATCH", "/settings/admin.password?dryRun=true", "\"\(guess)\"")
        let change = SettingValue.dictionary(["key": .string("admin.password"), "isSecret": .bool(true)])
        #expect(answer.status == 200 && answer.array("changes") == [change])
    }

    @Test("A token that may read checks no merge patch of a secret") func readTokenChecksSecret() async throws {
        let program = try await APIProgram()
        let patch = ("Content-Type", "application/merge-patch+json")
        for name in ["alice", "nobody"] {
            let body = #"{"admin": {"tokens": {"\#(name)": {"access": "read"}}}}"#
            let answer = await program.send("POST", "/settings/check", body, by: "bob", patch)
            #expect(answer.problem == "not-permitted" && answer.string("key") == "admin.tokens", "\(name)")
        }
        let set = #"{"admin.password": "x"}"#
        #expect(await program.send("POST", "/settings/check", set, by: "bob").status == 200)
        let tokens = #"{"admin": {"tokens": {"bob": null}}}"#
        #expect(await program.send("POST", "/settings/check", tokens, patch).status == 200)
    }

    @Test("A misspelt parameter writes nothing") func misspeltParameterWritesNothing() async throws {
        let program = try await APIProgram()
        for target in ["?dryrun=true", "?dry_run=true", "?dryRun=true&x", "?dryRun=true&dryRun=false", "?dryRun=1"] {
            let answer = await program.send("PATCH", "/settings/limits.perSecond\(target)", "5")
            #expect(answer.status == 400, "\(target)")
            #expect(program.app.limits.perSecond == 1000, "\(target)")
        }
        let answer = await program.send("PATCH", "/settings/limits.perSecond?dryrun=true", "5")
        #expect(answer.problem == "unknown-parameter" && answer.string("parameter") == "dryrun")
        #expect(answer.string("detail")?.contains("dryRun") == true)
        #expect(await program.get("/settings?limit=3").problem == "unknown-parameter")
    }

    @Test("Locked and owner-only settings are not changed") func lockedOwnerOnlySettings() async throws {
        let program = try await APIProgram(managed: SettingTree(["greeting": .string("Yo")]))
        let locked = await program.send("PATCH", "/settings/greeting", "\"Hi\"")
        #expect(locked.status == 409 && locked.problem == "locked" && locked.string("key") == "greeting")
        let owned = await program.send("PATCH", "/settings/owned.attempts", "0")
        #expect(owned.status == 403 && owned.problem == "owner-only")
        #expect(program.app.owned.attempts == 7)
    }

    private struct Stored: SettingsGroup {
        @Setting(storedIn: .secrets) var token: Secret<String>?
    }

    @Test("A setting of the secret store is shown, and not changed") func secretStoreSetting() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let api = SettingsAPI(store, groups: Stored.self, configuration: .init(access: .open))
        func send(_ method: String, _ body: String) async -> Answer {
            let request = WebRequest(
                method: method, target: "/settings/token", headers: [("Host", "localhost")], body: Array(body.utf8))
            return Answer(response: await api.respond(to: request))
        }
        #expect(await send("GET", "").value("isSecret") == .bool(true))
        let answer = await send("PATCH", "\"hunter2\"")
        #expect(answer.status == 403 && answer.problem == "owner-only" && answer.string("key") == "token")
        #expect(answer.string("rule") == "stored in the secret store" && !answer.text.contains("hunter2"))
        try await store.close()
    }

    @Test("A covered setting is saved, and the answer says that it is not in force") func coveredSettingSavedAnswer()
        async throws
    {
        let program = try await APIProgram(overrides: SettingTree(["greeting": .string("Yo")]))
        let answer = await program.send("PATCH", "/settings/greeting", "\"Hi\"")
        #expect(answer.status == 200 && answer.value("isCovered") == .bool(true))
        #expect(answer.value("value") == .string("Yo") && answer.value("stored") == .string("Hi"))
    }

    @Test("A check reports all problems and changes nothing") func checkReportsAllProblems() async throws {
        let program = try await APIProgram()
        let revision = program.store.revision
        let fine = await program.send("POST", "/settings/check", #"{"limits.perSecond": 5}"#, by: "bob")
        #expect(fine.status == 200 && fine.value("isValid") == .bool(true))
        let wrong = await program.send(
            "POST", "/settings/check", #"{"limits": {"perSecond": 0, "burst": "x", "nick": "y"}}"#,
            ("Content-Type", "application/merge-patch+json"))
        #expect(wrong.status == 422 && wrong.problem == "invalid-value")
        #expect(
            wrong.array("problems").compactMap { $0["key"] } == [
                .string("limits.burst"), .string("limits.perSecond"),
            ])
        #expect(program.store.revision == revision && program.app.limits.nick == nil)
    }

    @Test("A change that can't be saved is 503") func changeCantSaved503() async throws {
        let storage = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(storage: storage)
        let api = SettingsAPI(store, groups: APIProgram.Limits.self, configuration: .init(access: .open))
        let request = WebRequest(
            method: "PATCH", target: "/settings/perSecond", headers: [("Host", "localhost")], body: Array("5".utf8))
        #expect(await api.respond(to: request).status == 200)
        let error = StorageError(.noSpace, "The disk is full.")
        storage.fail(.append, with: error)
        storage.fail(.syncedAppend, with: error)
        var other = request
        other.body = Array("6".utf8)
        let answer = Answer(response: await api.respond(to: other))
        #expect(answer.status == 503 && answer.problem == "not-saved" && answer.field("Retry-After") == "5")
        storage.heal()
        try await store.close()
    }
}
