import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SettingsEndpointTests {
    @Test("All settings are listed with their place") func allSettingsAreListedWithTheirPlace() async throws {
        try await TestService.with { service async throws in
            service.settings.limits.perSecond = 50
            try await service.store.flush()
            let answer = try await service.send(.admin(.get, "/settings"))
            let listing = try answer.json()
            let token = try #require(service.store.history.token)
            #expect(listing["token"] == .string("\(token)"))
            #expect(answer.header("ETag") == "\"\(token)\"")
            guard case .array(let settings)? = listing["settings"] else { throw MissingField() }
            #expect(settings.count == 16)
            #expect(
                settings.contains(
                    .dictionary([
                        "key": .string("limits.perSecond"), "type": .string("Int"), "origin": .string("local"),
                        "rules": .array([.string("in 1...100000")]), "isDefault": .bool(false), "value": .integer(50),
                        "default": .integer(1_000), "domain": .string("application"), "isCovered": .bool(false),
                    ])))
        }
    }

    @Test("A patch answers with the new setting and its place")
    func aPatchAnswersWithTheNewSettingAndItsPlace() async throws {
        try await TestService.with { service async throws in
            let answer = try await service.send(.admin(.patch, "/settings/limits.burst", "7"))
            #expect(answer.status == 200)
            let json = try answer.json()
            #expect(json["value"] == .integer(7))
            #expect(json["isDefault"] == .bool(false))
            #expect(json["token"] == .string("\(try #require(service.store.history.token))"))
            #expect(answer.header("ETag") == "\"\(try #require(service.store.history.token))\"")
            #expect(service.settings.limits.burst == 7)
            #expect(try await service.send(.admin(.get, "/settings/limits.burst")).json()["value"] == .integer(7))
        }
    }

    @Test("A patch is answered only once it is on stable storage")
    func aPatchIsAnsweredOnlyOnceItIsOnStableStorage() async throws {
        let storage = FailingStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            let hold = storage.hold(.append)
            let (answers, answered) = AsyncStream.makeStream(of: Int.self)
            async let answer: Void = {
                answered.yield(try await service.send(.admin(.patch, "/settings/limits.burst", "7")).status)
            }()
            await hold.waitUntilReached()
            // Other requests do not wait for the disk: the value is in effect.
            #expect(service.settings.limits.burst == 7)
            #expect(try await service.send(.get("/hello")).status == 200)
            answered.yield(0)
            hold.release()
            try await answer
            answered.finish()
            #expect(await answers.reduce(into: []) { $0.append($1) } == [0, 200])
        }
    }

    @Test(
        "A value against its rule gets 422 with the rule's sentence",
        arguments: [
            ("limits.burst", "0", "“limits.burst” can't be 0: it must be in 1...100000. The old value stays."),
            ("requests.timeout", "\"90s\"", "from 0.01s to 60s"),
            ("features.enabled", "[\"Aa\"]", "a list of different names of lower-case letters, digits and dashes"),
            (
                "features.enabled", "[\"a\", \"a\"]",
                "a list of different names of lower-case letters, digits and dashes"
            ),
            ("maintenance.message", "\"\"", "a text of 1 to 500 bytes"),
        ])
    func aValueAgainstItsRuleGets422WithTheRulesSentence(key: String, body: String, rule: String) async throws {
        try await TestService.with { service async throws in
            let before = service.store.revision
            let answer = try await service.send(.admin(.patch, "/settings/\(key)", body))
            #expect(answer.status == 422)
            #expect(answer.error?.contains(rule) == true, "\(answer.text)")
            #expect(service.store.revision == before)
        }
    }

    @Test(
        "A value of another type gets 422 that names the key",
        arguments: [("limits.burst", "\"many\""), ("logging.level", "\"shout\""), ("features.enabled", "true")])
    func aValueOfAnotherTypeGets422ThatNamesTheKey(key: String, body: String) async throws {
        try await TestService.with { service async throws in
            let answer = try await service.send(.admin(.patch, "/settings/\(key)", body))
            #expect(answer.status == 422)
            #expect(answer.error?.contains("“\(key)” can't be") == true, "\(answer.text)")
        }
    }

    @Test("A body that is no JSON gets 400 with its place") func aBodyThatIsNoJSONGets400WithItsPlace() async throws {
        try await TestService.with { service async throws in
            for (body, place) in [("", "empty"), ("{\"a\":", "Line 1, column 6"), ("1 2", "Line 1, column 3")] {
                let answer = try await service.send(.admin(.patch, "/settings/limits.burst", body))
                #expect(answer.status == 400)
                #expect(answer.error?.contains(place) == true, "\(answer.text)")
            }
        }
    }

    @Test("A body that is too large gets 413 with a sentence")
    func aBodyThatIsTooLargeGets413WithASentence() async throws {
        try await TestService.with { service async throws in
            let body = String(repeating: "1", count: 64 * 1_024 + 1)
            for path in ["/settings", "/settings/limits.burst"] {
                let answer = try await service.send(.admin(.patch, path, body))
                #expect(answer.status == 413)
                #expect(answer.error != nil)
            }
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test(
        "A path that leads nowhere gets 404 with a sentence",
        arguments: ["/nowhere", "/nothing", "/settings/limits.burst/x", "/health"])
    func aPathThatLeadsNowhereGets404WithASentence(path: String) async throws {
        try await TestService.with { service async throws in
            let answer = try await service.send(.admin(.patch, path, "1"))
            #expect(answer.status == 404)
            #expect(answer.error == "There is no such endpoint.")
        }
    }

    @Test("An unknown key gets 404") func anUnknownKeyGets404() async throws {
        try await TestService.with { service async throws in
            for method: TestRequest.Method in [.get, .patch, .delete] {
                let request = TestRequest.admin(method, "/settings/limits.speed", "1")
                #expect(try await service.send(request).status == 404)
            }
            #expect(try await service.send(.admin(.patch, "/settings", "{\"limits.speed\": 1}")).status == 404)
        }
    }

    @Test("A change that cannot be saved gets 503 and is undone")
    func aChangeThatCannotBeSavedGets503AndIsUndone() async throws {
        let storage = FailingStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            storage.fail(.append, with: StorageError(.noSpace, "There is no room."))
            let answer = try await service.send(.admin(.patch, "/settings/limits.burst", "7"))
            #expect(answer.status == 503)
            #expect(answer.error?.contains("There is no room.") == true, "\(answer.text)")
            #expect(service.settings.limits.burst == 1_000)
            storage.heal()
        }
    }

    @Test("Several settings are patched in one transaction or not at all")
    func severalSettingsArePatchedInOneTransactionOrNotAtAll() async throws {
        try await TestService.with { service async throws in
            let before = service.store.revision
            let body = "{\"limits.burst\": 7, \"limits.perSecond\": 8}"
            #expect(try await service.send(.admin(.patch, "/settings", body)).status == 200)
            #expect(service.store.revision == before + 1)
            let bad = "{\"limits.burst\": 9, \"limits.perSecond\": 0}"
            #expect(try await service.send(.admin(.patch, "/settings", bad)).status == 422)
            #expect(service.settings.limits.burst == 7)
            #expect(try await service.send(.admin(.patch, "/settings", "[1]")).status == 400)
        }
    }

    @Test("A deleted setting is back at its default and the change is a reset")
    func aDeletedSettingIsBackAtItsDefaultAndTheChangeIsAReset() async throws {
        try await TestService.with { service async throws in
            service.settings.limits.burst = 7
            let changes = service.store.changes
            let answer = try await service.send(.admin(.delete, "/settings/limits.burst"))
            #expect(try answer.json()["value"] == .integer(1_000))
            #expect(try answer.json()["isDefault"] == .bool(true))
            let change = await changes.first { _ in true }
            #expect(change?.origin == .reset)
            #expect(change?.author == "admin")
            #expect(service.store.status.oldestUnsavedChange == nil)
        }
    }

}

struct MissingField: Error {}
