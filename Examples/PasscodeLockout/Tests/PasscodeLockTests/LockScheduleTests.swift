import PasscodeLock
import Testing

@Suite(.timeLimit(.minutes(10))) struct LockScheduleTests {
    @Test("The standard schedule matches the documented table")
    func table() {
        let schedule = LockSchedule.standard
        let minutes = (0..<20).map { schedule.wait(after: $0).components.seconds / 60 }
        let day: Int64 = 24 * 60
        #expect(
            minutes == [
                0, 0, 0, 0, 0, 1, 5, 15, 30, 90, 240, 720, 36 * 60,
                4 * day, 13 * day, 41 * day, 123 * day, 365 * day, 1_095 * day, 3_285 * day,
            ])
        #expect(schedule.limit == 20)
        #expect((0..<20).map { schedule.level(after: $0) } == [0, 0, 0, 0, 0] + Array(1...15))
    }

    @Test("R11: No schedule accepts more than 100 guesses")
    func ceiling() {
        #expect(LockSchedule(Array(repeating: .zero, count: 1_000)).limit == 100)
    }

    @Test("A negative wait is none, and none is longer than a thousand years")
    func extremes() async throws {
        let schedule = LockSchedule([.seconds(-1), .zero, .seconds(Int64.max)])
        #expect(schedule.waits == [.zero, .zero, .days(365_000)])
        let fixture = try await LockFixture.enrolled(schedule: schedule)
        try await fixture.guessWrong(2)
        #expect(await fixture.lock.status() == .delayed(remaining: .days(365_000), level: 1))
    }

    @Test("An impossible number of tries gets the longest wait")
    func impossibleCount() {
        #expect(LockSchedule.standard.wait(after: -1) == .seconds(3_285 * 86_400))
    }
}
