import LiveServing
import NIOHTTP1
import ServiceLifecycle
import Settle
import SettleTesting
import Testing

/// Streams of changes on the service's own server.
@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    @Test("A client that has gone is unsubscribed, though nothing changes") func unsubscribed() async throws {
        try await TestService.with { service async throws in
            try await eventually("the service follows its settings") {
                try await service.send(.get("/metrics")).text.contains("\nsettings_api_streams 0\n")
                    && service.store.statistics.subscribers >= 3
            }
            let before = service.store.statistics.subscribers
            for _ in 0..<3 {
                try await TestConnection.with(port: service.port) { stream async throws in
                    #expect(try await stream.begin(.admin(.get, "/settings/changes")).status == .ok)
                    #expect(try await stream.nextPart()?.hasPrefix("event: covered\n") == true)
                    #expect(service.store.statistics.subscribers > before)
                }
                try await eventually("the stream has unsubscribed") { service.store.statistics.subscribers == before }
            }
        }
    }

    @Test("A graceful shutdown ends open streams") func gracefulShutdown() async throws {
        try await TestService.with { service async throws in
            try await TestConnection.with(port: service.port) { stream async throws in
                _ = try await stream.begin(.admin(.get, "/settings/changes"))
                _ = try await stream.nextPart()
                await service.group.triggerGracefulShutdown()
                // The last chunk comes, so that the client knows that nothing is missing.
                while try await stream.nextPart() != nil {}
            }
        }
    }
}
