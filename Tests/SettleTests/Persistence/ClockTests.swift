import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Unusual clocks and delays.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ClockTests {
    private let noSpace = StorageError(.noSpace, "There is no room.")

    @Test("A clock that goes backwards does not stop saving")
    func goesBack() async throws {
        let (store, clock, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        clock.advance(by: .seconds(10_000_000))
        for round in 1...3 {
            let before = clock.now.sinceStart
            settings.count += 1
            try await eventually("the change is stored", advancing: clock, by: .milliseconds(1)) {
                recording.batches.count >= 2 * round - 1
            }
            clock.goBack(by: .seconds(3_000_000))
            settings.count += 1
            try await eventually("the next change is stored", advancing: clock, by: .milliseconds(1)) {
                recording.batches.count >= 2 * round
            }
            try await eventually("the store is saved", advancing: clock, by: .milliseconds(10)) {
                store.status == .saved
            }
            #expect(clock.now.sinceStart < before)
        }
        failing.fail(.append, with: noSpace, count: 1)
        settings.count += 1
        try await eventually("a save has failed", advancing: clock, by: .milliseconds(1)) {
            store.statistics.failedSaves == 1
        }
        clock.goBack(by: .seconds(900_000))
        try await eventually("the store is saved", advancing: clock, by: .milliseconds(100)) { store.status == .saved }
        #expect(recording.batches.last?.values == ["count": .integer(7)])
    }

    @Test("Elapsed time never goes backwards, whatever the clock shows")
    func steady() {
        var time = SteadyTime()
        let readings: [Double] = [0, 1, 5, 2, 3, 3, 10, -4, -4, 1]
        let elapsed = readings.map { time.elapsed(at: .seconds($0)) }
        #expect(elapsed == [0, 1, 5, 5, 6, 6, 13, 13, 13, 18].map { Duration.seconds($0) })
        #expect(time.jumps == 2 && time.lag == .seconds(17))
    }

    @Test("Endless delays neither hang nor trap")
    func endless() async throws {
        let (failing, clock, endless) = (FailingStorage(), ManualClock(), Duration.seconds(Int64.max))
        let store = try await SettingsStore.open(
            storage: failing,
            configuration: .init(
                savePolicy: .debounced(quiet: endless, atMost: endless), retryDelay: endless...endless, clock: clock))
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: noSpace)
        for number in 1...3 {
            settings.count = number
            await #expect(throws: SettingsError.self) { try await store.flush() }
            clock.advance(by: .seconds(1_000_000))
        }
        failing.heal()
        try await store.flush()
        settings.count += 1
        clock.advance(by: .seconds(1_000_000_000))
        try await store.close()
    }
}
