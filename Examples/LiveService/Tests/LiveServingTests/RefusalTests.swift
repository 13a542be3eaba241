import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RefusalTests {
    @Test("A refused token is logged with its sender and without it")
    func aRefusedTokenIsLoggedWithItsSenderAndWithoutIt() async throws {
        try await TestService.with { service async throws in
            let request = TestRequest.admin(.patch, "/settings/limits.burst?token=xyzzy", token: "plugh", "7")
            #expect(try await service.send(request).status == 401)
            let line = await service.log.first(containing: "refused")
            #expect(
                line.hasSuffix(
                    " warning admin: A request to the admin endpoints was refused. method=PATCH "
                        + "path=/settings/limits.burst peer=127.0.0.1 reason=wrong unlogged=0"), "\(line)")
            #expect(service.log.all.filter { $0.contains("plugh") || $0.contains("xyzzy") } == [])
        }
    }

    @Test("Many refusals are few lines and all counted") func manyRefusalsAreFewLinesAndAllCounted() async throws {
        let clock = ManualClock()
        try await TestService.with(clock: clock) { service async throws in
            try await TestConnection.with(port: service.port) { connection async throws in
                func refuse(_ count: Int) async throws {
                    for _ in 0..<count { _ = try await connection.send(.get("/settings")) }
                }
                func lines() -> [String] { service.log.all.filter { $0.contains("refused") } }
                try await refuse(200)
                #expect(lines().count == 10)
                clock.advance(by: .seconds(10))
                try await refuse(2)
                #expect(lines().count == 11)
                #expect(lines().last?.hasSuffix("unlogged=190") == true)
                _ = try await connection.send(.admin(.get, "/settings", token: "x"))
                let metrics = try await connection.send(.get("/metrics")).text
                #expect(metrics.contains("admin_refused_requests_total{reason=\"missing\"} 202\n"))
                #expect(metrics.contains("admin_refused_requests_total{reason=\"wrong\"} 1\n"))
                #expect(metrics.contains("admin_refused_requests_total{reason=\"closed\"} 0\n"))
            }
        }
    }

    @Test("A long path is shortened in the log") func aLongPathIsShortenedInTheLog() async throws {
        try await TestService.with { service async throws in
            _ = try await service.send(.get("/settings/" + String(repeating: "x", count: 4_000)))
            #expect(await service.log.first(containing: "refused").utf8.count < 400)
        }
    }
}
