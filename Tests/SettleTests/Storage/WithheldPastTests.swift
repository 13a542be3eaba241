import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What the history keeps and tells of secrets and of forgotten keys, whoever asks and whatever has failed.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct WithheldPastTests {
    @Test("Withholding a secret that was interrupted is done the next time", arguments: [false, true])
    func interrupted(isKilled: Bool) throws {
        var number = 0
        while true {
            let past = try KeptPast()
            let first = try past.openKeeping()
            try past.write(["hush-1", "hush-2"], to: first)
            try past.renewJournal(first)
            try past.write(["hush-3", "hush-4"], to: first)
            first.close()
            let calls = FaultySystemCalls(synchronizes: false)
            let storage = try past.open(calls)
            calls.forget()
            calls.fail(call: number, with: .error(.noSpace), forGood: true)
            try? storage.withhold(["token"])
            let wasInterrupted = calls.faultCount > 0
            calls.heal()
            if isKilled { calls.endProcess() }
            let next = isKilled ? try past.open() : storage
            try next.withhold(["token"])
            #expect(try past.files(with: "hush-1") == [], "interrupted at call \(number)")
            // The journal says what the file has.
            #expect(try !past.files(with: "hush-2").contains(KeptPast.history), "interrupted at call \(number)")
            #expect(try past.files(with: "hush-3") == [], "interrupted at call \(number)")
            #expect(try next.toldTexts() == [], "interrupted at call \(number)")
            #expect(try next.records(before: nil, limit: 9).count == 4, "interrupted at call \(number)")
            guard wasInterrupted else { break }
            number += 1
        }
        #expect(number > 5)
    }

    @Test("Nobody tells a secret's values that are still kept, nor keeps them on") func stillKept() throws {
        let past = try KeptPast()
        let first = try past.openKeeping()
        let start = try #require(first.token)
        try past.write(["hush-1", "hush-2"], to: first)
        try past.renewJournal(first)
        try past.write(["hush-3"], to: first)
        let witness = try past.open(journalLimit: 1 << 20)
        try past.write(["hush-4"], to: first)
        _ = try witness.externalChanges()
        past.fixture.calls.fail(every: .rename, with: .noSpace)
        #expect(throws: StorageError.self) { try first.withhold(["token"]) }
        past.fixture.calls.heal()
        #expect(try past.files(with: "hush-1").contains(KeptPast.history))
        _ = try witness.externalChanges()
        // Neither has declared the setting: the journal says that it is a secret.
        for other in [witness, try past.open()] {
            #expect(try !other.toldTexts().contains { $0.hasPrefix("hush") })
            let records = try #require(try other.records(after: start, limit: 4))
            #expect(records.count == 4)
            let mutations = records.flatMap(\.transactions).map(\.mutations)
            #expect(mutations.allSatisfy { $0 == [StoredMutation(withheldAt: "token")] })
            try past.write(["plain"], at: "other", to: other)
            if other !== witness { try past.renewJournal(other) }
        }
        #expect(try !past.files(with: "hush").contains(KeptPast.history))
    }

    @Test("Other processes do not tell what has been forgotten") func forgottenElsewhere() throws {
        let past = try KeptPast()
        let first = try past.openKeeping()
        let start = try #require(first.token)
        let other = try past.open()
        try past.write(["embarrassing"], at: "diary", to: first)
        try past.write(["plain"], at: "diary", to: first)
        _ = try other.externalChanges()
        #expect(try other.toldTexts().contains("embarrassing"))
        try first.forgetHistory(of: "diary")
        _ = try other.externalChanges()
        #expect(try other.toldTexts() == [] && first.toldTexts() == [])
        let records = try #require(try other.records(after: start, limit: 100))
        #expect(records.count == 2 && records.flatMap(\.transactions).allSatisfy { $0.mutations == [] })
    }

    @Test("Keeping none any more leaves no earlier values, also if it was interrupted", arguments: [false, true])
    func none(isInterrupted: Bool) throws {
        let past = try KeptPast()
        let first = try past.openKeeping(journalLimit: 4_000)
        try past.write(["old-1" + String(repeating: "x", count: 4_000), "old-2"], to: first)
        try past.renewJournal(first)
        try past.write(["old-3", "old-4"], to: first)
        #expect(try past.files(with: "old-1") == [KeptPast.history])
        if isInterrupted {
            past.fixture.calls.fail(every: .rename, with: .inputOutput)
            #expect(throws: StorageError.self) { try first.keepHistory(.none) }
            past.fixture.calls.heal()
        }
        let next = isInterrupted ? try past.open() : first
        try next.keepHistory(.none)
        #expect(try JournalParts(Data(contentsOf: past.url(KeptPast.journal))).past.isEmpty)
        #expect(try past.files(with: "old-3") == [] && past.files(with: "old-1") == [])
        // The next journal does not find a policy again.
        next.close()
        first.close()
        try FileManager.default.removeItem(at: past.url(KeptPast.journal))
        let last = try past.open()
        try past.write(["new"], to: last)
        #expect(!last.keepsHistory)
    }

    @Test("A key is forgotten where no history is kept, too") func forgottenWithoutHistory() throws {
        let past = try KeptPast()
        let storage = try past.open(journalLimit: 1 << 20)
        try past.write(["zero"], at: "a", to: storage)
        let start = try #require(storage.token)
        try past.write(["embarrassing", "plain"], at: "diary", to: storage)
        try storage.forgetHistory(of: "diary")
        #expect(try past.files(with: "embarrassing") == [])
        #expect(try storage.records(after: start, limit: 9) == nil)
        #expect(try past.fixture.freshLoad().tree["diary"] == .string("plain"))
    }

    @Test("A secret of which the history says nothing costs one short record") func unmentioned() throws {
        let past = try KeptPast()
        let storage = try past.openKeeping()
        try past.write(["1", "2"], at: "a", to: storage)
        try past.renewJournal(storage)
        past.fixture.calls.forget()
        for number in 0..<200 { try storage.withhold([SettingKey(stored: "accounts.\(number).token")]) }
        #expect(past.fixture.calls.calls.count { $0.kind == .rename } == 0)
        #expect(past.fixture.calls.writtenBytes < 100_000)
        // Everybody knows all of them, also from the next journal.
        for _ in 0..<2 {
            let other = try past.open()
            try past.write(["hush"], at: "accounts.7.token", to: other)
            #expect(try !other.toldTexts().contains("hush"))
            try past.renewJournal(other)
            #expect(try !other.toldTexts().contains("hush"))
        }
    }

    @Test("A process that learns that a history is kept adds its secrets, and the next journal has them") func learned()
        throws
    {
        let past = try KeptPast()
        let first = try past.open()
        try past.write(["hush-0"], to: first)
        let second = try past.open()
        try second.withhold(["token"])
        try first.keepHistory(.keep())
        _ = try second.externalChanges()
        try past.write(["1"], at: "a", to: second)
        try past.renewJournal(second)
        let third = try past.open()
        try past.write(["hush-1"], to: third)
        let newest = try third.records(before: nil, limit: 1).first?.transactions.first
        #expect(newest?.mutations?.first?.isWithheld == true)
    }
}
