import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What a journal keeps of the past: what is read of it, and what damage costs.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct PastFileTests {
    /// A file whose journal is begun anew every few transactions.
    private struct Place {
        let fixture: FileStorageFixture
        let writer: FileStorage

        init(transactions: Int, journalLimit: Int = 6_000) throws {
            fixture = try FileStorageFixture()
            writer = FileStorage(at: fixture.file, calls: fixture.calls, journalLimit: journalLimit)
            _ = try writer.load()
            try writer.keepHistory(.keep(transactions: 100_000, bytes: 100 << 20, for: .days(100_000)))
            for number in 1...transactions { try append(number) }
        }

        var journal: URL { fixture.folder.appending(path: KeptPast.journal) }
        var past: Range<Int> {
            get throws {
                let count = JournalParts(try Data(contentsOf: journal)).past.count
                return JournalHeader.size..<JournalHeader.size + count
            }
        }

        func append(_ number: Int) throws {
            let value = SettingValue.string("\(number) " + String(repeating: "x", count: 600))
            let mutation = StoredMutation(key: "a", oldValue: nil, newValue: value)
            let transaction = StoredTransaction(
                time: Double(number), author: TransactionAuthor(name: "\(number)"), origin: .local,
                mutations: [mutation])
            _ = try writer.append(
                StorageBatch(revision: UInt64(number), values: ["a": value], transactions: [transaction]),
                durability: .buffered)
            if number % 10 == 0 { _ = try writer.checkpoint(SettingTree(["a": value]), for: .resting) }
        }

        /// Another process, and what it reads.
        func reader() throws -> (storage: FileStorage, calls: FaultySystemCalls) {
            let calls = FaultySystemCalls()
            let storage = FileStorage(at: fixture.file, calls: calls, journalLimit: 6_000)
            _ = try storage.load()
            calls.forget()
            return (storage, calls)
        }
    }

    private func size(of url: URL) throws -> Int { try Data(contentsOf: url).count }

    /// The numbers of all transactions, oldest first.
    private func numbers(in storage: FileStorage, page: Int = 16) throws -> [Int] {
        var numbers: [Int] = []
        var place: ChangeToken?
        while true {
            let records = try storage.records(before: place, limit: page)
            guard let last = records.last else { return numbers.reversed() }
            numbers += records.flatMap { $0.transactions.reversed() }.compactMap { $0.author.name.flatMap { Int($0) } }
            place = last.entries.first?.token
        }
    }

    @Test("All of it is read once, and then only the pages that are asked for") func pages() throws {
        let place = try Place(transactions: 1_000)
        let all = try size(of: place.journal)
        #expect(try place.past.count > all / 4)
        let (reader, calls) = try place.reader()
        #expect(try numbers(in: reader) == Array(1...1_000))
        #expect(calls.readBytes > all / 2 && calls.readBytes < 3 * all)
        calls.forget()
        // One page in the middle, backwards and forwards.
        let middle = try #require(try reader.records(before: nil, limit: 600).last?.token)
        calls.forget()
        #expect(try reader.records(before: middle, limit: 10).count == 10)
        #expect(try reader.records(after: middle, limit: 10)?.count == 10)
        #expect(calls.readBytes < all / 20)
        // What has come since is read in addition.
        for number in 1_001...1_020 { try place.append(number) }
        _ = try reader.changes(after: StoragePosition(0))
        calls.forget()
        #expect(try reader.records(before: nil, limit: 16).first?.transactions.last?.author.name == "1020")
        #expect(calls.readBytes < all / 10)
    }

    @Test("A journal is read once for all pages of it") func pagesOfJournal() throws {
        let place = try Place(transactions: 300, journalLimit: 16 << 20)
        let journal = try size(of: place.fixture.folder.appending(path: KeptPast.journal))
        let (reader, calls) = try place.reader()
        #expect(try numbers(in: reader, page: 10) == Array(1...300))
        #expect(journal > 100_000 && calls.readBytes < 2 * journal)
        // Nor is what has come since left out.
        try place.append(301)
        _ = try reader.externalChanges()
        #expect(try numbers(in: reader, page: 10) == Array(1...301))
    }

    @Test("Damage in the middle costs the records that it hits", arguments: [false, true])
    func damage(isKnown: Bool) throws {
        let place = try Place(transactions: 300)
        let (reader, _) = try place.reader()
        // With what was found before it, or without.
        let first = try #require(try reader.records(before: nil, limit: 300).last?.token)
        let storage = isKnown ? reader : try place.reader().storage
        var bytes = try Data(contentsOf: place.journal)
        let hit = try place.past.lowerBound + place.past.count / 2
        bytes[hit] ^= 1
        // In place: another file would be another journal.
        let file = try FileHandle(forUpdating: place.journal)
        try file.seek(toOffset: UInt64(hit))
        try file.write(contentsOf: [bytes[hit]])
        try file.close()
        let left = try numbers(in: storage)
        #expect(left.count == 299 && left == left.sorted() && left.first == 1 && left.last == 300)
        // Whoever goes on from before it is told up to there, and then of a loss.
        var last = first
        while let page = try storage.records(after: last, limit: 7), let token = page.last?.token { last = token }
        let missing = try #require(Set(1...300).subtracting(left).first)
        #expect(Int(last.position) - Int(first.position) == missing - 2)
        #expect(try storage.records(after: last, limit: 7) == nil)
        // What is kept from then on stands behind it.
        for number in 301...330 { try place.append(number) }
        #expect(try numbers(in: try place.reader().storage) == left + Array(301...330))
    }
}
