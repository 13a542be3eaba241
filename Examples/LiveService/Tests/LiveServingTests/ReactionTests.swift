import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReactionTests {
    private static let words = "all requests have ended"

    @Test("Maintenance is said to have begun once the requests before it are done")
    func maintenanceBegins() async throws {
        let clock = ManualClock()
        try await TestService.with(clock: clock) { service async throws in
            async let slow = service.send(.get("/slow?ms=1000"))
            await clock.sleepers(atLeast: 2)
            service.settings.maintenance.isOn = true
            _ = await service.log.first(containing: "maintenance.isOn")
            #expect(try await service.send(.get("/hello")).status == 503)
            #expect(!service.log.all.contains { $0.contains(Self.words) })
            clock.advance(by: .seconds(1))
            #expect(try await slow.status == 200)
            _ = await service.log.first(containing: Self.words)
        }
    }

    @Test("A wait for the end of requests is cancelled when maintenance is switched off")
    func cancelledWait() async throws {
        let clock = ManualClock()
        let log = LogLines()
        try await TestService.with(clock: clock, log: log) { service async throws in
            async let slow = service.send(.get("/slow?ms=1000"))
            await clock.sleepers(atLeast: 2)
            service.settings.maintenance.isOn = true
            _ = await log.first(containing: "from false to true")
            service.settings.maintenance.isOn = false
            _ = await log.first(containing: "from true to false")
            clock.advance(by: .seconds(1))
            #expect(try await slow.status == 200)
            service.settings.maintenance.isOn = true
            _ = await log.first(containing: Self.words)
        }
        #expect(log.all.count { $0.contains(Self.words) } == 1)
    }
}
