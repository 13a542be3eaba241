import Settle
import SettleTesting
import Synchronization
import Testing

@testable import PasscodeLock

/// Copies of a lock that are missing, damaged, old, or in disagreement.
@Suite(.timeLimit(.minutes(10))) struct LockCopiesTests {
    private let delayed = LockStatus.delayed(remaining: .seconds(60), level: 1)

    /// A lock after five wrong guesses and damage to its copies.
    private func lock(_ damage: (inout SettingTree, inout SettingTree) -> Void) async throws -> LockFixture {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(5)
        var trees = before.trees
        damage(&trees.0, &trees.1)
        return try await LockFixture(loading: trees, time: before.time)
    }

    static let damages: [[SettingKey: SettingValue?]] = [
        ["passcode.attemptCount": nil],
        ["passcode.attemptCount": .string("none")],
        ["passcode.attemptCount": .integer(-1)],
        ["passcode.attemptCount": .integer(4)],
        ["passcode.attemptCount": .integer(101)],
        ["passcode.attemptCount": .integer(.max)],
        ["passcode.verifier": nil],
        ["passcode.verifier.key": .string("AAAA")],
        ["passcode.wait": nil],
        ["passcode.wait": .string("over")],
        ["passcode.wait.length": .string("1s")],
        ["passcode.wait.start": .string("0s")],
        // More than arithmetic can handle.
        ["passcode.wait.length": .string("99999999999999999999s")],
        ["passcode.wait.start": .string("-99999999999999999999s")],
        ["passcode.wait.start": .string("170000000000000000000s")],
        ["passcode.generation": .integer(.min)],
        ["passcode.wait.bootID": .string("another")],
        ["passcode.generation": .integer(99)],
        ["passcode.generation": nil],
        ["passcode.version": .integer(2)],
        ["passcode.version": nil],
        ["passcode.checksum": nil],
        ["passcode.checksum": .string("0")],
        ["passcode.attemptCount": nil, "passcode.verifier": nil, "passcode.checksum": nil],
    ]

    @Test("R3: A lock with impossible values in both copies refuses to verify, with its own error", arguments: damages)
    func failsClosed(_ damage: [SettingKey: SettingValue?]) async throws {
        let fixture = try await lock { first, second in
            for (key, value) in damage {
                first[key] = value
                second[key] = value
            }
        }
        fixture.time.advance(by: .seconds(3_600))
        guard case .refused(.unavailable(.damaged)) = await fixture.lock.unlock(with: try LockFixture.right) else {
            Issue.record("damaged state was trusted")
            return
        }
        #expect(fixture.verifier.count == 0)
        #expect(try await fixture.lock.enrol(LockFixture.wrong) != .accepted)
        #expect(await fixture.lock.auditRecords.contains { $0.event == .tampering })
    }

    @Test("R18: A damaged copy is ignored and repaired from the other one", arguments: damages, [0, 1])
    func oneDamagedCopy(_ damage: [SettingKey: SettingValue?], _ copy: Int) async throws {
        let fixture = try await lock { first, second in
            for (key, value) in damage {
                if copy == 0 { first[key] = value } else { second[key] = value }
            }
        }
        #expect(await fixture.lock.status() == delayed)
        #expect(fixture.storedCounts == [.integer(5), .integer(5)])
        #expect(await fixture.lock.auditRecords.contains { $0.event == .tampering })
        // The repaired copy is as good as the other.
        var trees = fixture.trees
        if copy == 0 { trees.1 = SettingTree() } else { trees.0 = SettingTree() }
        let next = try await LockFixture(loading: trees, time: fixture.time)
        #expect(await next.lock.status() == delayed)
    }

    @Test("R3, R18, I5: A missing copy makes no difference and is written again", arguments: [0, 1])
    func oneMissingCopy(_ copy: Int) async throws {
        let fixture = try await lock { first, second in
            if copy == 0 { first = SettingTree() } else { second = SettingTree() }
        }
        #expect(await fixture.lock.status() == delayed)
        #expect(fixture.storedCounts == [.integer(5), .integer(5)])
        #expect(await fixture.lock.auditRecords.last?.detail == "Copy \(copy + 1) is missing.")
    }

    @Test(
        "R18: A crash between the copies of a success leaves the stricter one, and is no tampering", arguments: [0, 1])
    func crashBetweenCopies(_ copy: Int) async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(5)
        before.time.advance(by: .seconds(60))
        let counted = Mutex<(SettingTree, SettingTree)?>(nil)
        before.verifier.onVerify { counted.withLock { $0 = before.trees } }
        #expect(await before.lock.unlock(with: try LockFixture.right) == .accepted)
        let during = try #require(counted.withLock { $0 })
        let trees = copy == 0 ? (before.trees.0, during.1) : (during.0, before.trees.1)
        let fixture = try await LockFixture(loading: trees, time: before.time)
        #expect(await fixture.lock.status() == .delayed(remaining: .seconds(300), level: 2))
        #expect(await !fixture.lock.auditRecords.contains { $0.event == .tampering })
    }

    @Test("R16: An impossible record with a valid checksum is read in the strictest way, and is tampering")
    func impossible() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        // The wait began in the future of this boot, because this machine's time starts lower.
        let time = SimulatedTime(uptime: .seconds(10))
        let next = try await LockFixture(loading: fixture.trees, time: time)
        #expect(await next.lock.status() == delayed)
        time.advance(by: .seconds(30))
        #expect(await next.lock.unlock(with: try LockFixture.right) == .refused(delayed))
        #expect(await next.lock.auditRecords.contains { $0.detail == "The stored wait has not begun yet." })
    }

    @Test("R16: Too many tries, even with a valid checksum, mean none are left, and are tampering")
    func tooManyTries() async throws {
        let before = try await LockFixture.enrolled(schedule: LockSchedule(Array(repeating: .zero, count: 40)))
        try await before.guessWrong(21)
        let fixture = try await LockFixture(loading: before.trees, time: before.time)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .refused(.exhausted))
        let sentence = "More tries are stored than are possible: 21 of 20."
        #expect(await fixture.lock.auditRecords.last?.detail == sentence)
    }

    @Test("R16: A negative number of tries means that none are left, even with a valid checksum")
    func negativeTries() async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(3)
        var trees = before.trees
        try await forge(&trees.0) { $0.attemptCount = -1 }
        try await forge(&trees.1) { $0.attemptCount = -1 }
        let fixture = try await LockFixture(loading: trees, time: before.time)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .refused(.exhausted))
        let details = await fixture.lock.auditRecords.map(\.detail)
        #expect(details.contains("A negative number of tries is stored."))
    }

    /// Changes a copy as an attacker would who can compute checksums.
    private func forge(_ tree: inout SettingTree, _ change: (inout LockRecord) -> Void) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(tree))
        var record = try #require(try await store.group(LockSettings.self, at: "passcode").copy.valid)
        change(&record)
        tree["passcode.generation"] = .integer(Int64(record.generation))
        tree["passcode.attemptCount"] = .integer(Int64(record.attemptCount))
        if let wait = record.wait {
            tree["passcode.wait.length"] = .string("\(wait.length.components.seconds)s")
        }
        tree["passcode.checksum"] = .string(record.checksum)
    }

    @Test("R16: A wait longer than any schedule's is damage, even with a valid checksum")
    func endlessWait() async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(5)
        var trees = before.trees
        try await forge(&trees.1) { $0.wait?.length = .seconds(Int64.max) }
        let fixture = try await LockFixture(loading: trees, time: before.time)
        #expect(await fixture.lock.status() == delayed)
        #expect(await fixture.lock.auditRecords.last?.detail == "Copy 2 has an impossible number.")
        trees = before.trees
        try await forge(&trees.0) { $0.wait?.length = LockSchedule.longestWait }
        try await forge(&trees.1) { $0.wait?.length = LockSchedule.longestWait }
        let stricter = try await LockFixture(loading: trees, time: before.time)
        #expect(await stricter.lock.status() == .delayed(remaining: LockSchedule.longestWait, level: 1))
    }

    @Test("R16: An impossible generation is damage, even with a valid checksum", arguments: [.min, 0, .max])
    func impossibleGeneration(_ generation: Int) async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(5)
        var trees = before.trees
        try await forge(&trees.0) { $0.generation = generation }
        let fixture = try await LockFixture(loading: trees, time: before.time)
        #expect(await fixture.lock.status() == delayed)
        #expect(fixture.storedCounts == [.integer(5), .integer(5)])
        #expect(await fixture.lock.auditRecords.last?.detail == "Copy 1 has an impossible number.")
    }

    @Test("R19: No reset, write by key or removal by key lowers the number of tries")
    func resetting() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        for store in [fixture.first.store, fixture.second.store] {
            try store.reset()
            for key in ["passcode.attemptCount", "passcode.wait", "passcode.checksum", "passcode"] {
                #expect(throws: SettingsError.self) { try store.keys.setValue(0, forKey: key) }
                #expect(throws: SettingsError.self) { try store.keys.removeValue(forKey: key) }
            }
        }
        #expect(await fixture.lock.status() == delayed)
        #expect(await (try fixture.afterCrash()).lock.status() == delayed)
    }

    @Test("R21: Damaged and restored state differ from a first run")
    func firstRun() async throws {
        let first = try await LockFixture()
        #expect(await first.lock.status() == .unavailable(.notEnrolled))
        #expect(await first.lock.unlock(with: try LockFixture.right) == .refused(.unavailable(.notEnrolled)))

        let before = try await LockFixture.enrolled()
        let outcomes: [StorageContents.Outcome] = [
            .recovered(description: "The file was damaged.", isComplete: false),
            .removed(description: "The file was removed."),
        ]
        for outcome in outcomes {
            // Both copies have lost something: only an earlier state, or none, is left.
            for trees in [before.trees, (SettingTree(), SettingTree())] {
                let lock = try await lock(trees, found: outcome, time: before.time)
                guard case .unavailable(.damaged) = await lock.status() else {
                    Issue.record("what was restored was trusted: \(outcome)")
                    continue
                }
            }
        }
    }

    private func lock(
        _ trees: (SettingTree, SettingTree), found outcome: StorageContents.Outcome, time: SimulatedTime
    ) async throws -> PasscodeLockout {
        let stores = try await [trees.0, trees.1].asyncMap { tree in
            try await SettingsStore.open(storage: LossyStorage(InMemoryStorage(tree), outcome))
        }
        return try await PasscodeLockout(in: stores[0], and: stores[1], time: time, verifier: TestVerifier())
    }

    @Test("R21: A lock that has lost its newest state also reports it to the next process")
    func lossIsRemembered() async throws {
        let before = try await LockFixture.enrolled()
        let memories = [InMemoryStorage(before.trees.0), InMemoryStorage(before.trees.1)]
        let stores = try await memories.asyncMap { memory in
            let outcome = StorageContents.Outcome.recovered(description: "It was damaged.", isComplete: false)
            return try await SettingsStore.open(storage: LossyStorage(memory, outcome))
        }
        _ = try await PasscodeLockout(in: stores[0], and: stores[1], time: before.time, verifier: TestVerifier())
        let next = try await LockFixture(loading: (memories[0].tree, memories[1].tree), time: before.time)
        let reason = "Copy 1 has lost something: It was damaged. Copy 2 has lost something: It was damaged."
        #expect(await next.lock.status() == .unavailable(.damaged(reason)))
    }

    @Test("A lock needs two stores")
    func oneStore() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        await #expect(throws: SettingsError.self) {
            _ = try await PasscodeLockout(in: store, and: store, time: SimulatedTime())
        }
    }
}
