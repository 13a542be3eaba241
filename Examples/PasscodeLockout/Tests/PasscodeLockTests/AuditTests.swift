import Foundation
import Settle
import Testing

@testable import PasscodeLock

/// R25: Every failure and lockout leaves a record.
@Suite(.timeLimit(.minutes(10))) struct AuditTests {
    @Test("R25: Every try, wait and success is recorded in order")
    func records() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(4)
        fixture.verifier.setFailing(true)
        try await fixture.guessWrong()
        fixture.verifier.setFailing(false)
        fixture.time.advance(by: .seconds(60))
        _ = await fixture.lock.unlock(with: try LockFixture.right)
        let next = try await fixture.afterCrash()
        let records = await next.lock.auditRecords
        #expect(records.map(\.number) == Array(1...9))
        #expect(
            records.map(\.event) == [
                .enrolled, .attempt, .attempt, .attempt, .attempt, .attempt, .delayed, .attempt, .accepted,
            ])
        #expect(records.map(\.outcome) == [nil, .wrong, .wrong, .wrong, .wrong, .failed, nil, nil, nil])
        #expect(records[5].attemptCount == 5 && records[6].wait == .seconds(60))
    }

    @Test("R25: The last guess is recorded as the last")
    func exhausted() async throws {
        let fixture = try await LockFixture.enrolled(schedule: LockSchedule([.zero, .zero]))
        try await fixture.guessWrong(2)
        #expect(await fixture.lock.auditRecords.suffix(2).map(\.event) == [.attempt, .exhausted])
    }

    @Test("R25: Throttled tries, however many, push out no record")
    func throttled() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        let before = await fixture.lock.auditRecords
        for _ in 0..<40 { _ = await fixture.lock.unlock(with: try LockFixture.right) }
        #expect(await fixture.lock.auditRecords == before)
    }

    @Test("R25: The newest 100 records are kept, with continuing numbers")
    func limit() async throws {
        let fixture = try await LockFixture.enrolled(schedule: LockSchedule(Array(repeating: .zero, count: 100)))
        for _ in 0..<2 {
            try await fixture.guessWrong(60)
            #expect(await fixture.lock.unlock(with: try LockFixture.right) == .accepted)
        }
        let records = await fixture.lock.auditRecords
        #expect(records.count == 100)
        #expect(records.last?.number == 125)
    }

    @Test("R25: A finding is recorded once, as long as nothing else happens")
    func repeatedTampering() async throws {
        let before = try await LockFixture.enrolled()
        var trees = before.trees
        for key in ["passcode.attemptCount", "passcode.checksum"] {
            trees.0[key] = .integer(0)
            trees.1[key] = .integer(0)
        }
        let fixture = try await LockFixture(loading: trees, time: before.time)
        let records = await fixture.lock.auditRecords
        for _ in 0..<10 { _ = await fixture.lock.unlock(with: try LockFixture.right) }
        #expect(await fixture.lock.auditRecords == records)
        #expect(records.last?.event == .tampering)
    }

    @Test("R18, R25: Edited audit records are left out and replaced; the tries count as before", arguments: 1...3)
    func edited(_ copies: Int) async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(5)
        // The outcome of the last try may still be on its way to the second copy.
        for place in [before.first, before.second] { try await place.store.flush() }
        var trees = before.trees
        let edited = SettingValue.array([
            .dictionary(["number": .integer(99), "event": .string("accepted"), "date": .date(Date())])
        ])
        if copies & 1 != 0 { trees.0["passcode.audit"] = edited }
        if copies & 2 != 0 { trees.1["passcode.audit"] = edited }
        let fixture = try await LockFixture(loading: trees, time: before.time)
        #expect(await fixture.lock.status() == .delayed(remaining: .seconds(60), level: 1))
        let records = await fixture.lock.auditRecords
        #expect(records.map(\.number) == Array(1...(copies == 3 ? 2 : 8)))
        #expect(!records.contains { $0.event == .accepted })
        #expect(records.last?.detail == "The audit records of copy \(copies == 1 ? 1 : 2) have been changed.")
        // Both copies are good again.
        let next = try await fixture.afterCrash()
        #expect(await next.lock.auditRecords == records)
    }

    @Test("R18, R25: Audit records of another lock are not taken over, however many there are")
    func foreign() async throws {
        let (before, other) = (try await LockFixture.enrolled(), try await LockFixture.enrolled())
        try await before.guessWrong()
        try await other.guessWrong(4)
        var trees = before.trees
        for key: SettingKey in ["passcode.audit", "passcode.auditChecksum"] { trees.1[key] = other.trees.1[key] }
        let fixture = try await LockFixture(loading: trees, time: before.time)
        let records = await fixture.lock.auditRecords
        #expect(records.map(\.event) == [.enrolled, .attempt, .tampering])
    }

    @Test("R16, R25: An impossible record number, even with a valid checksum, does not stop further records")
    func impossibleNumber() async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong()
        var trees = before.trees
        for number in [Int.min, 0, .max] {
            let forged = AuditRecord(.accepted, number: number, date: Date(timeIntervalSince1970: 0))
            guard case .string(let lock)? = trees.0["passcode.lock"] else { throw LockViolation("no name") }
            trees.0["passcode.audit"] = .array([
                .dictionary([
                    "number": .integer(Int64(number)), "event": .string("accepted"),
                    "date": .date(Date(timeIntervalSince1970: 0)),
                ])
            ])
            trees.0["passcode.auditChecksum"] = .string(AuditLog.checksum(of: [forged], for: lock))
            trees.1["passcode.audit"] = trees.0["passcode.audit"]
            trees.1["passcode.auditChecksum"] = trees.0["passcode.auditChecksum"]
            let fixture = try await LockFixture(loading: trees, time: before.time)
            try await fixture.guessWrong()
            let records = await fixture.lock.auditRecords
            #expect(records.map(\.number) == [1])
            #expect(records.last?.event == .attempt && records.last?.attemptCount == 2)
        }
    }

    @Test("New records are delivered, attempts again with their outcome, including those of other processes")
    func following() async throws {
        let fixture = try await LockFixture.enrolled()
        var records = fixture.lock.newAuditRecords().makeAsyncIterator()
        try await fixture.guessWrong()
        var record = await records.next()
        if record?.outcome == nil { record = await records.next() }
        #expect(record?.number == 2 && record?.outcome == .wrong)
        // Outcomes are stored a moment later.
        for place in [fixture.first, fixture.second] { try await place.store.flush() }
        let other = try await fixture.afterCrash()
        try await other.guessWrong(4)
        for place in [other.first, other.second] { try await place.store.flush() }
        fixture.first.memory.simulateExternalChange(other.first.memory.tree)
        fixture.second.memory.simulateExternalChange(other.second.memory.tree)
        for number in 3...7 {
            record = await records.next()
            #expect(record?.number == number)
            #expect(record?.outcome == (number < 7 ? .wrong : nil))
        }
    }
}
