import Foundation
import PasscodeLock
import Settle
import Testing

/// The rules for time.
@Suite(.timeLimit(.minutes(10))) struct PasscodeLockTimeTests {
    private func delayed(_ seconds: Int) -> LockStatus {
        .delayed(remaining: .seconds(seconds), level: 1)
    }

    @Test("R12: The stored date is only for display and decides nothing")
    func dateIsForDisplay() async throws {
        let fixture = try await LockFixture.enrolled()
        let now = fixture.time.now().date
        try await fixture.guessWrong(5)
        #expect(await fixture.lock.nextCheckDate == now + 60)
        var trees = fixture.trees
        #expect(trees.0["passcode.nextCheck"] == .date((now + 60)))
        trees.0["passcode.nextCheck"] = .date(Date(timeIntervalSince1970: 0))
        // It is shown, so an edited one is damage like any other, and is rewritten.
        let edited = try await LockFixture(loading: trees, time: fixture.time)
        #expect(await edited.lock.status() == delayed(60))
        #expect(edited.trees.0["passcode.nextCheck"] == trees.1["passcode.nextCheck"])
        #expect(await edited.lock.auditRecords.last?.event == .tampering)
    }

    @Test("R12: The displayed date matches the wait, even after a reboot or a clock change")
    func shownDate() async throws {
        let fixture = try await LockFixture.enrolled()
        #expect(await fixture.lock.nextCheckDate == nil)
        try await fixture.guessWrong(5)
        fixture.time.advance(by: .seconds(20))
        fixture.time.setWallClock(forwardBy: .days(-400))
        #expect(await fixture.lock.nextCheckDate == fixture.time.now().date + 40)
        fixture.time.reboot(off: .days(3))
        let next = try await fixture.afterCrash()
        #expect(await next.lock.nextCheckDate == fixture.time.now().date + 60)
        fixture.time.advance(by: .seconds(60))
        #expect(await next.lock.nextCheckDate == nil)
    }

    @Test("R13: A wait is stored as boot id, uptime at its start, and length")
    func storedWait() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        #expect(
            fixture.first.memory.tree["passcode.wait"]
                == .dictionary(["bootID": .string("boot-1"), "start": .string("1000s"), "length": .string("60s")]))
    }

    @Test("R14: A reboot restarts the full wait, without clearing it or counting as a failure")
    func reboot() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        fixture.time.advance(by: .seconds(59))
        for _ in 0..<3 {
            fixture.time.reboot(off: .seconds(86_400))
            let next = try await fixture.afterCrash()
            #expect(await next.lock.status() == delayed(60))
            fixture.time.advance(by: .seconds(59))
            #expect(await next.lock.unlock(with: try LockFixture.right) == .refused(delayed(1)))
            #expect(next.storedCounts == [.integer(5), .integer(5)])
        }
        fixture.time.advance(by: .seconds(1))
        #expect(await (try fixture.afterCrash()).lock.unlock(with: try LockFixture.right) == .accepted)
    }

    @Test("R15: The wall clock neither shortens a wait nor locks forever", arguments: [-1, 1])
    func wallClock(_ direction: Int) async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        fixture.time.advance(by: .seconds(20))
        fixture.time.setWallClock(forwardBy: .seconds(direction * 20 * 365 * 86_400))
        #expect(await fixture.lock.status() == delayed(40))
        #expect(await (try fixture.afterCrash()).lock.status() == delayed(40))
        fixture.time.advance(by: .seconds(40))
        #expect(await fixture.lock.status() == .ready)
    }

    @Test("R24: With simulated time, all waits of the schedule take no real time")
    func parameters() async throws {
        let start = ContinuousClock.now
        let fixture = try await LockFixture.enrolled()
        var waited = Duration.zero
        for count in 1...20 {
            try await fixture.guessWrong()
            fixture.time.reboot()
            let wait = count < 20 ? LockSchedule.standard.wait(after: count) : .zero
            fixture.time.advance(by: wait)
            waited += wait
        }
        #expect(await fixture.lock.status() == .exhausted)
        #expect(waited > .days(13 * 365))
        #expect(start.duration(to: .now) < .seconds(600))
    }

    @Test("Without a machine time no passcode is compared")
    func noTime() async throws {
        struct Broken: MachineTime {
            struct Failure: Error {}
            func now() throws -> Moment { throw Failure() }
            func sleep(untilUptime deadline: Duration) async throws {}
        }
        let fixture = try await LockFixture.enrolled()
        let lock = try await PasscodeLockout(
            in: fixture.first.store, and: fixture.second.store, time: Broken(), verifier: fixture.verifier)
        guard case .refused(.unavailable(.noTime)) = await lock.unlock(with: try LockFixture.right) else {
            Issue.record("a passcode was compared without a clock")
            return
        }
        #expect(fixture.verifier.count == 0)
    }

    @Test("This machine has a boot id, and its uptime advances")
    func systemTime() throws {
        let first = try SystemTime().now()
        let second = try SystemTime().now()
        #expect(UUID(uuidString: first.bootID) != nil)
        #expect(first.bootID == second.bootID)
        #expect(first.uptime > .zero && first.uptime <= second.uptime)
    }

    #if os(Linux)
        @Test("R12: The uptime is the time since the machine's boot, as the kernel reports it")
        func uptime() throws {
            func told() throws -> Duration {
                let text = try String(contentsOf: URL(filePath: "/proc/uptime"), encoding: .utf8)
                // In hundredths of a second, rounded down.
                return .milliseconds(10) * (try #require(Int(text.prefix { $0 != " " }.replacing(".", with: ""))))
            }
            let before = try told()
            let uptime = try SystemTime().now().uptime
            let after = try told() + .milliseconds(10)
            #expect(before <= uptime && uptime <= after)
        }
    #endif
}
