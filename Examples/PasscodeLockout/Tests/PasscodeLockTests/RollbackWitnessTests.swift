import PasscodeLock
import Settle
import SettleTesting
import Testing

/// R17: Attacks that plain files can't resist, and the witness that notices them.
@Suite(.timeLimit(.minutes(10))) struct RollbackWitnessTests {
    private func witness(_ storage: any Storage = InMemoryStorage()) async throws -> StoredWitness {
        try await StoredWitness(in: try await SettingsStore.open(storage: storage))
    }

    @Test("R17: An old copy of both files is noticed, and refused, only with a witness")
    func rollback() async throws {
        let memory = InMemoryStorage()
        let witness = try await witness(memory)
        let before = try await LockFixture.enrolled(witness: witness)
        let old = before.trees
        try await before.guessWrong(5)
        // Without a witness nothing distinguishes these from the newest files.
        let fooled = try await LockFixture(loading: old, time: before.time)
        #expect(await fooled.lock.status() == .ready)
        let fixture = try await LockFixture(
            loading: old, time: before.time, witness: try await self.witness(InMemoryStorage(memory.tree)))
        guard case .refused(.unavailable(.rolledBack)) = await fixture.lock.unlock(with: try LockFixture.right) else {
            Issue.record("an old copy was trusted")
            return
        }
        #expect(fixture.verifier.count == 0)
        #expect(await fixture.lock.auditRecords.last?.event == .tampering)
    }

    @Test("R17: With a witness, removed files are no first run")
    func removal() async throws {
        let witness = try await witness()
        _ = try await LockFixture.enrolled(witness: witness)
        let fixture = try await LockFixture(witness: witness)
        guard case .unavailable(.rolledBack) = await fixture.lock.status() else {
            Issue.record("a removed lock passed for a new one")
            return
        }
        guard case .refused(.unavailable(.rolledBack)) = try await fixture.lock.enrol(LockFixture.wrong) else {
            Issue.record("a removed lock could be enrolled again")
            return
        }
    }

    @Test("R17: The witness advances after the files and before the comparison; a crash in between is no rollback")
    func order() async throws {
        let witness = OrderedWitness()
        let fixture = try await LockFixture.enrolled(witness: witness)
        fixture.verifier.onVerify { await witness.note("compared", fixture.storedCounts) }
        await witness.follow(fixture)
        try await fixture.guessWrong()
        #expect(await witness.notes == ["advanced at 1", "compared at 1"])
        // A crash before the witness was informed: its number is behind, never ahead.
        let behind = OrderedWitness(await witness.last - 1)
        #expect(await (try fixture.afterCrash(witness: behind)).lock.status() == .ready)
    }

    @Test("R3, R17: No passcode is compared if the witness can't be read or advanced", arguments: [true, false])
    func failing(_ isAsked: Bool) async throws {
        let witness = OrderedWitness()
        let fixture = try await LockFixture.enrolled(witness: witness)
        await witness.fail(asked: isAsked)
        guard case .refused(.unavailable(.noWitness)) = await fixture.lock.unlock(with: try LockFixture.right) else {
            Issue.record("a try went on without its witness")
            return
        }
        #expect(fixture.verifier.count == 0)
        await witness.fail(asked: nil)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
    }

    @Test("A stored witness never goes back, and does not trust a file with losses")
    func storedWitness() async throws {
        let memory = InMemoryStorage()
        let witness = try await witness(memory)
        #expect(try await witness.generation() == 0)
        try await witness.advance(to: 7)
        for number in [3, 7] {
            await #expect(throws: WitnessRefusal(number, witnessed: 7)) { try await witness.advance(to: number) }
        }
        #expect(try await witness.generation() == 7)
        let outcome = StorageContents.Outcome.recovered(description: "It was damaged.", isComplete: false)
        let lossy = try await self.witness(LossyStorage(InMemoryStorage(memory.tree), outcome))
        await #expect(throws: WitnessError.self) { try await lossy.generation() }
        await #expect(throws: WitnessError.self) { try await lossy.advance(to: 8) }
    }
}

/// An in-memory witness that records the order of events, and fails on request.
private actor OrderedWitness: RollbackWitness {
    private struct Failure: Error {}

    private(set) var last: Int
    private(set) var notes: [String] = []
    private var fixture: LockFixture?
    private var failsAsked: Bool?

    init(_ generation: Int = 0) {
        last = generation
    }

    func follow(_ fixture: LockFixture) {
        self.fixture = fixture
    }

    func fail(asked: Bool?) {
        failsAsked = asked
    }

    func note(_ what: String, _ counts: [SettingValue?]) {
        guard case .integer(let count)? = counts.first, counts == [.integer(count), .integer(count)] else {
            notes.append("\(what) while the copies differ")
            return
        }
        notes.append("\(what) at \(count)")
    }

    func generation() throws -> Int {
        if failsAsked == true { throw Failure() }
        return last
    }

    func advance(to generation: Int) throws {
        if failsAsked == false { throw Failure() }
        guard generation > last else { throw WitnessRefusal(generation, witnessed: last) }
        last = generation
        if let fixture { note("advanced", fixture.storedCounts) }
    }
}
