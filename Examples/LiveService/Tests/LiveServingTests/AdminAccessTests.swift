import LiveServing
import Settle
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AdminAccessTests {
    private static let requests: [TestRequest] = [
        .admin(.GET, "/settings"), .admin(.GET, "/settings/limits.burst"),
        .admin(.PATCH, "/settings/limits.burst", "7"), .admin(.DELETE, "/settings/limits.burst"),
        .admin(.PATCH, "/settings", "{}"), .admin(.GET, "/settings/changes"),
    ]

    @Test func withoutTheTokenTheAdminEndpointsAnswer401() async throws {
        try await TestService.with { service in
            for request in Self.requests {
                for authorization in ["", "Bearer ", "Bearer x", "Basic \(TestRequest.token)", "Bearer \(TestRequest.token)x"]
                {
                    var request = request
                    request.headers = authorization.isEmpty ? [] : [("Authorization", authorization)]
                    let answer = try await service.send(request)
                    #expect(answer.status == 401)
                    #expect(answer.headers["WWW-Authenticate"].first?.hasPrefix("Bearer") == true)
                }
            }
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test func theSchemeIsReadInAnySpelling() async throws {
        try await TestService.with { service in
            var request = TestRequest.get("/settings")
            request.headers = [("authorization", "bearer  \(TestRequest.token) ")]
            #expect(try await service.send(request).status == 200)
        }
    }

    @Test func withoutASetTokenNobodyGetsIn() async throws {
        try await TestService.with(token: "") { service in
            for token in ["", "x"] {
                let answer = try await service.send(.admin(.GET, "/settings", token: token))
                #expect(answer.status == 403)
            }
        }
    }

    @Test func aNewTokenHoldsAtOnce() async throws {
        try await TestService.with { service in
            let new = "a-new-token-for-the-admin"
            try await TestConnection.with(port: service.port) { connection in
                let answer = try await connection.send(.admin(.PATCH, "/settings/admin.token", "\"\(new)\""))
                #expect(answer.status == 200)
                #expect(try await connection.send(.admin(.GET, "/settings")).status == 401)
                #expect(try await connection.send(.admin(.GET, "/settings", token: new)).status == 200)
            }
        }
    }

    /// Every way in which something is told, while the token is read, written, refused and removed.
    @Test func noAnswerEventOrLineOfTheLogShowsAToken() async throws {
        let log = LogLines()
        let refused = "too-short-4712"
        let new = "another-token-that-nobody-may-see-4713"
        var texts: [String] = try await TestService.with(log: log) { service in
            service.settings.logging.level = .trace
            return try await service.withEvents { events in
                var texts = [try await events.next()?.text ?? ""]
                for request: TestRequest in [
                    .admin(.GET, "/settings"), .admin(.GET, "/settings/admin.token"),
                    .admin(.PATCH, "/settings/admin.token", "\"\(refused)\""),
                    .admin(.PATCH, "/settings/admin.token", "[\"\(refused)\"]"),
                    .admin(.PATCH, "/settings/admin.token", "{\"revealed\":[\"\(refused)\"]}"),
                    .admin(.PATCH, "/settings/admin.token", "\"\(refused)"),
                    .admin(.PATCH, "/settings", "{\"admin.token\":\"\(refused)\",\"limits.burst\":3}"),
                    .admin(.PATCH, "/settings/admin.token", "\"\(new)\""),
                    .admin(.GET, "/settings", token: new), .admin(.GET, "/settings"),
                    .get("/metrics"), .get("/health/ready"),
                    .admin(.DELETE, "/settings/admin.token", token: new),
                    .admin(.GET, "/settings", token: new),
                ] {
                    texts.append(try await service.send(request).text)
                }
                while let event = try await events.next() { texts.append(event.text) }
                return texts
            }
        }
        texts += log.all
        #expect(texts.contains { $0.contains("admin.token") })
        for secret in [TestRequest.token, refused, new, "4711", "4712", "4713"] {
            #expect(texts.filter { $0.contains(secret) } == [])
        }
    }
}
