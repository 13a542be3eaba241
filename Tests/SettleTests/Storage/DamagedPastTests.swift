import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Damage to the files of the history costs records, never settings.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct DamagedPastTests {
    @Test("With the header of a journal its past is lost, and a process that has it open goes on with the history")
    func damagedHeader() throws {
        let past = try KeptPast()
        let policy = HistoryPolicy.keep(transactions: 77)
        let storage = try past.openKeeping(policy)
        try storage.withhold(["token"])
        try past.write(["1", "2"], at: "a", to: storage)
        try past.renewJournal(storage)
        try past.write(["3"], at: "a", to: storage)
        let place = try #require(storage.token)
        try past.flip(20, of: KeptPast.journal)
        _ = try storage.externalChanges()
        try past.write(["4"], at: "a", to: storage)
        try past.renewJournal(storage)
        #expect(storage.keepsHistory && storage.token?.history == place.history)
        for reader in [storage, try past.open()] {
            #expect(try reader.toldAuthors() == ["4"])
            #expect(try reader.records(after: place, limit: 1) == nil)
        }
        // The secrets are known as before.
        let other = try past.open()
        try past.write(["hush"], to: other)
        #expect(try other.toldTexts().contains("hush") == false)
    }

    @Test("Whichever call fails while the journal is begun anew, no setting is lost, and what is told is in order")
    func failures() throws {
        for number in 0... {
            let past = try KeptPast()
            let storage = try past.openKeeping()
            try past.write(["1", "2"], at: "a", to: storage)
            try past.renewJournal(storage)
            try past.write(["3", "4"], at: "a", to: storage)
            let calls = FaultySystemCalls(synchronizes: false)
            let other = try past.open(calls)
            calls.forget()
            calls.fail(call: number, with: .error(.inputOutput), forGood: false)
            try? past.renewJournal(other)
            let wasReached = calls.faultCount > 0
            calls.heal()
            try past.write(["5"], at: "a", to: other)
            try past.renewJournal(other)
            #expect(try past.fixture.freshLoad().tree["a"] == .string("5"), "\(number)")
            for reader in [other, try past.open()] {
                let told = try reader.toldAuthors()
                #expect(told == ["1", "2", "3", "4", "5"].suffix(told.count) && !told.isEmpty, "\(number): \(told)")
            }
            if !wasReached { return }
        }
    }

    @Test("A place whose past has been exchanged is refused, and not gone on from in the other one") func exchanged()
        throws
    {
        let past = try KeptPast()
        let storage = try past.openKeeping(journalLimit: 1 << 20)
        try past.write(["1", "2"], at: "a", to: storage)
        let saved = [past.fixture.name, KeptPast.journal].compactMap { name in
            (try? Data(contentsOf: past.url(name))).map { (name, $0) }
        }
        try past.write(["3", "4", "5"], at: "a", to: storage)
        let place = try #require(try storage.records(before: nil, limit: 2).last?.token)
        storage.close()
        for (name, data) in saved { try data.write(to: past.url(name)) }
        let restored = try past.open(journalLimit: 1 << 20)
        for texts in [["other-3"], ["other-4"], ["other-5", "other-6"]] {
            #expect(throws: StorageError.self) { try restored.records(before: place, limit: 2) }
            try past.write(texts, at: "a", to: restored)
        }
        try past.renewJournal(restored)
        #expect(throws: StorageError.self) { try restored.records(before: place, limit: 2) }
        let own = try #require(restored.token)
        #expect(try restored.records(before: own, limit: 2).count == 2)
    }
}
