import PasscodeLock
import Settle
import Synchronization
import Testing

/// R18: Copies that can't come from one crash of one lock.
@Suite(.timeLimit(.minutes(10))) struct MixedCopiesTests {
    /// Without waits.
    private static let schedule = LockSchedule(Array(repeating: .zero, count: 40))

    /// The copies of a lock after each of its writes, oldest first.
    private static func history(_ number: Int) async throws -> [(SettingTree, SettingTree)] {
        let fixture = try await LockFixture(schedule: schedule)
        _ = try await fixture.lock.enrol(Passcode("right \(number)"))
        var history = [fixture.trees]
        for step in 0..<6 {
            try await fixture.guessWrong()
            history.append(fixture.trees)
            guard step == number % 6 else { continue }
            let result = try await fixture.lock.enrol(
                Passcode("right \(number) anew"), replacing: Passcode("right \(number)"))
            #expect(result == .accepted)
            history.append(fixture.trees)
        }
        return history
    }

    private func expectMismatch(
        _ trees: (SettingTree, SettingTree), _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let fixture = try await LockFixture(loading: trees)
        for passcode in ["right 1", "right 0", "right 0 anew", "right 1 anew"] {
            let result = await fixture.lock.unlock(with: try Passcode(passcode))
            guard case .refused(.unavailable(.mismatched)) = result else {
                Issue.record("\(comment): \(result)", sourceLocation: sourceLocation)
                continue
            }
        }
        #expect(fixture.verifier.count == 0, comment, sourceLocation: sourceLocation)
        #expect(try await fixture.lock.enrol(LockFixture.wrong) != .accepted, comment, sourceLocation: sourceLocation)
        // Neither has been overwritten: the right one may be restored beside it.
        for key: SettingKey in ["passcode.id", "passcode.verifier", "passcode.attemptCount"] {
            #expect(fixture.trees.0[key] == trees.0[key] && fixture.trees.1[key] == trees.1[key], comment)
        }
        #expect(await fixture.lock.auditRecords.last?.event == .tampering, comment, sourceLocation: sourceLocation)
    }

    @Test("R18: A copy of another lock, opened more often, does not take the lock over", arguments: [0, 1])
    func foreign(_ copy: Int) async throws {
        let (ours, theirs) = (try await Self.history(0), try await Self.history(1))
        let (newest, foreign) = (ours[1], theirs[7])
        try await expectMismatch(copy == 0 ? (foreign.0, newest.1) : (newest.0, foreign.1), "foreign copy \(copy)")
    }

    @Test("R18, I7: Copies from two of ten locks refuse to verify, whatever their generations")
    func mixed() async throws {
        var histories: [[(SettingTree, SettingTree)]] = []
        for number in 0..<10 { histories.append(try await Self.history(number)) }
        for (one, first) in histories.enumerated() {
            for (other, second) in histories.enumerated() where one != other {
                let (step, otherStep) = ((one + 2 * other) % 8, (2 * one + other) % 8)
                try await expectMismatch(
                    (first[step].0, second[otherStep].1), "lock \(one) at \(step) with \(other) at \(otherStep)")
            }
        }
    }

    @Test("R18, I7: Of one lock's history, only copies of one write, or of two successive ones, are taken")
    func oneHistory() async throws {
        let history = try await Self.history(0)
        let generations = history.map { $0.0["passcode.generation"] }
        for (one, first) in history.enumerated() {
            for (other, second) in history.enumerated() {
                guard case .integer(let low)? = generations[min(one, other)],
                    case .integer(let high)? = generations[max(one, other)]
                else { throw LockViolation("There is no generation.") }
                let comment = Comment("\(one) with \(other)")
                guard high - low <= 1 else {
                    try await expectMismatch((first.0, second.1), comment)
                    continue
                }
                let fixture = try await LockFixture(loading: (first.0, second.1), schedule: Self.schedule)
                if case .unavailable(let reason) = await fixture.lock.status() { Issue.record("\(comment): \(reason)") }
                #expect(fixture.trees.0["passcode.id"] == fixture.trees.1["passcode.id"], comment)
                let count = max(Self.count(first.0), Self.count(second.1))
                #expect(await fixture.lock.attemptCount == count, comment)
            }
        }
    }

    private static func count(_ tree: SettingTree) -> Int {
        if case .integer(let count)? = tree["passcode.attemptCount"] { Int(count) } else { -1 }
    }

    @Test("R18, I7: Copies from two clones of one lock refuse to verify, even if both are one write further")
    func clones() async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong()
        let clones = [try await before.afterCrash(), try await before.afterCrash()]
        for clone in clones { try await clone.guessWrong() }
        try await expectMismatch((clones[0].trees.0, clones[1].trees.1), "after one guess in each")
        try await clones[1].guessWrong()
        try await expectMismatch((clones[0].trees.0, clones[1].trees.1), "after another in one")
        try await expectMismatch((clones[1].trees.0, clones[0].trees.1), "after another in one")
    }

    @Test(
        "R18: After a crash in the middle of a change of passcode the new one is in force, and the tries count",
        arguments: [0, 1])
    func crashDuringChange(_ copy: Int) async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(3)
        let counted = Mutex<(SettingTree, SettingTree)?>(nil)
        before.verifier.onVerify { counted.withLock { $0 = before.trees } }
        #expect(try await before.lock.enrol(Passcode("right anew"), replacing: LockFixture.right) == .accepted)
        let during = try #require(counted.withLock { $0 })
        let trees = copy == 0 ? (before.trees.0, during.1) : (during.0, before.trees.1)
        for passcode in ["right", "right anew"] {
            let fixture = try await LockFixture(loading: trees, time: before.time)
            #expect(await fixture.lock.attemptCount == 4)
            let result = await fixture.lock.unlock(with: try Passcode(passcode))
            #expect((result == .accepted) == (passcode == "right anew"))
            #expect(await !fixture.lock.auditRecords.contains { $0.event == .tampering })
        }
    }

    @Test("R18: A running lock does not give up its state for a copy of another lock, and writes it again")
    func foreignWhileItRuns() async throws {
        let (ours, theirs) = (try await LockFixture.enrolled(), try await Self.history(1))
        try await ours.guessWrong(2)
        ours.first.memory.simulateExternalChange(theirs[7].0)
        #expect(await ours.lock.unlock(with: try Passcode("right 1 anew")) == .wrong(.ready))
        #expect(ours.storedCounts == [.integer(3), .integer(3)])
        ours.first.memory.simulateExternalChange(theirs[7].0)
        ours.second.memory.simulateExternalChange(theirs[7].1)
        let result = await ours.lock.unlock(with: try Passcode("right 1"))
        #expect(result == .wrong(.ready))
        #expect(ours.storedCounts == [.integer(4), .integer(4)])
        #expect(await ours.lock.auditRecords.contains { $0.event == .tampering })
    }
}
