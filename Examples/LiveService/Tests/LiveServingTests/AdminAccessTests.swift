import Logging
import Settle
import SettleHTTP
import SettleTesting
import Testing

@testable import LiveServing

@Suite(.timeLimit(.minutes(10))) struct AdminAccessTests {
    @Test("The holders of both kinds of tokens are the authors of their changes, with their rights")
    func holdersOfTokensAreAuthors() async throws {
        try await TestService.with { service async throws in
            service.settings.admin.tokens = Secret([
                "ops": APIToken("a-token-of-ops-nobody-may-see", keys: ["limits"]),
                "watch": APIToken("a-token-of-watch-nobody-may-see", access: .read),
            ])
            let recorder = ChangeRecorder(service.store.changes)
            #expect(try await service.send(.admin(.patch, "/settings/limits.burst", "7")).status == 200)
            #expect(await recorder.next()?.author == "admin")
            let ops = "a-token-of-ops-nobody-may-see"
            #expect(try await service.send(.admin(.patch, "/settings/limits.burst", token: ops, "8")).status == 200)
            #expect(await recorder.next()?.author == "ops")
            #expect(try await service.send(.admin(.get, "/settings/logging.level", token: ops)).status == 403)
            let watch = "a-token-of-watch-nobody-may-see"
            #expect(try await service.send(.admin(.get, "/settings", token: watch)).status == 200)
            #expect(try await service.send(.admin(.patch, "/settings/limits.burst", token: watch, "9")).status == 403)
            #expect(service.settings.limits.burst == 8)
        }
    }

    @Test("A refused token is logged without it") func refusedTokenLogged() async throws {
        try await TestService.with { service async throws in
            let request = TestRequest.admin(.patch, "/settings/limits.burst?token=xyzzy", token: "plugh", "7")
            #expect(try await service.send(request).status == 401)
            let line = await service.log.first(containing: "refused")
            #expect(
                line.hasSuffix(
                    " warning admin: A request to the API of settings was refused. method=PATCH "
                        + "path=/settings/limits.burst reason=wrong unlogged=0"), "\(line)")
            #expect(service.log.all.filter { $0.contains("plugh") || $0.contains("xyzzy") } == [])
        }
    }

    @Test("A token is made once and is long") func createdToken() async throws {
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

    @Test("A stored token stays where an empty variable covers it") func coveredToken() async throws {
        let token = Secret("a-stored-token-that-nobody-may-see")
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: SearchList.service(variables: ["LIVE_ADMIN_TOKEN": ""]))
        let settings = try await store.group(ServiceSettings.self).admin
        #expect(settings.$token.domains.isCovered && settings.token.revealed.isEmpty)
        settings.token = token
        let isMade = try await settings.createTokenIfMissing()
        #expect(!isMade && settings.$token.domains.stored == token)
        try await store.close()
    }

    /// Every output of the service while the token is read, written, refused and removed.
    @Test("No answer event or line of the log shows a token") func hiddenToken() async throws {
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
            return try await TestConnection.with(port: service.port) { stream async throws in
                var texts: [String] = []
                _ = try await stream.begin(.admin(.get, "/settings/changes"))
                for request: TestRequest in [
                    .admin(.get, "/settings"), .admin(.get, "/settings/admin.token"),
                    .admin(.patch, "/settings/admin.token", "\"\(refused)\""),
                    .admin(.patch, "/settings/admin.token", "[\"\(refused)\"]"),
                    .admin(.patch, "/settings/admin.token", "{\"revealed\":[\"\(refused)\"]}"),
                    .admin(.patch, "/settings/admin.token", "\"\(refused)"),
                    .admin(.patch, "/settings", "{\"admin.token\":\"\(refused)\",\"limits.burst\":3}"),
                    .admin(.patch, "/settings/admin.token", "\"\(new)\""),
                    .admin(.get, "/settings", token: new), .admin(.get, "/settings"),
                    .get("/metrics"), .get("/health/ready"), .get("/openapi.json"),
                    .admin(.delete, "/settings/admin.token", token: new),
                    .admin(.get, "/settings", token: new),
                ] {
                    texts.append(try await service.send(request).text)
                }
                // It ends with the token.
                while let part = try await stream.nextPart() { texts.append(part) }
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
