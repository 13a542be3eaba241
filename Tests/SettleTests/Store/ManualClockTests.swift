import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ManualClockTests {
    @Test("A sleeper wakes when the clock reaches its deadline, and not before")
    func sleeping() async throws {
        let clock = ManualClock()
        let recorder = ChangeRecorder(
            AsyncStream<Int> { continuation in
                for number in 1...3 {
                    Task {
                        try await clock.sleep(until: clock.now.advanced(by: .seconds(number)))
                        continuation.yield(number)
                    }
                }
            })
        await clock.sleepers(atLeast: 3)
        #expect(clock.deadlines.map(\.sinceStart) == [.seconds(1), .seconds(2), .seconds(3)])
        clock.advance(by: .milliseconds(999))
        #expect(clock.deadlines.count == 3)
        clock.advance(by: .milliseconds(1))
        #expect(await recorder.next() == 1)
        #expect(clock.deadlines.count == 2)
        clock.advance(by: .seconds(10))
        #expect(await recorder.until { $0.count == 3 }.sorted() == [1, 2, 3])
        #expect(clock.now.sinceStart == .seconds(11))
        try await clock.sleep(until: clock.now)
        try await clock.sleep(for: .seconds(-1))
    }

    @Test("A cancelled sleeper throws at once, even if cancelled before it sleeps")
    func cancellation() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.deadlines.isEmpty)
        for _ in 0..<200 {
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(clock.deadlines.isEmpty)
    }
}
