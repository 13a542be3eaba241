import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PublicEndpointTests {
    @Test("Features are on as soon as they are listed") func listedFeatures() async throws {
        try await TestService.with { service async throws in
            try await TestConnection.with(port: service.port) { connection async throws in
                #expect(try await connection.send(.get("/hello")).json() == ["greeting": .string("Hello.")])
                #expect(try await connection.send(.get("/features/loud")).json()["isOn"] == .bool(false))
                service.settings.features.enabled.append("loud")
                #expect(try await connection.send(.get("/hello")).json() == ["greeting": .string("HELLO!")])
                #expect(try await connection.send(.get("/features/loud")).json()["isOn"] == .bool(true))
            }
        }
    }

    @Test("Maintenance answers 503 with its message") func maintenanceMessage() async throws {
        try await TestService.with { service async throws in
            try await TestConnection.with(port: service.port) { connection async throws in
                service.settings.maintenance.message = "Back at six."
                service.settings.maintenance.isOn = true
                for path in ["/hello", "/features/x", "/slow?ms=1"] {
                    let response = try await connection.send(.get(path))
                    #expect(response.status == 503)
                    #expect(response.detail == "Back at six.")
                    #expect(response.header("Retry-After") != nil)
                }
                #expect(try await connection.send(.admin(.get, "/settings")).status == 200)
                service.settings.maintenance.isOn = false
                #expect(try await connection.send(.get("/hello")).status == 200)
            }
        }
    }

    @Test("Who comes too often gets 429 until the time that it says") func tooManyRequests() async throws {
        let clock = ManualClock()
        try await TestService.with(clock: clock) { service async throws in
            try service.settings.limits.update {
                $0.burst = 2
                $0.perSecond = 1
            }
            try await TestConnection.with(port: service.port) { connection async throws in
                var answers: [TestResponse] = []
                for _ in 0..<3 { answers.append(try await connection.send(.get("/hello"))) }
                #expect(answers.map(\.status) == [200, 200, 429])
                #expect(answers.last?.header("Retry-After") == "1")
                clock.advance(by: .seconds(1))
                #expect(try await connection.send(.get("/hello")).status == 200)
                #expect(try await connection.send(.get("/hello")).status == 429)
                service.settings.limits.burst = 3
                #expect(try await connection.send(.get("/hello")).status == 200)
                // The API of settings must work when the service is overloaded.
                #expect(try await connection.send(.admin(.get, "/settings")).status == 200)
            }
        }
    }

    @Test("A request keeps the time-out that held when it came") func keptTimeOut() async throws {
        let clock = ManualClock()
        try await TestService.with(clock: clock) { service async throws in
            async let early = service.send(.get("/slow?ms=1000"))
            // Each request sleeps and has a time-out.
            await clock.sleepers(atLeast: 2)
            service.settings.requests.timeout = .milliseconds(500)
            async let late = service.send(.get("/slow?ms=1000"))
            await clock.sleepers(atLeast: 4)
            clock.advance(by: .milliseconds(500))
            let timedOut = try await late
            #expect(timedOut.status == 504)
            #expect(timedOut.detail == "The request took longer than 0.5 seconds.")
            clock.advance(by: .milliseconds(500))
            #expect(try await early.status == 200)
        }
    }

    @Test(
        "A request without a usable time gets 400",
        arguments: ["/slow", "/slow?ms=", "/slow?ms=-1", "/slow?ms=60001", "/slow?ms=a"])
    func unusableTime(path: String) async throws {
        try await TestService.with { service async throws in
            #expect(try await service.send(.get(path)).status == 400)
        }
    }
}
