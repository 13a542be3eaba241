import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HealthTests {
    @Test("A service that saves is live and ready") func aServiceThatSavesIsLiveAndReady() async throws {
        try await TestService.with { service async throws in
            #expect(try await service.send(.get("/health/live")).status == 200)
            #expect(try await service.send(.get("/health/ready")).status == 200)
        }
    }

    @Test("A service that cannot save is live but not ready until it can")
    func aServiceThatCannotSaveIsLiveButNotReadyUntilItCan() async throws {
        let storage = FailingStorage()
        try await TestService.with(storage: storage) { service async throws in
            storage.fail(.append, with: StorageError(.noSpace, "There is no room."))
            service.settings.limits.burst = 7
            _ = try? await service.store.flush()
            let answer = try await service.send(.get("/health/ready"))
            #expect(answer.status == 503)
            #expect(answer.error?.contains("There is no room.") == true, "\(answer.text)")
            let live = try await service.send(.get("/health/live"))
            #expect(live.status == 200)
            #expect(try live.json()["settings"] == .string("failing"))
            storage.heal()
            try await service.store.flush()
            #expect(try await service.send(.get("/health/ready")).status == 200)
        }
    }

    @Test("A service in maintenance is not ready") func aServiceInMaintenanceIsNotReady() async throws {
        try await TestService.with { service async throws in
            service.settings.maintenance.isOn = true
            #expect(try await service.send(.get("/health/ready")).status == 503)
            #expect(try await service.send(.get("/health/live")).status == 200)
        }
    }
}
