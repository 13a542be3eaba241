import SettleTesting
import Testing

@testable import Settle

/// Work with a limit of its time, by the system's clock and by another one.
@Suite(.timeLimit(.minutes(10))) struct LimitedWorkTests {
    private struct Failure: Error {}

    @TaskLocal private static var name = ""

    private static func never() async throws(Failure) -> Int {
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        throw Failure()
    }

    @Test("Work that lasts too long is cancelled, and has ended afterwards") func workLastsToo() async {
        let time = TimeSource(ContinuousClock())
        let hasEnded = LockedValue(false)
        let (result, isOver) = await time.run(until: time.elapsed() + .milliseconds(5)) {
            () async throws(Failure) -> Int in
            defer { hasEnded.withLock { $0 = true } }
            return try await Self.never()
        }
        #expect(throws: Failure.self) { try result.get() }
        #expect(isOver && hasEnded.withLock { $0 } && !Task.isCancelled)
        #expect(time.elapsed() >= .milliseconds(5))
    }

    @Test("A clock that stands still ends no work") func clockStandsStill() async {
        let clock = ManualClock()
        let time = TimeSource(clock)
        let work = Task { await time.run(until: .seconds(1), Self.never) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        let (result, isOver) = await work.value
        #expect(throws: Failure.self) { try result.get() }
        #expect(isOver)
        let quick = await time.run(until: .seconds(2)) { 5 }
        #expect(quick.result.get() == 5 && !quick.isOver && clock.deadlines.isEmpty)
    }

    @Test("The cancellation of the caller reaches the work, which is not over its time", arguments: [true, false])
    func cancellationCallerReaches(isSystem: Bool) async {
        let time = TimeSource(isSystem ? ContinuousClock() : ManualClock() as any Clock<Duration>)
        let work = Task { await time.run(until: .seconds(1_000), Self.never) }
        work.cancel()
        let (result, isOver) = await work.value
        #expect(throws: Failure.self) { try result.get() }
        #expect(!isOver)
    }

    @Test("Work stays on the caller's queue, with the caller's task locals", arguments: [true, false])
    func workStaysCaller(isSystem: Bool) async {
        let time = TimeSource(isSystem ? ContinuousClock() : ManualClock() as any Clock<Duration>)
        let executor = QueueExecutor(label: "test")
        let answer = await Self.$name.withValue("carol") {
            await withTaskExecutorPreference(executor.forTasks) {
                await time.run(until: .seconds(1_000)) { (Self.name, executor.isCurrent) }
            }
        }
        let (name, isOnQueue) = answer.result.get()
        #expect(name == "carol" && isOnQueue)
    }
}
