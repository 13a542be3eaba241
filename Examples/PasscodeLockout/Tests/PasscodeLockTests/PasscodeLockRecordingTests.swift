import PasscodeLock
import Settle
import SettleTesting
import Synchronization
import Testing

/// The rules about counting.
@Suite struct PasscodeLockRecordingTests {
    @Test("R1, R2: a try is on stable storage before it is compared")
    func recordsBeforeComparing() async throws {
        let fixture = try await LockFixture.enrolled()
        let seen = Mutex<[SettingValue?]>([])
        let calls = Mutex<[StorageCall]>([])
        fixture.verifier.onVerify { [fixture] in
            seen.withLock { $0.append(fixture.storedCount) }
            calls.withLock { $0 = fixture.recording.calls }
        }
        try await fixture.guessWrong(2)
        #expect(seen.withLock { $0 } == [.integer(1), .integer(2)])
        guard case .append(_, .stable)? = calls.withLock({ $0.last })?.operation else {
            Issue.record("the last thing before the comparison was not a stable append")
            return
        }
    }

    @Test("R1: a try that can't be recorded is not compared, not even the right one")
    func noVerificationWithoutRecord() async throws {
        let fixture = try await LockFixture.enrolled()
        fixture.failing.fail(.append, with: LockFixture.ioError)
        for _ in 0..<10 {
            guard case .refused(.unavailable(.notSaved)) = await fixture.lock.unlock(with: try LockFixture.right) else {
                Issue.record("a try was not refused although nothing can be saved")
                return
            }
        }
        #expect(fixture.verifier.count == 0)
        #expect(fixture.storedCount == .integer(0))
        fixture.failing.heal()
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        #expect(fixture.storedCount == .integer(0))
    }

    @Test("R1: a failure after the write counts as a failure of the write")
    func noVerificationAfterFailedSync() async throws {
        let fixture = try await LockFixture.enrolled()
        fixture.failing.fail(.append, with: LockFixture.ioError, moment: .after)
        guard case .refused(.unavailable(.notSaved)) = await fixture.lock.unlock(with: try LockFixture.right) else {
            Issue.record("a try was not refused although its record may be lost")
            return
        }
        #expect(fixture.verifier.count == 0)
    }

