import PasscodeLock
import Settle
import SettleTesting
import Synchronization
import Testing

/// The rules for counting.
@Suite(.timeLimit(.minutes(10))) struct PasscodeLockRecordingTests {
    private func expectNotSaved(_ result: AttemptResult, _ comment: Comment) {
        guard case .refused(.unavailable(.notSaved)) = result else {
            Issue.record("\(comment): \(result)")
            return
        }
    }

    @Test("R1, R2: A try is on stable storage in both copies before it is compared")
    func recordsBeforeComparing() async throws {
        let fixture = try await LockFixture.enrolled()
        let seen = Mutex<[[SettingValue?]]>([])
        let areStable = Mutex<[Bool]>([])
        fixture.verifier.onVerify { [fixture] in
            seen.withLock { $0.append(fixture.storedCounts) }
            areStable.withLock { $0 += [fixture.first, fixture.second].map(\.recording.isStable) }
        }
        try await fixture.guessWrong(2)
        #expect(seen.withLock { $0 } == [[.integer(1), .integer(1)], [.integer(2), .integer(2)]])
        #expect(areStable.withLock { $0 } == [true, true, true, true])
    }

    @Test(
        "R1: A try that can't be recorded in both copies is not compared, even if it is right",
        arguments: [0, 1], [LockFixture.ioError, LockFixture.lostAnswer])
    func noVerificationWithoutRecord(_ copy: Int, _ error: StorageError) async throws {
        let fixture = try await LockFixture.enrolled()
        let place = [fixture.first, fixture.second][copy]
        place.failing.fail(.append, with: error)
        for _ in 0..<10 {
            expectNotSaved(
                await fixture.lock.unlock(with: try LockFixture.right),
                "a try was not refused although it can't be saved")
        }
        #expect(fixture.verifier.count == 0)
        place.failing.heal()
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        #expect(fixture.storedCounts == [.integer(0), .integer(0)])
    }

    @Test("R1, R18: Tries for which one copy has no room count once, and are no tampering", arguments: [0, 1])
    func fullDisk(_ copy: Int) async throws {
        let before = try await LockFixture.enrolled()
        let memories = [InMemoryStorage(before.trees.0), InMemoryStorage(before.trees.1)]
        let disks = memories.map(FullStorage.init)
        let stores = try await disks.asyncMap { try await SettingsStore.open(storage: $0) }
        let verifier = TestVerifier()
        let lock = try await PasscodeLockout(in: stores[0], and: stores[1], time: before.time, verifier: verifier)
        disks[copy].fill()
        for _ in 0..<10 {
            expectNotSaved(
                await lock.unlock(with: try LockFixture.right), "a try was not refused although it can't be saved")
        }
        #expect(verifier.count == 0)
        #expect(memories[0].tree["passcode.attemptCount"] == .integer(copy == 0 ? 0 : 1))
        #expect(memories[1].tree["passcode.attemptCount"] == .integer(0))
        disks[copy].makeRoom()
        #expect(await lock.unlock(with: try LockFixture.right) == .accepted)
        for memory in memories { #expect(memory.tree["passcode.attemptCount"] == .integer(0)) }
        #expect(await !lock.auditRecords.contains { $0.event == .tampering })
    }

    @Test("R1: A failure after the write counts as a failed write", arguments: [0, 1])
    func noVerificationAfterFailedSync(_ copy: Int) async throws {
        let fixture = try await LockFixture.enrolled()
        [fixture.first, fixture.second][copy].failing.fail(.append, with: LockFixture.lostAnswer, moment: .after)
        expectNotSaved(
            await fixture.lock.unlock(with: try LockFixture.right),
            "a try was not refused although its record may be lost")
        #expect(fixture.verifier.count == 0)
    }

    @Test("R4: A recorded try without an outcome stays counted")
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
        #expect(next.storedCounts == [.integer(4), .integer(4)])
        #expect(await next.lock.auditRecords.last?.outcome == nil)
        try await next.guessWrong()
        #expect(await next.lock.status() == .delayed(remaining: .seconds(60), level: 1))
    }

    @Test("R5: A throttled try is not compared, not counted, and does not lengthen the wait")
    func throttled() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        func written() -> [StorageBatch] {
            (fixture.first.recording.batches + fixture.second.recording.batches).filter { !$0.values.isEmpty }
        }
        try await fixture.first.store.flush()
        try await fixture.second.store.flush()
        let before = written()
        fixture.time.advance(by: .seconds(59))
        for _ in 0..<30 {
            let result = await fixture.lock.unlock(with: try LockFixture.right)
            #expect(result == .refused(.delayed(remaining: .seconds(1), level: 1)))
        }
        #expect(fixture.verifier.count == 5)
        #expect(fixture.storedCounts == [.integer(5), .integer(5)])
        #expect(written() == before)
        fixture.time.advance(by: .seconds(1))
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
    }

    @Test(
        "R5: The transaction that counts a try decides whether it is allowed, from the newest stored values"
    )
    func throttledInTheTransaction() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(4)
        let other = try await fixture.afterCrash()
        try await other.guessWrong()
        let memory = InMemoryStorage(fixture.trees.0)
        let first = try await SettingsStore.open(
            storage: InterruptedStorage(memory) { number in
                // After the lock has read both copies, and before it writes the first one.
                if number == 2 { memory.simulateExternalChange(other.trees.0) }
            })
        let second = try await SettingsStore.open(storage: InMemoryStorage(fixture.trees.1))
        let verifier = TestVerifier()
        let lock = try await PasscodeLockout(in: first, and: second, time: fixture.time, verifier: verifier)
        let delayed = LockStatus.delayed(remaining: .seconds(60), level: 1)
        #expect(await lock.unlock(with: try LockFixture.right) == .refused(delayed))
        #expect(verifier.count == 0)
        #expect(memory.tree["passcode.attemptCount"] == .integer(5))
    }

    @Test("R6: Concurrent guesses are compared one after the other, and no more than the schedule allows")
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
                group.addTask { await fixture.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            try await group.waitForAll()
        }
        #expect(most.load(ordering: .relaxed) == 1)
        #expect(fixture.verifier.count == 5)
        #expect(fixture.storedCounts == [.integer(5), .integer(5)])
    }

    @Test("R7: A try with a failing verifier counts, and so does repeating its passcode")
    func failingVerifier() async throws {
        let fixture = try await LockFixture.enrolled()
        fixture.verifier.setFailing(true)
        for count in 1...2 {
            #expect(await fixture.lock.unlock(with: try LockFixture.right) == .failed(.ready))
            #expect(fixture.storedCounts == [.integer(Int64(count)), .integer(Int64(count))])
        }
        fixture.verifier.setFailing(false)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
    }

    @Test("R10: A success resets count and wait in one write, on stable storage before the result")
    func success() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        fixture.time.advance(by: .seconds(60))
        let before = [fixture.first, fixture.second].map(\.recording.batches.count)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        for (place, count) in zip([fixture.first, fixture.second], before) {
            let written = place.recording.batches.dropFirst(count).map(\.values)
                .filter { $0.keys.contains("passcode.attemptCount") }
            #expect(written.count == 2)
            #expect(written.last?["passcode.attemptCount"] == .some(.integer(0)))
            #expect(written.last?.keys.contains("passcode.wait") == true)
        }
        let next = try await fixture.afterCrash()
        #expect(await next.lock.status() == .ready)
        try await next.guessWrong(4)
        #expect(await next.lock.status() == .ready)
    }

    @Test(
        "R10: A success that can't be recorded in both copies fails, and its try stays counted",
        arguments: [0, 1], [LockFixture.ioError, LockFixture.lostAnswer])
    func successWithoutRecord(_ copy: Int, _ error: StorageError) async throws {
        let fixture = try await LockFixture.enrolled()
        let place = [fixture.first, fixture.second][copy]
        fixture.verifier.onVerify { place.failing.fail(.append, with: error) }
        expectNotSaved(
            await fixture.lock.unlock(with: try LockFixture.right), "the result was visible before it was durable")
        #expect(await (try fixture.afterCrash()).lock.attemptCount == 1)
    }

    @Test("R10: Changing the passcode checks the old one with the same throttle")
    func changing() async throws {
        let fixture = try await LockFixture.enrolled()
        let new = try Passcode("new one")
        #expect(try await fixture.lock.enrol(new) == .refused(.ready))
        #expect(try await fixture.lock.enrol(new, replacing: LockFixture.wrong) == .wrong(.ready))
        #expect(fixture.storedCounts == [.integer(1), .integer(1)])
        try await fixture.guessWrong(4)
        let delayed = LockStatus.delayed(remaining: .seconds(60), level: 1)
        #expect(try await fixture.lock.enrol(new, replacing: LockFixture.right) == .refused(delayed))
        fixture.time.advance(by: .seconds(60))
        #expect(try await fixture.lock.enrol(new, replacing: LockFixture.right) == .accepted)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .wrong(.ready))
        #expect(await fixture.lock.unlock(with: new) == .accepted)
    }

    @Test("R11: Guessing through the whole schedule ends for good")
    func wholeSchedule() async throws {
        let fixture = try await LockFixture.enrolled()
        for count in 1..<20 {
            try await fixture.guessWrong()
            #expect(fixture.storedCounts == [.integer(Int64(count)), .integer(Int64(count))])
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
        fixture.time.advance(by: .days(100 * 365))
        fixture.time.reboot()
        let next = try await fixture.afterCrash()
        fixture.time.advance(by: .days(100 * 365))
        #expect(await next.lock.status() == .exhausted)
        #expect(try await next.lock.enrol(LockFixture.wrong, replacing: LockFixture.right) == .refused(.exhausted))
    }

    @Test("R23: Cancelling during the comparison leaves the try counted; before the turn, nothing is counted")
    func cancelling() async throws {
        let fixture = try await LockFixture.enrolled()
        let reached = AsyncStream.makeStream(of: Void.self)
        let go = AsyncStream.makeStream(of: Void.self)
        fixture.verifier.onVerify {
            reached.continuation.yield()
            for await _ in go.stream { break }
        }
        let comparing = Task { await fixture.lock.unlock(with: try LockFixture.wrong) }
        for await _ in reached.stream { break }
        let waiting = Task { await fixture.lock.unlock(with: try LockFixture.anotherWrong()) }
        waiting.cancel()
        guard case .refused = try await waiting.value else {
            Issue.record("a cancelled try was not refused")
            return
        }
        comparing.cancel()
        go.continuation.finish()
        #expect(try await comparing.value == .wrong(.ready))
        #expect(fixture.storedCounts == [.integer(1), .integer(1)])
        #expect(fixture.verifier.count == 1)
    }

    @Test("R23: Cancelling while the try is being recorded leaves it counted")
    func cancellingTheRecord() async throws {
        let halfway = try await HalfwayLock(try await LockFixture.enrolled(), schedule: .standard)
        let attempt = Task { await halfway.lock.unlock(with: try LockFixture.wrong) }
        await halfway.isHalfway()
        attempt.cancel()
        halfway.goOn()
        #expect(try await attempt.value == .wrong(.ready))
        for memory in halfway.memories { #expect(memory.tree["passcode.attemptCount"] == .integer(1)) }
    }

    @Test("R23: Cancelling after the record has no effect, so the right passcode is accepted")
    func cancellingTheRightOne() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(2)
        fixture.verifier.onVerify { withUnsafeCurrentTask { $0?.cancel() } }
        let result = await Task { await fixture.lock.unlock(with: try LockFixture.right) }.result
        #expect(try result.get() == .accepted)
        #expect(fixture.storedCounts == [.integer(0), .integer(0)])
        #expect(await fixture.lock.status() == .ready)
    }
}

extension RecordingStorage {
    /// Whether nothing was appended after the last sync or checkpoint.
    fileprivate var isStable: Bool {
        for call in calls.reversed() where call.error == nil {
            switch call.operation {
            case .append(_, .synced), .checkpoint: return true
            case .append(_, .buffered): return false
            default: continue
            }
        }
        return false
    }
}
