import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Damage to the files of the history costs records, never settings.
@Suite(.timeLimit(.minutes(10))) struct DamagedPastTests {
    @Test("A journal whose header is damaged is followed by one of the same history", arguments: [false, true])
    func damagedHeader(isOpen: Bool) throws {
        let past = try KeptPast()
        let policy = HistoryPolicy.keep(transactions: 77)
        var storage = try past.openKeeping(policy)
        try storage.withhold(["token"])
        try past.write(["1", "2"], at: "a", to: storage)
        try past.renewJournal(storage)
        try past.write(["3"], at: "a", to: storage)
        let place = try #require(storage.token)
        if !isOpen { storage.close() }
        try past.flip(20, of: KeptPast.journal)
        if !isOpen { storage = try past.open() }
        _ = try storage.externalChanges()
        try storage.keepHistory(policy)
        #expect(storage.token?.history == place.history)
        try past.write(["4"], at: "a", to: storage)
        try past.renewJournal(storage)
        #expect(storage.keepsHistory)
        for reader in [storage, try past.open()] {
            #expect(try reader.toldAuthors() == ["1", "2", "4"])
            #expect(try reader.records(after: place, limit: 1) == nil)
        }
        // The secrets are known as before.
        let other = try past.open()
        try past.write(["hush"], to: other)
        #expect(try other.toldTexts().contains("hush") == false)
    }

    @Test("A past that can't be read or replaced costs no settings", arguments: [false, true], [false, true])
    func unusable(isFolder: Bool, hasJournal: Bool) throws {
        let past = try KeptPast()
        if isFolder {
            try FileManager.default.createDirectory(at: past.url(KeptPast.history), withIntermediateDirectories: false)
        }
        let first = try past.openKeeping(journalLimit: 1 << 20)
        try past.write(["0"], at: "a", to: first)
        if !isFolder {
            try past.renewJournal(first)
            try Data("none".utf8).write(to: past.url(KeptPast.history))
        }
        first.close()
        if !hasJournal { try FileManager.default.removeItem(at: past.url(KeptPast.journal)) }
        let storage = try past.open(journalLimit: 4_000)
        if !isFolder { past.fixture.calls.fail(everyCallAt: KeptPast.history, with: .inputOutput) }
        let text = String(repeating: "x", count: 1_000)
        for number in 1...60 {
            try past.write(["\(number)" + text], at: "a", to: storage)
            if number % 2 == 0 { try past.renewJournal(storage) }
        }
        #expect(try past.size(of: KeptPast.journal) < 40_000)
        #expect(try past.fixture.freshLoad().tree["a"] == .string("60" + text))
        // Without a journal, a folder that is no past does not say that one is to be kept.
        guard hasJournal || !isFolder else { return }
        let issues = try storage.externalChanges().compactMap { change -> String? in
            if case .unusable(let error) = change.content { error.description } else { nil }
        }
        #expect(issues.contains { $0.contains(KeptPast.history) })
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
