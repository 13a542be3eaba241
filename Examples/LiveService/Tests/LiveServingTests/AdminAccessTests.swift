import Logging
import Settle
import SettleTesting
import Testing

@testable import LiveServing

@Suite(.timeLimit(.minutes(10)))
struct AdminAccessTests {
    private static let requests: [TestRequest] = [
        .admin(.get, "/settings"), .admin(.get, "/settings/limits.burst"),
        .admin(.patch, "/settings/limits.burst", "7"), .admin(.delete, "/settings/limits.burst"),
        .admin(.patch, "/settings", "{}"), .admin(.get, "/settings/changes"),
    ]

    @Test("Without the token the admin endpoints answer 401")
    func withoutTheTokenTheAdminEndpointsAnswer401() async throws {
        try await TestService.with { service async throws in
            for request in Self.requests {
                for authorization in [
                    "", "Bearer", "Bearer ", "Bearer x", "Bearer \(TestRequest.token.dropLast())",
                    "Bearer \(TestRequest.token)x", "Bearer x \(TestRequest.token)", "Basic \(TestRequest.token)",
                ] {
                    var request = request
                    request.headers = authorization.isEmpty ? [] : [("Authorization", authorization)]
                    let answer = try await service.send(request)
                    #expect(answer.status == 401)
                    #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
                }
            }
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test("The scheme is read in any spelling") func theSchemeIsReadInAnySpelling() async throws {
        try await TestService.with { service async throws in
            var request = TestRequest.get("/settings")
            request.headers = [("authorization", "bearer  \(TestRequest.token) ")]
            let answer = try await service.send(request)
            #expect(answer.status == 200)
        }
    }

    @Test("Without a set token nobody gets in") func withoutASetTokenNobodyGetsIn() async throws {
        try await TestService.with(token: "") { service async throws in
            for token in ["", "x"] {
                let answer = try await service.send(.admin(.get, "/settings", token: token))
                #expect(answer.status == 403)
            }
        }
    }

    @Test("A new token holds at once") func aNewTokenHoldsAtOnce() async throws {
        try await TestService.with { service async throws in
            let new = "a-new-token-for-the-admin"
            try await TestConnection.with(port: service.port) { connection async throws in
                let answer = try await connection.send(.admin(.patch, "/settings/admin.token", "\"\(new)\""))
                #expect(answer.status == 200)
                #expect(try await connection.send(.admin(.get, "/settings")).status == 401)
                #expect(try await connection.send(.admin(.get, "/settings", token: new)).status == 200)
            }
        }
    }

    @Test("A token is made once and is long") func aTokenIsMadeOnceAndIsLong() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(AdminSettings.self)
        let made = try await settings.createTokenIfMissing()
        let token = settings.token
        #expect(made)
        #expect(token.revealed.wholeMatch(of: /[0-9a-f]{64}/) != nil)
        let madeAgain = try await settings.createTokenIfMissing()
        #expect(!madeAgain)
        #expect(settings.token == token)
        #expect(AdminSettings.randomToken() != AdminSettings.randomToken())
    }

    /// Every output of the service while the token is read, written, refused and removed.
    @Test("No answer event or line of the log shows a token")
    func noAnswerEventOrLineOfTheLogShowsAToken() async throws {
        let (log, storage) = (LogLines(), InMemoryStorage())
        let refused = "short-xyzzy"
        let new = "another-token-that-nobody-may-see-frotz"
        var texts: [String] = try await TestService.with(storage: storage, log: log) { service async throws in
            service.settings.logging.level = .trace
            try await service.store.flush()
            for value: SettingValue in [.string(refused), .array([.string(refused)])] {
                storage.simulateExternalChange(["admin.token": value])
            }
            _ = await log.first(containing: "warning settings")
            return try await service.withEvents { events async throws in
                var texts = [try await events.next()?.text ?? ""]
                for request: TestRequest in [
                    .admin(.get, "/settings"), .admin(.get, "/settings/admin.token"),
                    .admin(.patch, "/settings/admin.token", "\"\(refused)\""),
                    .admin(.patch, "/settings/admin.token", "[\"\(refused)\"]"),
                    .admin(.patch, "/settings/admin.token", "{\"revealed\":[\"\(refused)\"]}"),
                    .admin(.patch, "/settings/admin.token", "\"\(refused)"),
                    .admin(.patch, "/settings", "{\"admin.token\":\"\(refused)\",\"limits.burst\":3}"),
                    .admin(.patch, "/settings/admin.token", "\"\(new)\""),
                    .admin(.get, "/settings", token: new), .admin(.get, "/settings"),
                    .get("/metrics"), .get("/health/ready"),
                    .admin(.delete, "/settings/admin.token", token: new),
                    .admin(.get, "/settings", token: new),
                ] {
                    texts.append(try await service.send(request).text)
                }
                while let event = try await events.next() { texts.append(event.text) }
                return texts
            }
        }
        texts += log.all
        #expect(texts.contains { $0.contains("admin.token") })
        for secret in ["plugh", "xyzzy", "frotz"] {
            #expect(texts.filter { $0.contains(secret) } == [])
        }
    }
}