    @Test("R3: damaged state refuses to verify, and says so", arguments: damages)
    func failsClosed(_ damage: [String: SettingValue?]) async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(5)
        var tree = before.memory.tree
        for (key, value) in damage { tree[key] = value }
        let fixture = try await LockFixture(loading: tree, time: before.time)
        fixture.time.advance(by: .seconds(3_600))
        guard case .refused(.unavailable(.damaged)) = await fixture.lock.unlock(with: try LockFixture.right) else {
            Issue.record("damaged state was trusted")
            return
        }
        #expect(fixture.verifier.count == 0)
        let enrolment = try await fixture.lock.enrol(LockFixture.wrong)
        #expect(enrolment != .accepted)
    }

    private static let damages: [[String: SettingValue?]] = [
        ["passcode.attemptCount": nil],
        ["passcode.attemptCount": .string("none")],
        ["passcode.attemptCount": .integer(-1)],
        ["passcode.attemptCount": .integer(101)],
        ["passcode.verifier": nil],
        ["passcode.wait": nil],
        ["passcode.wait": .string("over")],
        ["passcode.attemptCount": nil, "passcode.verifier": nil],
    ]

    @Test("R4: a try that was recorded and never got an outcome stays counted")
    func crashWhileComparing() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(3)
        let crashed = Mutex<LockFixture?>(nil)
        fixture.verifier.onVerify {
            let next = try? await fixture.afterCrash()
            crashed.withLock { $0 = next }
        }
        _ = await fixture.lock.unlock(with: try LockFixture.right)
        let next = try #require(crashed.withLock { $0 })
        #expect(next.storedCount == .integer(4))
        try await next.guessWrong()
        #expect(await next.lock.status() == .delayed(remaining: .seconds(60), level: 1))
    }

    @Test("R5: a throttled try is not verified, not counted and does not lengthen the wait")
    func throttled() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        let batches = fixture.recording.batches.count
        fixture.time.advance(by: .seconds(59))
        for _ in 0..<30 {
            let result = await fixture.lock.unlock(with: try LockFixture.right)
            #expect(result == .refused(.delayed(remaining: .seconds(1), level: 1)))
        }
        #expect(fixture.verifier.count == 5)
        #expect(fixture.storedCount == .integer(5))
        #expect(fixture.recording.batches.count == batches)
        fixture.time.advance(by: .seconds(1))
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
    }

    @Test("R6: guesses at once are compared one after the other, and no more of them than the schedule allows")
    func oneAtATime() async throws {
        let fixture = try await LockFixture.enrolled()
        let atOnce = Atomic(0)
        let most = Atomic(0)
        fixture.verifier.onVerify {
            most.max(atOnce.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            await Task.yield()
            atOnce.subtract(1, ordering: .relaxed)
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { await fixture.lock.unlock(with: try LockFixture.wrong) }
            }
            try await group.waitForAll()
        }
        #expect(most.load(ordering: .relaxed) == 1)
        #expect(fixture.verifier.count == 5)
        #expect(fixture.storedCount == .integer(5))
    }

    @Test("R7: a verifier that fails counts")
    func failingVerifier() async throws {
        let fixture = try await LockFixture.enrolled()
        fixture.verifier.setFailing(true)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .wrong(.ready))
        #expect(fixture.storedCount == .integer(1))
    }

    @Test("R10: success takes back count and wait in one write, which is on stable storage before the result")
    func success() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        fixture.time.advance(by: .seconds(60))
        let batches = fixture.recording.batches.count
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        let written = fixture.recording.batches.dropFirst(batches).map(\.values)
        #expect(written.count == 2)
        #expect(written.last?["passcode.attemptCount"] == .some(.integer(0)))
        #expect(written.last?.keys.contains("passcode.wait") == true)
        let next = try await fixture.afterCrash()
        #expect(await next.lock.status() == .ready)
        try await next.guessWrong(4)
        #expect(await next.lock.status() == .ready)
    }

    @Test("R10: a success that can't be recorded is none, and the try stays counted")
    func successWithoutRecord() async throws {
        let fixture = try await LockFixture.enrolled()
        fixture.failing.fail(.append, with: LockFixture.ioError, skipping: 1)
        guard case .refused(.unavailable(.notSaved)) = await fixture.lock.unlock(with: try LockFixture.right) else {
            Issue.record("the result was visible before it was durable")
            return
        }
        #expect(fixture.storedCount == .integer(1))
    }

    @Test("R10: changing the passcode asks for the old one through the same throttle")
    func changing() async throws {
        let fixture = try await LockFixture.enrolled()
        let new = try Passcode("new one")
        #expect(try await fixture.lock.enrol(new) == .refused(.ready))
        #expect(try await fixture.lock.enrol(new, replacing: LockFixture.wrong) == .wrong(.ready))
        #expect(fixture.storedCount == .integer(1))
        try await fixture.guessWrong(4)
        let delayed = LockStatus.delayed(remaining: .seconds(60), level: 1)
        #expect(try await fixture.lock.enrol(new, replacing: LockFixture.right) == .refused(delayed))
        fixture.time.advance(by: .seconds(60))
        #expect(try await fixture.lock.enrol(new, replacing: LockFixture.right) == .accepted)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .wrong(.ready))
        #expect(await fixture.lock.unlock(with: new) == .accepted)
    }

    @Test("The whole schedule, guess by guess, to the end")
    func wholeSchedule() async throws {
        let fixture = try await LockFixture.enrolled()
        for count in 1..<20 {
            try await fixture.guessWrong()
            #expect(fixture.storedCount == .integer(Int64(count)))
            let wait = LockSchedule.standard.wait(after: count)
            if wait > .zero {
                let level = LockSchedule.standard.level(after: count)
                #expect(await fixture.lock.status() == .delayed(remaining: wait, level: level))
            }
            fixture.time.advance(by: wait)
            #expect(await fixture.lock.status() == .ready)
        }
        try await fixture.guessWrong()
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .refused(.exhausted))
        #expect(fixture.verifier.count == 20)
        #expect(await (try fixture.afterCrash()).lock.status() == .exhausted)
    }
}
