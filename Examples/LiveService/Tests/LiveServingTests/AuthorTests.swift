import LiveServing
import Settle
import SettleTesting
import Testing

/// Who made a change: whoever the token belongs to.
@Suite(.timeLimit(.minutes(10)))
struct AuthorTests {
    private static let opsToken = "a-token-of-ops-nobody-may-see"
    private static let nightToken = "a-token-of-night-nobody-may-see"

    @Test("It is the name of the token and no header changes that")
    func itIsTheNameOfTheTokenAndNoHeaderChangesThat() async throws {
        try await TestService.with { service async throws in
            try await Self.addTokens(to: service)
            let recorder = ChangeRecorder(service.store.changes)
            var burst = 10
            for (token, author) in [
                (TestRequest.token, "admin"), (Self.opsToken, "ops"), (Self.nightToken, "night shift"),
            ] {
                for name in ["X-Changed-By", "From", "X-Forwarded-User", "Author", "X-Author", "User-Agent"] {
                    burst += 1
                    var request = TestRequest.admin(.patch, "/settings/limits.burst", token: token, "\(burst)")
                    request.headers.append((name, "another"))
                    #expect(try await service.send(request).status == 200)
                    #expect(await recorder.next()?.author == author)
                    var trial = TestRequest.admin(.patch, "/settings/limits.burst?dryRun=true", token: token, "8")
                    trial.headers.append((name, "another"))
                    #expect(try await service.send(trial).json()["author"] == .string(author))
                }
                for request: TestRequest in [
                    .admin(.delete, "/settings/limits.burst?by=another&author=another", token: token),
                    .admin(.patch, "/settings", token: token, "{\"limits.burst\": 8}"),
                ] {
                    #expect(try await service.send(request).status == 200)
                    #expect(await recorder.next()?.author == author)
                }
            }
        }
    }

    @Test("Another name is taken for the next change") func anotherNameIsTakenForTheNextChange() async throws {
        try await TestService.with { service async throws in
            let recorder = ChangeRecorder(service.store.changes)
            _ = try await service.send(.admin(.patch, "/settings/admin.name", "\"Ada\""))
            _ = try await service.send(.admin(.patch, "/settings/limits.burst", "7"))
            #expect(await recorder.next()?.author == "admin")
            #expect(await recorder.next()?.author == "Ada")
        }
    }

    @Test("A token that is taken away is no good any more and ends its stream")
    func aTokenThatIsTakenAwayIsNoGoodAnyMoreAndEndsItsStream() async throws {
        try await TestService.with { service async throws in
            try await Self.addTokens(to: service)
            let stream = TestRequest.admin(.get, "/settings/changes", token: Self.opsToken)
            try await service.withEvents(stream) { events async throws in
                _ = try await events.snapshot()
                // The others' streams go on.
                try await service.withEvents { others async throws in
                    _ = try await others.snapshot()
                    service.settings.admin.tokens = Secret(["night shift": Self.nightToken])
                    #expect(try await events.next() == nil)
                    #expect(try await others.next()?.text.contains("\"key\":\"admin.tokens\"") == true)
                }
            }
            #expect(try await service.send(.admin(.get, "/settings", token: Self.opsToken)).status == 401)
            #expect(try await service.send(.admin(.get, "/settings", token: Self.nightToken)).status == 200)
        }
    }

    @Test("Without the first token the others are good") func withoutTheFirstTokenTheOthersAreGood() async throws {
        try await TestService.with(token: "") { service async throws in
            #expect(try await service.send(.admin(.get, "/settings", token: Self.opsToken)).status == 403)
            try await Self.addTokens(to: service)
            #expect(try await service.send(.admin(.get, "/settings", token: Self.opsToken)).status == 200)
            #expect(try await service.send(.admin(.get, "/settings", token: "")).status == 401)
        }
    }

    @Test(
        "Tokens and names that are none are refused",
        arguments: [
            "{\"ops\": \"short\"}", "{\"ops\": \"\"}", "{\"ops\": \"a token with spaces in it\"}",
            "{\"\": \"a-token-of-sixteen\"}", "{\"a\\u202eb\": \"a-token-of-sixteen\"}",
            "{\"ops\": \"a-token-of-sixteen\", \"night\": \"a-token-of-sixteen\"}",
        ])
    func tokensAndNamesThatAreNoneAreRefused(tokens: String) async throws {
        try await TestService.with { service async throws in
            let answer = try await service.send(.admin(.patch, "/settings/admin.tokens", tokens))
            #expect(answer.status == 422)
            #expect(answer.error?.contains("different tokens of at least 16") == true)
            #expect(!answer.text.contains("sixteen"))
        }
    }

    @Test(
        "A name that cannot be seen or is too long is refused",
        arguments: ["", "two\\nlines", "a\\u202eb", "a\\u0000", String(repeating: "n", count: 81)])
    func aNameThatCannotBeSeenOrIsTooLongIsRefused(name: String) async throws {
        try await TestService.with { service async throws in
            let answer = try await service.send(.admin(.patch, "/settings/admin.name", "\"\(name)\""))
            #expect(answer.status == 422)
        }
    }

    private static func addTokens(to service: TestService) async throws {
        let body = "{\"ops\": \"\(opsToken)\", \"night shift\": \"\(nightToken)\"}"
        let token = service.settings.admin.token.revealed
        guard !token.isEmpty else {
            service.settings.admin.tokens = Secret(["ops": opsToken, "night shift": nightToken])
            return
        }
        #expect(try await service.send(.admin(.patch, "/settings/admin.tokens", token: token, body)).status == 200)
    }
}
