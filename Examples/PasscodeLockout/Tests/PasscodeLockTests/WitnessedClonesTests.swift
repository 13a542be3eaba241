import PasscodeLock
import Settle
import Synchronization
import Testing

/// R17, I7: Many clones of a lock's files, and one witness.
@Suite(.timeLimit(.minutes(10))) struct WitnessedClonesTests {
    /// A witness of several processes, which share one memory.
    private func witness(on memory: InMemoryStorage) async throws -> StoredWitness {
        try await StoredWitness(in: try await SettingsStore.open(storage: memory))
    }

    private func clones(
        _ count: Int, of lock: LockFixture, witness: any RollbackWitness
    ) async throws -> [LockFixture] {
        var clones: [LockFixture] = []
        for _ in 0..<count {
            clones.append(try await LockFixture(loading: lock.trees, time: lock.time, witness: witness))
        }
        return clones
    }

    private func guessAtOnce(_ clones: [LockFixture]) async throws {
        try await withThrowingTaskGroup { group in
            for clone in clones { group.addTask { try await clone.guessWrong() } }
            try await group.waitForAll()
        }
    }

    @Test("R17, I7: Of 24 clones asked at once, one compares for each number", arguments: 1...4)
    func atOnce(_ rounds: Int) async throws {
        let witness = GatedWitness(24)
        let before = try await LockFixture.enrolled(witness: witness)
        let clones = try await clones(24, of: before, witness: witness)
        for round in 1...rounds {
            await witness.gather(clones.count)
            try await guessAtOnce(clones)
            #expect(clones.map(\.verifier.count).reduce(0, +) <= round)
        }
        #expect(clones.map(\.verifier.count).reduce(0, +) >= 1)
        // A clone that continues has counted all of them.
        let compared = clones.map(\.verifier.count).reduce(0, +)
        for clone in clones where await clone.lock.status() == .ready {
            let before = clone.verifier.count
            try await clone.guessWrong()
            guard clone.verifier.count > before else { continue }
            #expect(await clone.lock.attemptCount.map { $0 > compared } == true)
        }
    }

    @Test("R17: A stored witness takes each number once, from any caller")
    func compareAndSet() async throws {
        let memory = InMemoryStorage()
        let witnesses = [try await witness(on: memory), try await witness(on: InMemoryStorage(sharing: memory))]
        for number in 1...20 {
            let taken = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<8 {
                    group.addTask { (try? await witnesses[index % 2].advance(to: number)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
        }
    }

    @Test("R17: A success is reported only by the clone that the witness knows")
    func success() async throws {
        let witness = try await witness(on: InMemoryStorage())
        let before = try await LockFixture.enrolled(witness: witness)
        let clone = Mutex<LockFixture?>(nil)
        let results = Mutex<[AttemptResult]>([])
        before.verifier.onVerify {
            // What was counted is copied, and the copy is faster.
            guard let copy = try? await before.afterCrash(witness: witness), let right = try? LockFixture.right else {
                return
            }
            clone.withLock { $0 = copy }
            let result = await copy.lock.unlock(with: right)
            results.withLock { $0.append(result) }
        }
        let result = await before.lock.unlock(with: try LockFixture.right)
        #expect(results.withLock { $0 } == [.accepted])
        guard case .refused(.unavailable(.rolledBack)) = result else {
            Issue.record("Two clones were opened: \(result).")
            return
        }
        let copy = try #require(clone.withLock { $0 })
        #expect(await copy.lock.unlock(with: try LockFixture.right) == .accepted)
    }

    @Test("R17: Healing one copy again and again gets no clone ahead of its witness", arguments: [true, false])
    func healing(_ isWitnessed: Bool) async throws {
        let witness = try await witness(on: InMemoryStorage())
        let before = try await LockFixture.enrolled(witness: witness)
        var trees = before.trees
        for round in 0..<6 {
            if round % 2 == 0 { trees.0 = SettingTree() } else { trees.1["passcode.checksum"] = .string("0") }
            let clone = try await LockFixture(loading: trees, time: before.time, witness: isWitnessed ? witness : nil)
            trees = clone.trees
            #expect(trees.0["passcode.id"] == trees.1["passcode.id"])
        }
        #expect(trees.0["passcode.generation"] == before.trees.0["passcode.generation"])
        try await before.guessWrong()
        let clone = try await LockFixture(loading: trees, time: before.time, witness: witness)
        guard case .refused(.unavailable(.rolledBack)) = await clone.lock.unlock(with: try LockFixture.right) else {
            Issue.record("A healed clone passed for the lock.")
            return
        }
    }

    @Test(
        "R17: One copy restored to before a success is not taken for a crash, as the witness knows", arguments: [0, 1])
    func oneCopyPutBack(_ copy: Int) async throws {
        let witness = try await witness(on: InMemoryStorage())
        let before = try await LockFixture.enrolled(witness: witness)
        try await before.guessWrong(3)
        let counted = Mutex<(SettingTree, SettingTree)?>(nil)
        before.verifier.onVerify { counted.withLock { $0 = before.trees } }
        #expect(await before.lock.unlock(with: try LockFixture.right) == .accepted)
        let during = try #require(counted.withLock { $0 })
        let trees = copy == 0 ? (before.trees.0, during.1) : (during.0, before.trees.1)
        let fixture = try await LockFixture(loading: trees, time: before.time, witness: witness)
        #expect(await fixture.lock.attemptCount == 0)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
    }

    @Test("R17: A crash anywhere between the copies and the witness locks nobody out", arguments: 0...3)
    func crash(_ stage: Int) async throws {
        let witness = try await witness(on: InMemoryStorage())
        let before = try await LockFixture.enrolled(witness: witness)
        try await before.guessWrong()
        let old = before.trees
        // Without its witness: both copies are one write ahead of it.
        let ahead = try await before.afterCrash()
        try await ahead.guessWrong()
        let trees = [old, (ahead.trees.0, old.1), (old.0, ahead.trees.1), ahead.trees][stage]
        let fixture = try await LockFixture(loading: trees, time: before.time, witness: witness)
        #expect(await fixture.lock.attemptCount == (stage == 0 ? 1 : 2))
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        #expect(await !fixture.lock.auditRecords.contains { $0.event == .tampering })
    }
}

/// A witness that lets a number of callers read the same number before it takes the first new one.
private actor GatedWitness: RollbackWitness {
    private var last = 0
    private var missing = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ callers: Int) {}

    /// The next so many questions are answered together.
    func gather(_ callers: Int) { missing = callers }

    func generation() async throws -> Int {
        let answer = last
        guard missing > 0 else { return answer }
        missing -= 1
        if missing > 0 {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            for caller in waiting { caller.resume() }
            waiting = []
        }
        return answer
    }

    func advance(to generation: Int) throws {
        guard generation > last else { throw WitnessRefusal(generation, witnessed: last) }
        last = generation
    }
}
