import Settle
import SettleHTTP
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReadingTests {
    @Test("The listing has each setting, the token and the state of the file") func listingEachSettingToken()
        async throws
    {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.perSecond = 50 }
        let answer = await program.get("/settings")
        #expect(answer.status == 200)
        #expect(answer.field("Content-Type") == "application/json; charset=utf-8")
        #expect(answer.field("Cache-Control") == "private, no-cache")
        #expect(answer.field("X-Content-Type-Options") == "nosniff")
        #expect(answer.string("token") == program.store.history.token?.description)
        #expect(answer.string("file", "state") == "saved" || answer.string("file", "state") == "behind")
        let keys = answer.array("settings").compactMap { $0["key"] }
        #expect(keys.count == program.store.settings.count)
        let limit = try #require(answer.array("settings").first { $0["key"] == .string("limits.perSecond") })
        #expect(limit["value"] == .integer(50) && limit["default"] == .integer(1000))
        #expect(limit["domain"] == .string("application") && limit["isDefault"] == .bool(false))
        #expect(limit["rules"] == .array([.string("in 1...100000")]))
    }

    @Test("A setting has its value and its token") func settingValueToken() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "Hi" }
        let answer = await program.get("/settings/greeting")
        #expect(answer.status == 200 && answer.value("value") == .string("Hi"))
        #expect(answer.string("token") == program.store.history.token?.description)
        #expect(answer.field("ETag")?.hasPrefix("\"\(answer.string("token") ?? "?")~") == true)
    }

    @Test("A percent-encoded key is the same setting") func percentEncodedKeySame() async throws {
        let program = try await APIProgram()
        #expect(await program.get("/settings/limits%2EperSecond").string("key") == "limits.perSecond")
    }

    @Test("HEAD has the fields of GET") func headFieldsGET() async throws {
        let program = try await APIProgram()
        let (get, head) = (await program.get("/settings/greeting"), await program.send("HEAD", "/settings/greeting"))
        #expect(head.status == 200 && head.field("ETag") == get.field("ETag"))
        #expect(await program.send("HEAD", "/settings/changes").field("Content-Type")?.hasPrefix("text/event") == true)
    }

    @Test("A secret has no value anywhere") func secretValueAnywhere() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.admin.password = Secret("correct horse") }
        for target in [
            "/settings", "/settings/admin.password", "/settings/admin.password?explain=true", "/settings/admin",
            "/settings/history", "/openapi.json", "/metrics",
        ] {
            let answer = await program.get(target)
            #expect(answer.status == 200, "\(target)")
            #expect(!answer.text.contains("correct horse") && !answer.text.contains("hunter2"), "\(target)")
            #expect(!answer.text.contains("0123456789abcdef"), "\(target)")
        }
        let answer = await program.get("/settings/admin.password")
        #expect(answer.value("isSecret") == .bool(true) && answer.value("value") == nil)
    }

    @Test("A group is an object of its values, without secrets") func groupObjectValuesWithout() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.limits.ports = ["web": 80] }
        let answer = await program.get("/settings/limits")
        #expect(answer.status == 200 && answer.field("ETag") != nil)
        #expect(answer.value("perSecond") == .integer(1000) && answer.value("ports", "web") == .integer(80))
        #expect(await program.get("/settings/admin").text == "{}\n")
    }

    @Test("An explanation names each domain and its source") func explanationNamesEachDomain() async throws {
        let program = try await APIProgram(overrides: SettingTree(["greeting": .string("Yo")]))
        try await program.store.commit { program.app.greeting = "Hi" }
        let answer = await program.get("/settings/greeting?explain=true")
        guard case .array(let answers)? = answer.value("explanation", "answers") else {
            Issue.record("There is no explanation.")
            return
        }
        #expect(answers.map { $0["domain"] } == [.string("boss"), .string("application"), .string("declaration")])
        #expect(answers.map { $0["outcome"] } == [.string("inForce"), .string("covered"), .string("covered")])
        #expect(answer.value("stored") == .string("Hi") && answer.value("value") == .string("Yo"))
        #expect(answer.value("isCovered") == .bool(true) && answer.string("coveredBy") != nil)
    }

    @Test("Owner-only and locked settings say so") func ownerOnlyLockedSettings() async throws {
        let program = try await APIProgram(managed: SettingTree(["greeting": .string("Yo")]))
        #expect(await program.get("/settings/owned.attempts").value("isOwnerOnly") == .bool(true))
        #expect(await program.get("/settings/greeting").string("lockedBy") != nil)
    }

    @Test("Variables that belong to no setting are in the listing and the metrics, without their values")
    func unknownVariables() async throws {
        let variables = ["APP_BURTS": "secret", "APP_BURST": "5", "APP_HOME": "/srv"]
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.environment(prefix: "APP", variables: variables), .application])
        let api = SettingsAPI(store, groups: APIProgram.Limits.self, configuration: .init(access: .open))
        let listing = await api.get("/settings")
        #expect(
            listing.array("unknownVariables") == [
                .dictionary([
                    "name": .string("APP_BURTS"), "nearest": .string("APP_BURST"), "domain": .string("environment"),
                ]),
                .dictionary(["name": .string("APP_HOME"), "domain": .string("environment")]),
            ])
        #expect(!listing.text.contains("secret") && !listing.text.contains("/srv"))
        let explained = await api.get("/settings/burst?explain=true")
        let first = listing.array("unknownVariables").first
        #expect(explained.value("explanation", "misspeltVariables") == first.map { SettingValue.array([$0]) })
        #expect(await api.get("/metrics").text.contains("settings_unknown_variables 2\n"))
        try await store.close()
    }

    @Test("Variables are not in the listing of a client of some keys") func variablesOutOfReach() async throws {
        let program = try await APIProgram(variables: ["APP_GREETIN": "x"])
        #expect(await program.get("/settings").array("unknownVariables").count == 1)
        #expect(await program.get("/settings", by: "carol").value("unknownVariables") == nil)
    }

    @Test("Misspelt variables are not in the explanation for a client of some keys") func misspeltOutOfReach()
        async throws
    {
        let program = try await APIProgram(variables: ["APP_LIMITS_BURTS": "x"])
        let target = "/settings/limits.burst?explain=true"
        #expect(await program.get(target).value("explanation", "misspeltVariables") != nil)
        let restricted = await program.get(target, by: "carol")
        #expect(restricted.value("explanation", "answers") != nil)
        #expect(restricted.value("explanation", "misspeltVariables") == nil)
    }

    @Test(
        "An unknown key is a problem with the key",
        arguments: ["/settings/nothing", "/settings/limits.nothing", "/settings/limits.perSecond.x"])
    func unknownKeyProblemKey(target: String) async throws {
        let program = try await APIProgram()
        let answer = await program.get(target)
        #expect(answer.status == 404 && answer.problem == "unknown-setting")
        #expect(answer.string("key") == String(target.dropFirst("/settings/".count)))
    }

    @Test(
        "Another path is not served",
        arguments: ["", "/", "settings", "/settings/", "/settings/a/b", "/nothing", "//settings"])
    func anotherPathServed(target: String) async throws {
        let program = try await APIProgram()
        #expect(!program.api.serves(target))
        let answer = await program.get(target)
        #expect(answer.status == 404 && answer.problem == "not-found")
    }

    @Test("Below a path, only that is served") func belowPathOnlyServed() async throws {
        let program = try await APIProgram { $0.path = "/admin/" }
        #expect(program.api.path == "/admin")
        #expect(program.api.serves("/admin/settings?x=1") && program.api.serves("/admin/settings/limits.burst"))
        #expect(!program.api.serves("/settings") && !program.api.serves("/adminsettings"))
    }
}
