import Dispatch
import Settle
import SettleTesting
import Testing

// The forms with `willSet` and `didSet` are not public yet; on Linux, a library can be imported with what is not.
#if os(Linux)
    @_spi(SwiftUI) import Observation
#else
    import Observation
#endif

/// When observers are notified, by what they read then.
@Suite(.timeLimit(.minutes(10))) struct ObservationMomentsTests {
    private func groups() async throws -> [CounterSettings] {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return [try await store.group(CounterSettings.self), CounterSettings()]
    }

    /// What observers read, and what they record it with.
    private func recorder(
        of settings: CounterSettings
    ) -> (ChangeRecorder<String>, @Sendable (_ moment: String) -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        return (
            ChangeRecorder(stream),
            { continuation.yield("\($0) \(settings.$count.value) \(settings.$other.value)") }
        )
    }

    @Test("An observer reads the new value, and all others of its transaction") func newValue() async throws {
        for settings in try await groups() {
            let (seen, record) = recorder(of: settings)
            withObservationTracking {
                _ = settings.count
            } onChange: {
                record("change")
            }
            try settings.update { (settings.count, settings.other) = (5, 6) }
            #expect(await seen.until { !$0.isEmpty } == ["change 5 6"])
        }
    }

    #if os(Linux)
        @Test("Observers of the moment before a change run after it too, before those of the moment after it")
        func bothMoments() async throws {
            for settings in try await groups() {
                let (seen, record) = recorder(of: settings)
                withObservationTracking {
                    _ = settings.count
                } willSet: { _ in
                    record("willSet")
                } didSet: { _ in
                    record("didSet")
                }
                try settings.update { (settings.count, settings.other) = (5, 6) }
                #expect(await seen.until { $0.count > 1 } == ["willSet 5 6", "didSet 5 6"])
            }
        }

        @Test("Two updates are two events, and the key path of an event is not that of the setting")
        func events() async throws {
            for settings in try await groups() {
                let (seen, record) = recorder(of: settings)
                withObservationTracking {
                    _ = settings.count
                } willSet: { event in
                    record("\(event.changed == nil) \(event.changed == \CounterSettings.count)")
                } didSet: { _ in
                }
                settings.count = 5
                #expect(await seen.until { !$0.isEmpty } == ["false false 5 0"])
                settings.count = 6
                #expect(await seen.until { $0.count > 1 }.last == "false false 6 0")
            }
        }

        @Test("Updates that are made while an observer runs are one event") func coalesced() async throws {
            let settings = try await groups()[0]
            let (seen, record) = recorder(of: settings)
            let (count, isReleased) = (LockedValue(0), DispatchSemaphore(value: 0))
            withObservationTracking {
                _ = settings.count
            } willSet: { _ in
                record("event")
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { isReleased.wait() }
            } didSet: { _ in
            }
            settings.count = 5
            #expect(await seen.until { !$0.isEmpty } == ["event 5 0"])
            settings.count = 6
            settings.count = 7
            isReleased.signal()
            #expect(await seen.until { $0.count > 1 } == ["event 5 0", "event 7 0"])
            settings.count = 8
            #expect(await seen.until { $0.count > 2 } == ["event 5 0", "event 7 0", "event 8 0"])
        }
    #endif
}
