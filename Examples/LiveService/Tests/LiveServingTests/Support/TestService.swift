import ServiceLifecycle
import Settle
import SettleTesting
import Testing

@testable import LiveServing

/// A running service that listens on a free port.
struct TestService: Sendable {
    let store: SettingsStore
    let settings: ServiceSettings
    let port: Int
    let group: ServiceGroup
    let log: LogLines
    /// Makes a link to the panel.
    let makePanelLink: @Sendable () -> String

    /// Starts a service, and ends it gracefully after the closure.
    ///
    /// - Parameters:
    ///   - clock: The service's clock; by default one that stands still.
    ///   - searching: Where the settings come from; by default the storage only.
    static func with<Result: Sendable>(
        storage: any Storage = InMemoryStorage(), configuration: SettingsStore.Configuration = .init(),
        clock: any Clock<Duration> = ManualClock(), token: String = TestRequest.token, log: LogLines = LogLines(),
        longestShutdown: Duration = .seconds(10), searching: SearchList = [.application],
        _ body: @Sendable (TestService) async throws -> Result
    ) async throws -> Result {
        let store = try await SettingsStore.open(
            storage: storage, searching: searching, configuration: configuration)
        var parts = LiveService.Parts(store: store)
        parts.clock = clock
        parts.log = { log.append($0) }
        parts.longestShutdown = longestShutdown
        let service = try await LiveService(parts)
        try store.update {
            service.settings.admin.token = Secret(token)
            // A test that stands still for a while must not lose its connections.
            service.settings.connections.receiveTimeout = .seconds(3_600)
            service.settings.connections.idleTimeout = .seconds(3_600)
            service.settings.connections.sendTimeout = .seconds(3_600)
        }
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let group = service.serviceGroup(port: 0) { listening.yield($0) }
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await group.run()
            }
            let port = try #require(await ports.first { _ in true })
            let test = TestService(
                store: store, settings: service.settings, port: port, group: group, log: log,
                makePanelLink: { service.makePanelLink() })
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(test)) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    /// Sends a request on its own connection.
    func send(_ request: TestRequest) async throws -> TestResponse {
        try await TestConnection.with(port: port) { try await $0.send(request) }
    }
}
