import Settle
import Testing

@testable import PasscodeLock

/// R8: Repeating the same wrong passcode does not count.
@Suite(.timeLimit(.minutes(10))) struct RecentGuessesTests {
    @Test("R8: The same wrong passcode is neither compared nor counted again")
    func repeating() async throws {
        let fixture = try await LockFixture.enrolled()
        #expect(await fixture.lock.unlock(with: try LockFixture.wrong) == .wrong(.ready))
        for _ in 0..<30 { #expect(await fixture.lock.unlock(with: try LockFixture.wrong) == .repeated(.ready)) }
        #expect(fixture.verifier.count == 1)
        #expect(fixture.storedCounts == [.integer(1), .integer(1)])
    }

    @Test("R8: Only the last five guesses are remembered, and a wait takes precedence")
    func lastFive() async throws {
        let fixture = try await LockFixture.enrolled(schedule: LockSchedule(Array(repeating: .zero, count: 20)))
        for number in 0...5 { _ = await fixture.lock.unlock(with: try Passcode("guess \(number)")) }
        #expect(await fixture.lock.unlock(with: try Passcode("guess 1")) == .repeated(.ready))
        #expect(await fixture.lock.unlock(with: try Passcode("guess 0")) == .wrong(.ready))
        #expect(fixture.storedCounts.first == .integer(7))

        let delayed = try await LockFixture.enrolled()
        for number in 0..<5 { _ = await delayed.lock.unlock(with: try Passcode("guess \(number)")) }
        let status = LockStatus.delayed(remaining: .seconds(60), level: 1)
        #expect(await delayed.lock.unlock(with: try Passcode("guess 4")) == .refused(status))
    }

    @Test("R8: Guesses are remembered for at most five minutes, by one process only")
    func forgetting() async throws {
        let fixture = try await LockFixture.enrolled()
        _ = await fixture.lock.unlock(with: try LockFixture.wrong)
        fixture.time.advance(by: .seconds(299))
        #expect(await fixture.lock.unlock(with: try LockFixture.wrong) == .repeated(.ready))
        fixture.time.advance(by: .seconds(1))
        #expect(await fixture.lock.unlock(with: try LockFixture.wrong) == .wrong(.ready))
        let next = try await fixture.afterCrash()
        #expect(await next.lock.unlock(with: try LockFixture.wrong) == .wrong(.ready))
        #expect(next.storedCounts == [.integer(3), .integer(3)])
    }

    @Test("R8: An expired guess is wiped even without another try; the others stay")
    func wiping() async throws {
        let fixture = try await LockFixture.enrolled()
        _ = await fixture.lock.unlock(with: try Passcode("guess 1"))
        fixture.time.advance(by: .seconds(200))
        _ = await fixture.lock.unlock(with: try Passcode("guess 2"))
        #expect(await fixture.lock.recentGuesses.count == 2)
        for (passing, left) in [(100, 1), (200, 0)] {
            fixture.time.advance(by: .seconds(passing))
            try await eventually("the oldest guesses are wiped") { await fixture.lock.recentGuesses.count <= left }
            #expect(await fixture.lock.recentGuesses.count == left)
        }
    }

    @Test("R8: A guess that was wrong for one passcode may be right for the next")
    func changedPasscode() async throws {
        let fixture = try await LockFixture.enrolled()
        _ = await fixture.lock.unlock(with: try LockFixture.wrong)
        #expect(try await fixture.lock.enrol(LockFixture.wrong, replacing: LockFixture.right) == .accepted)
        #expect(await fixture.lock.unlock(with: try LockFixture.wrong) == .accepted)
    }

    @Test("R8: A passcode changed by another process makes an old guess a new one")
    func passcodeOfAnotherProcess() async throws {
        let fixture = try await LockFixture.enrolled()
        _ = await fixture.lock.unlock(with: try LockFixture.wrong)
        let other = try await fixture.afterCrash()
        #expect(try await other.lock.enrol(LockFixture.wrong, replacing: LockFixture.right) == .accepted)
        fixture.first.memory.simulateExternalChange(other.first.memory.tree)
        fixture.second.memory.simulateExternalChange(other.second.memory.tree)
        #expect(await fixture.lock.unlock(with: try LockFixture.wrong) == .accepted)
    }
}
