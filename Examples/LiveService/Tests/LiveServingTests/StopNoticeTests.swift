import Logging
import Settle
import SettleTesting
import Testing
import UnixSignals

@testable import LiveServing

@Suite(.timeLimit(.minutes(10))) struct StopNoticeTests {
    private let clock = ManualClock()
    private let load = ServiceLoad()
    private let settings = ShutdownSettings()
    private let signals: AsyncStream<UnixSignal>
    private let signal: AsyncStream<UnixSignal>.Continuation

    init() {
        (signals, signal) = AsyncStream.makeStream(of: UnixSignal.self)
    }

    @Test("After a signal the service is not ready for the grace and then stops") func graceAfterSignal() async throws {
        try await withNotice { stopped in
            #expect(!load.isStopping)
            signal.yield(.sigterm)
            await clock.sleepers(atLeast: 1)
            #expect(load.isStopping)
            clock.advance(by: .milliseconds(1_999))
            await clock.sleepers(atLeast: 1)
            #expect(!stopped.isOver)
            clock.advance(by: .milliseconds(1))
        }
    }

    @Test("Another signal ends the grace") func secondSignal() async throws {
        try await withNotice { stopped in
            signal.yield(.sigterm)
            await clock.sleepers(atLeast: 1)
            #expect(!stopped.isOver)
            signal.yield(.sigint)
        }
    }

    @Test("The grace counts from the signal on and follows its setting") func changedGrace() async throws {
        settings.grace = .seconds(30)
        try await withNotice { stopped in
            signal.yield(.sigterm)
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(20))
            #expect(!stopped.isOver)
            settings.grace = .seconds(20)
        }
    }

    @Test("Without a signal nothing ends") func withoutSignal() async throws {
        try await withNotice { stopped in
            clock.advance(by: .seconds(3_600))
            for _ in 0..<100 { await Task.yield() }
            #expect(!stopped.isOver)
            signal.yield(.sigterm)
            signal.yield(.sigterm)
        }
    }

    @Test("Requests are served while the service is not ready and then it ends") func servedDuringGrace() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var parts = LiveService.Parts(store: store)
        parts.clock = clock
        parts.log = { _ in }
        let service = try await LiveService(parts)
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        async let running: Void = service.run(port: 0, until: signals) { listening.yield($0) }
        let port = try #require(await ports.first { _ in true })
        try await TestConnection.with(port: port) { connection async throws in
            #expect(try await connection.send(.get("/health/ready")).status == 200)
            signal.yield(.sigterm)
            await clock.sleepers(atLeast: 1)
            let answer = try await connection.send(.get("/health/ready"))
            #expect(answer.status == 503)
            #expect(answer.detail == "The service is stopping.")
            #expect(try await connection.send(.get("/hello")).status == 200)
        }
        // New connections are accepted too.
        try await TestConnection.with(port: port) { connection async throws in
            #expect(try await connection.send(.get("/health/live")).status == 200)
        }
        clock.advance(by: .seconds(2))
        try await running
        await #expect(throws: (any Error).self) {
            try await TestConnection.with(port: port) { try await $0.send(.get("/hello")) }
        }
    }

    /// Whether the wait is over.
    private struct End: SettingsGroup {
        @Setting var isOver = false
    }

    /// Waits for the notice's end after the closure.
    private func withNotice(_ body: (End) async throws -> Void) async throws {
        let end = End()
        let notice = StopNotice(
            load: load, settings: settings, clock: clock, logger: Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
        async let waiting: Void = {
            await notice.wait(for: signals)
            end.isOver = true
        }()
        try await body(end)
        await waiting
    }
}
