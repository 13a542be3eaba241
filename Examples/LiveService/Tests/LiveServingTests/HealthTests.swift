import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HealthTests {
    @Test("A service in maintenance is not ready") func maintenance() async throws {
        try await TestService.with { service async throws in
            #expect(try await service.send(.get("/health/ready")).status == 200)
            service.settings.maintenance.isOn = true
            let answer = try await service.send(.get("/health/ready"))
            #expect(answer.status == 503)
            #expect(answer.detail == "Maintenance is on: The service is down for maintenance.")
            #expect(try await service.send(.get("/health/live")).status == 200)
        }
    }
}
