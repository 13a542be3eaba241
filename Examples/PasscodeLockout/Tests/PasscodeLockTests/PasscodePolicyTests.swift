import Foundation
import Settle
import SettleTesting
import Testing

@testable import PasscodeLock

/// The policy, which makes a lock stricter and never milder.
@Suite(.timeLimit(.minutes(10))) struct PasscodePolicyTests {
    /// A lock in files, whose settings file somebody edits.
    private static func inFiles(
        guesses: Int, _ body: (AttackScene, _ write: (String) throws -> Void) async throws -> Void
    ) async throws {
        try await AttackScene.run(guesses: guesses) { scene in
            try await body(scene) { try scene.folder.write(Data($0.utf8), to: "settings.json") }
        }
    }

    private static func policy(_ limit: String) -> String { "// mine\n{\"policy\": {\"attemptLimit\": \(limit)}}\n" }

    // MARK: The limit of guesses

    @Test("Without a policy the schedule decides, whichever it is") func schedule() async throws {
        for count in [3, 20, 40] {
            let schedule = LockSchedule(Array(repeating: .zero, count: count))
            #expect(try await LockFixture(schedule: schedule).lock.limit == count)
        }
    }

    @Test("R11: A limit ends the schedule early, and no later than it ends itself", arguments: [1, 3, 20])
    func limit(_ limit: Int) async throws {
        for count in [5, 40] {
            let fixture = try await LockFixture.enrolled(schedule: LockSchedule(Array(repeating: .zero, count: count)))
            let policy = fixture.lock.policy
            // A value that equals the default is only stored over another one.
            try await policy.commit { policy.attemptLimit = 2 }
            try await policy.commit { policy.attemptLimit = limit }
            #expect(fixture.lock.limit == min(limit, count))
            for number in 1...min(limit, count) {
                let result = await fixture.lock.unlock(with: try LockFixture.anotherWrong())
                #expect(result == .wrong(number == min(limit, count) ? .exhausted : .ready))
            }
            #expect(await fixture.lock.unlock(with: try LockFixture.right) == .refused(.exhausted))
            #expect(fixture.verifier.count == min(limit, count))
            #expect(await fixture.lock.auditRecords.last?.event == .exhausted)
        }
    }

    @Test("The right passcode as the last guess that a limit allows opens the lock") func lastGuess() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.lock.policy.commit { fixture.lock.policy.attemptLimit = 3 }
        try await fixture.guessWrong(2)
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        #expect(await fixture.lock.attemptCount == 0)
    }

    @Test("A limit below the count exhausts the lock, which is no tampering; raised again, the schedule's wait holds")
    func belowTheCount() async throws {
        let fixture = try await LockFixture.enrolled()
        let policy = fixture.lock.policy
        try await fixture.guessWrong(5)
        try await policy.commit { policy.attemptLimit = 3 }
        #expect(await fixture.lock.status() == .exhausted)
        #expect(await (try fixture.afterCrash()).lock.status() == .exhausted)
        fixture.time.advance(by: .seconds(20))
        try await policy.commit { policy.attemptLimit = 20 }
        #expect(await fixture.lock.status() == .delayed(remaining: .seconds(40), level: 1))
        #expect(await !fixture.lock.auditRecords.contains { $0.event == .tampering })
    }

    @Test("R16: The last guess under a limit leaves the schedule's wait, so that a raised limit skips none")
    func raised() async throws {
        let fixture = try await LockFixture.enrolled()
        let policy = fixture.lock.policy
        try await policy.commit { policy.attemptLimit = 5 }
        try await fixture.guessWrong(5)
        #expect(await fixture.lock.status() == .exhausted)
        try policy.reset()
        try await fixture.first.store.flush()
        #expect(await fixture.lock.status() == .delayed(remaining: .seconds(60), level: 1))
        fixture.time.reboot()
        let next = try await fixture.afterCrash()
        #expect(await next.lock.status() == .delayed(remaining: .seconds(60), level: 1))
    }

    // MARK: Values that nobody may choose

    @Test("No milder value is taken, from a program or by key", arguments: [-1, 0, 21, 100, .max])
    func mildLimits(_ limit: Int) async throws {
        let fixture = try await LockFixture.enrolled()
        let policy = fixture.lock.policy
        #expect(throws: SettingsError.self) { try policy.$attemptLimit.set(limit) }
        #expect(throws: SettingsError.self) {
            try fixture.first.store.keys.setValue(limit, forKey: "policy.attemptLimit")
        }
        policy.attemptLimit = limit
        policy.minimumLength = 3
        #expect(fixture.lock.limit == 20 && policy.minimumLength == 4)
    }

    @Test(
        "A value in the file that is milder, or none, leaves the last good one in force, and without one the standard",
        arguments: ["100", "21", "0", "-1", "4.5", "\"all\"", "[]", "{\"a\": 1}", "1e99"])
    func unusable(_ value: String) async throws {
        try await Self.inFiles(guesses: 3) { scene, write in
            try write(Self.policy(value))
            try await scene.use { process in
                #expect(process.lock.limit == 20)
                let status = await process.lock.status()
                #expect(status == .ready)
            }
            try write(Self.policy("3"))
            // The next save keeps it, such as that of a try.
            try await scene.use { process in
                #expect(process.lock.limit == 3)
                let policy = process.lock.policy
                try await policy.commit { policy.minimumLength = 5 }
            }
            try write(Self.policy(value))
            // Twice, because the first process finds the edit, and the second what is left of it.
            for _ in 1...2 {
                try await scene.expectHeld(atLeast: .exhausted, count: 3)
                try await scene.use { process in #expect(process.lock.limit == 3) }
            }
            try write("{}")
            try await scene.use { process in #expect(process.lock.limit == 20) }
        }
    }

    @Test("A settings file that can't be read leaves the policy and the lock as they were", arguments: ["", "{", "[]"])
    func unreadable(_ text: String) async throws {
        try await Self.inFiles(guesses: 3) { scene, write in
            try write(Self.policy("3"))
            // A save makes the journal know the policy.
            try await scene.use { process in
                let policy = process.lock.policy
                try await policy.commit { policy.minimumLength = 6 }
            }
            try write(text)
            for _ in 1...2 {
                try await scene.expectHeld(atLeast: .exhausted, count: 3)
                try await scene.use { process in #expect(process.lock.limit == 3) }
            }
        }
    }

    @Test("Whatever becomes of the settings file, the lock is no milder than without a policy") func lost() async throws
    {
        for isJournalLost in [false, true] {
            try await Self.inFiles(guesses: 5) { scene, write in
                try write(Self.policy("5"))
                try await scene.expectHeld(atLeast: .exhausted)
                try scene.folder.remove("settings.json")
                if isJournalLost { try scene.folder.remove(".settings.json.journal") }
                try await scene.expectHeld()
                try await scene.use { process in
                    let status = await process.lock.status()
                    #expect(status == AttackScene.delayed)
                }
            }
        }
    }

    // MARK: Following it

    @Test("R22: A policy that is edited while the program runs is published, and holds for the next try")
    func following() async throws {
        try await Self.inFiles(guesses: 3) { scene, write in
            try await scene.use { process in
                var statuses = await process.lock.statuses().makeAsyncIterator()
                #expect(await statuses.next() == .ready)
                try write(Self.policy("3"))
                #expect(await statuses.next() == .exhausted)
                let refused = await process.lock.unlock(with: try LockFixture.right)
                #expect(refused == .refused(.exhausted))
                try write(Self.policy("4"))
                #expect(await statuses.next() == .ready)
                let wrong = await process.lock.unlock(with: try LockFixture.anotherWrong())
                #expect(wrong == .wrong(.exhausted))
                #expect(await statuses.next() == .exhausted)
                // What is in the file is its owner's text.
                #expect(
                    String(decoding: try scene.folder.bytes(of: "settings.json"), as: UTF8.self).hasPrefix("// mine"))
            }
        }
    }

    @Test("R22: A policy that changes during a comparison is published with its result") func duringATry() async throws
    {
        let fixture = try await LockFixture.enrolled()
        let policy = fixture.lock.policy
        var statuses = await fixture.lock.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .ready)
        try await fixture.guessWrong(1)
        fixture.verifier.onVerify { try? await policy.commit { policy.attemptLimit = 2 } }
        #expect(await fixture.lock.unlock(with: try LockFixture.anotherWrong()) == .wrong(.exhausted))
        #expect(await statuses.next() == .exhausted)
    }

    @Test("Two stores with names exchanged have the first one's policy") func exchanged() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.lock.policy.commit { fixture.lock.policy.attemptLimit = 3 }
        let other = try await LockFixture(loading: (fixture.trees.1, fixture.trees.0), time: fixture.time)
        #expect(other.lock.limit == 20)
    }

    @Test("A policy may be at another path, and several locks may share one") func paths() async throws {
        let (first, second) = (try await LockPlace(SettingTree()), try await LockPlace(SettingTree()))
        var locks: [PasscodeLockout] = []
        for (path, policy) in [("a", "rules"), ("b", "rules"), ("c", "policy")] {
            locks.append(
                try await PasscodeLockout(
                    in: first.store, and: second.store, at: path, policyAt: policy, time: SimulatedTime(),
                    verifier: TestVerifier()))
        }
        try first.store.keys.setValue(7, forKey: "rules.attemptLimit")
        #expect(locks.map(\.limit) == [7, 7, 20])
    }

    // MARK: The length of a passcode

    @Test("A longer minimum is asked of new passcodes, and not of the present one") func minimumLength() async throws {
        let fixture = try await LockFixture.enrolled()
        let policy = fixture.lock.policy
        try await policy.commit { policy.minimumLength = 6 }
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        let before = fixture.verifier.count
        await #expect(throws: PasscodeError.tooShort(minimum: 6)) {
            try await fixture.lock.enrol(Passcode("short"), replacing: LockFixture.right)
        }
        #expect(fixture.verifier.count == before && fixture.storedCounts == [.integer(0), .integer(0)])
        #expect(try await fixture.lock.enrol(Passcode("longer"), replacing: LockFixture.right) == .accepted)
        #expect(await fixture.lock.unlock(with: try Passcode("longer")) == .accepted)
    }

    @Test("The first passcode must be long enough, too, in characters") func firstPasscode() async throws {
        let fixture = try await LockFixture()
        let policy = fixture.lock.policy
        try await policy.commit { policy.minimumLength = 5 }
        for text in ["2580", "\u{E9}\u{E9}\u{E9}\u{E9}", "e\u{301}e\u{301}e\u{301}e\u{301}"] {
            await #expect(throws: PasscodeError.tooShort(minimum: 5)) { try await fixture.lock.enrol(Passcode(text)) }
        }
        #expect(await fixture.lock.status() == .unavailable(.notEnrolled))
        #expect(try await fixture.lock.enrol(Passcode("\u{E9}2580")) == .accepted)
    }

    @Test("The longest minimum that may be chosen has room in every passcode's bytes") func longestMinimum()
        async throws
    {
        let fixture = try await LockFixture()
        let policy = fixture.lock.policy
        #expect(throws: SettingsError.self) { try policy.$minimumLength.set(65) }
        try await policy.commit { policy.minimumLength = 64 }
        #expect(try await fixture.lock.enrol(Passcode(String(repeating: "\u{1F512}", count: 64))) == .accepted)
    }

    // MARK: Whose it is

    @Test("R19: The policy may be written by key, the lock's values by nobody") func access() async throws {
        let fixture = try await LockFixture.enrolled()
        let store = fixture.first.store
        try store.keys.setValue(5, forKey: "policy.attemptLimit")
        #expect(fixture.lock.limit == 5)
        #expect(throws: SettingsError.self) { try store.keys.setValue(0, forKey: "passcode.attemptCount") }
        #expect(store.keys.setting(forKey: "policy.attemptLimit")?.category == .configuration)
        #expect(store.keys.setting(forKey: "passcode.attemptCount")?.category == .state)
        try store.reset()
        #expect(fixture.lock.limit == 20 && fixture.storedCounts == [.integer(0), .integer(0)])
    }
}
