import PasscodeLock
import Settle
import Testing

/// Invariants that hold for any order of events.
@Suite(.timeLimit(.minutes(10))) struct PasscodeLockInvariantTests {
    @Test(
        "I1, I2, I3, I6: No order of guesses, crashes, reboots and clock changes gets around the schedule",
        arguments: drawSeeds(20))
    func anyOrder(_ seed: UInt64) async throws {
        var random = SeededGenerator(state: seed)
        var walk = Walk(fixture: try await LockFixture.enrolled())
        for step in 0..<150 {
            let comment = Comment(rawValue: "seed \(seed), step \(step)")
            try await walk.step(Int.random(in: 0..<8, using: &random), comment, &random)
        }
    }
}

/// A lock's life, with what the test knows about it.
private struct Walk {
    var fixture: LockFixture
    /// Wrong guesses compared since the last success.
    private var compared = 0
    /// Time since the last success with the machine on.
    private var elapsed = Duration.zero
    private var remaining = Duration.zero

    init(fixture: LockFixture) {
        self.fixture = fixture
    }

    mutating func step(_ kind: Int, _ comment: Comment, _ random: inout SeededGenerator) async throws {
        switch kind {
        case 0...2: try await guess(comment)
        case 3, 4: pass(.seconds(Int.random(in: 0...100_000, using: &random)))
        case 5: fixture.time.setWallClock(forwardBy: .days(Int.random(in: -9_999...9_999, using: &random)))
        case 6: fixture = try await fixture.afterCrash()
        default:
            if Bool.random(using: &random) { try await succeed(comment) } else { try await reboot(comment) }
        }
        try await check(comment)
    }

    private mutating func guess(_ comment: Comment) async throws {
        let before = fixture.verifier.count
        try await fixture.guessWrong()
        guard fixture.verifier.count > before else { return }
        compared += 1
        // I6: The waits before this guess have really passed.
        let needed = (0..<compared).map { LockSchedule.standard.wait(after: $0) }.reduce(.zero, +)
        #expect(elapsed >= needed, comment)
        remaining = compared < 20 ? LockSchedule.standard.wait(after: compared) : .zero
    }

    private mutating func pass(_ duration: Duration) {
        fixture.time.advance(by: duration)
        elapsed += duration
        remaining = max(.zero, remaining - duration)
    }

    private mutating func succeed(_ comment: Comment) async throws {
        // Only deep into the schedule, so that the walk gets there.
        guard compared > 12 else { return }
        let result = await fixture.lock.unlock(with: try LockFixture.right)
        guard remaining == .zero, compared < 20 else {
            #expect(result != .accepted, comment)
            return
        }
        #expect(result == .accepted, comment)
        compared = 0
        elapsed = .zero
    }

    private mutating func reboot(_ comment: Comment) async throws {
        let isWaiting = remaining > .zero
        fixture.time.reboot()
        fixture = try await fixture.afterCrash()
        // A wait that was over before the reboot may restart, but one in progress must.
        if case .delayed(let remaining, _) = await fixture.lock.status() {
            self.remaining = remaining
            #expect(remaining == LockSchedule.standard.wait(after: compared), comment)
        } else {
            #expect(!isWaiting, comment)
        }
    }

    private func check(_ comment: Comment) async throws {
        // I1, I3: Each comparison is recorded, and only a success resets the count.
        #expect(fixture.storedCounts == [.integer(Int64(compared)), .integer(Int64(compared))], comment)
        // I2: Only time shortens the wait.
        switch await fixture.lock.status() {
        case .ready: #expect(remaining == .zero && compared < 20, comment)
        case .delayed(let remaining, _): #expect(remaining == self.remaining, comment)
        case .exhausted: #expect(compared == 20, comment)
        case .unavailable(let reason): Issue.record("\(reason) (\(comment))")
        }
    }
}
