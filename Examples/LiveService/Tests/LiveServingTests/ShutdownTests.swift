import LiveServing
import ServiceLifecycle
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ShutdownTests {
    @Test("A request under way is answered before the service ends") func requestUnderWay() async throws {
        let clock = ManualClock()
        try await TestService.with(clock: clock) { service async throws in
            async let slow = service.send(.get("/slow?ms=1000"))
            await clock.sleepers(atLeast: 2)
            await service.group.triggerGracefulShutdown()
            clock.advance(by: .seconds(1))
            #expect(try await slow.status == 200)
        }
    }

    @Test("A request that does not end does not keep the service from ending and saving")
    func endlessRequest() async throws {
        let (clock, storage) = (ManualClock(), RecordingStorage())
        await #expect(throws: (any Error).self) {
            try await TestService.with(storage: storage, clock: clock, longestShutdown: .milliseconds(50)) {
                service async throws in
                async let slow = service.send(.get("/slow?ms=1000"))
                await clock.sleepers(atLeast: 2)
                service.settings.limits.burst = 7
                await service.group.triggerGracefulShutdown()
                // Time stands still: only the service's time limit ends the request.
                _ = try await slow
            }
        }
        #expect(storage.calls.contains(StorageCall(.close)))
    }
}
