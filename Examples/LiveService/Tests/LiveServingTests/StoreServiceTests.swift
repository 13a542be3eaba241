import Logging
import ServiceLifecycle
import Settle
import SettleTesting
import Testing

/// As shown in the documentation of `SettingsStore.run()`.
private struct SettingsService: Service {
    let store: SettingsStore

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await store.run() }
    }
}

private struct CounterSettings: SettingsGroup {
    @Setting var count = 0
}

/// Writes while the services end, like a service that saves something last.
private struct LastWriter: Service {
    let settings: CounterSettings

    func run() async throws {
        try await gracefulShutdown()
        settings.count = 7
    }
}

/// A service that fails on request.
private struct FailingService: Service {
    let failure: AsyncStream<Void>

    func run() async throws {
        for await _ in failure { throw CancellationError() }
    }
}

/// A store in a service group.
@Suite(.timeLimit(.minutes(10))) struct StoreServiceTests {
    private let storage = RecordingStorage()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func open() async throws -> (store: SettingsStore, settings: CounterSettings) {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        return (store, try await store.group(CounterSettings.self))
    }

    @Test("A graceful shutdown ends it after the others with everything saved") func endedLast() async throws {
        let (store, settings) = try await open()
        let group = ServiceGroup(
            services: [SettingsService(store: store), LastWriter(settings: settings)], logger: logger)
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        try await running
        // Time stands still, so no scheduled save has run.
        #expect(storage.batches.map(\.values) == [["count": .integer(7)]])
        #expect(storage.calls.contains { if case .append(_, .synced) = $0.operation { true } else { false } })
    }

    @Test("Another service that fails cancels it") func otherServiceFails() async throws {
        let (store, settings) = try await open()
        let (failure, fail) = AsyncStream.makeStream(of: Void.self)
        let group = ServiceGroup(
            services: [SettingsService(store: store), FailingService(failure: failure)], logger: logger)
        let running = Task { try await group.run() }
        settings.count = 3
        fail.yield()
        await #expect(throws: (any Error).self) { try await running.value }
        #expect(storage.batches.map(\.values) == [["count": .integer(3)]])
    }
}
