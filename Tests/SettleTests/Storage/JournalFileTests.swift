import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// A journal as a file, without the settings file that it belongs to.
@Suite(.timeLimit(.minutes(10))) struct JournalFileTests {
    private let temporary: TemporaryFolder
    private let calls = FaultySystemCalls(synchronizes: false)

    init() throws { temporary = try TemporaryFolder() }

    private var path: FilePath { FilePath(temporary.url.appending(path: "journal").path) }
    private var journal: JournalFile { JournalFile(FileOperations(calls), path: path) }

    private static let start = ChangeToken(history: 5, position: 10, checksum: 6)
    private static let kept = JournalHistory(policy: .keep())

    private func batch(_ key: SettingKey, _ value: SettingValue) -> JournalBatch {
        var batch = JournalBatch(revision: 1, entries: [JournalEntry(key: key, value: value)])
        batch.transactions = JournalTransactions(count: 1, time: 7)
        return batch
    }

    /// - Parameter past: What it keeps, of which the last has the position of the beginning.
    private func begun(_ past: [JournalTransactions] = []) throws -> JournalFile {
        var (journal, timeout) = (journal, LockTimeout.usual)
        #expect(try journal.lock(timeout: &timeout) == .new)
        let oldest = ChangeToken(history: 5, position: 0, checksum: 0)
        let base = JournalBase(tree: SettingTree(["a": .integer(1)]), mirrors: [JournalBase.Mirror(.absent)])
        try journal.begin(
            after: .start(of: 0), Settle.KeptPast(oldest: oldest, records: past), with: [.base(base)], isReset: false,
            for: nil
        )
        return journal
    }

    @Test("A journal that is not open has nothing, and takes nothing") func closed() throws {
        var journal = journal
        #expect(try journal.isReplaced() && !journal.hasNews() && !journal.readNew().isAll)
        #expect(try journal.readAll(limit: 100).isEmpty && journal.read(at: 0, count: 8).isEmpty)
        #expect(try journal.pastIndex(knowing: nil) == nil && !journal.hasPast)
        journal.keepLocked(count: 2)
        journal.unlock()
        #expect(!journal.isLocked)
        // Without a place in a history, a record has none either.
        try journal.append(.values(batch("a", .integer(1))), within: .max)
        #expect(journal.token == nil)
        try journal.begin(after: .start(of: 0), nil, with: [], isReset: false, for: nil)
        try journal.synchronize()
        #expect(calls.calls.isEmpty)
    }

    @Test("A journal that is removed while one without permission to write opens it is not there") func removed() throws
    {
        var begun = try begun()
        begun.close()
        let path = path
        calls.beforeNext(.open) { [calls] in try? calls.removeFile(path.text) }
        var reader = JournalFile(FileOperations(ReadOnlySystemCalls(calls)), path: path)
        #expect(try !reader.open() && !reader.isOpen && !reader.isReadOnly)
    }

    @Test(
        "What was in force at a place is found, and what of other values was if the history has gone another way there")
    func treeAtPlace() throws {
        var journal = try begun()
        let start = try #require(journal.token)
        try journal.append(.values(batch("a", .integer(2))), within: .max)
        let place = try #require(journal.token)
        for (key, value) in [("b", 3), ("a", 7)] as [(SettingKey, Int64)] {
            try journal.append(.values(batch(key, .integer(value))), within: .max)
        }
        let others = ["a": .integer(2), "b": .integer(9), "c": .integer(4)] as SettingValue.Entries
        func tree(_ place: ChangeToken, or base: SettingValue.Entries?) -> SettingValue.Entries? {
            journal.tree(at: place, or: base.map { SettingTree($0) }, limit: 1 << 20)?.root
        }
        #expect(tree(start, or: others) == ["a": .integer(1)] && tree(place, or: others) == ["a": .integer(2)])
        let other = ChangeToken(history: start.history, position: place.position, checksum: 1)
        #expect(tree(other, or: others) == ["a": .integer(2), "b": .integer(3)])
        #expect(tree(other, or: ["a": .integer(1), "b": .integer(3)]) == ["a": .integer(1), "b": .integer(3)])
        #expect(tree(other, or: ["c": .integer(4)]) == [:] && tree(other, or: nil) == nil)
        let base = JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(.absent)])
        try journal.replace(nil, with: [.base(base)], isReset: false, names: FileNames(path), for: nil)
        #expect(tree(other, or: others) == nil)
        journal.close()
    }

    @Test("A history without a journal that is open knows nothing") func noHistory() throws {
        var history = FileHistory()
        #expect(try history.kept(of: journal, Self.kept) == nil && history.past(in: journal) == nil)
        #expect(try history.records(after: Self.start, limit: 9, in: journal, Self.kept) == nil)
        let before = try history.records(before: 9, limit: 9, in: journal, Self.kept)
        #expect(before.records.isEmpty && before.earlier == nil)
        #expect(try history.position(before: 100, at: Self.start, in: journal) == 0)
    }

    @Test("What is no file, and what is too large, is not read as a journal") func unreadable() throws {
        var device = JournalFile(FileOperations(calls), path: FilePath("/dev/null"))
        _ = try device.open()
        #expect(throws: FileError.self) { try device.scan(limit: 100) }
        device.close()
        var journal = try begun()
        let size = Int(try FileOperations(calls).status(at: path).size)
        #expect(try !journal.scan(limit: size).isUnusable)
        let error = #expect(throws: FileError.self) { try journal.scan(limit: size - 1) }
        #expect(error?.cause == .fileTooLarge)
        #expect(journal.tree(at: Self.start, or: nil, limit: 10) == nil)
        journal.close()
    }

    /// Records that fill more than is read at once, of which one alone does.
    private static let longPast: [JournalTransactions] = (1...10).map { number in
        let value = SettingValue.string(String(repeating: "x", count: number == 2 ? 400_000 : 10))
        let mutation = StoredMutation(key: "a", oldValue: nil, newValue: value)
        return JournalTransactions(
            position: UInt64(number), count: 1, time: Double(number),
            list: [
                StoredTransaction(
                    time: Double(number), author: TransactionAuthor(), origin: .local, mutations: [mutation])
            ])
    }

    @Test("A record of the past may be longer than what is read at once, and damage costs only itself")
    func longPast() throws {
        var journal = try begun(Self.longPast)
        func positions() throws -> [UInt64] {
            let index = try #require(try journal.pastIndex(knowing: nil))
            return try journal.past(0..<index.count, in: index).map(\.position)
        }
        #expect(try positions() == Array(1...10))
        let file = try FileHandle(forUpdating: temporary.url.appending(path: "journal"))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(JournalHeader.size + 60))
        try file.write(contentsOf: Data([0xEE]))
        #expect(try positions() == Array(2...10))
        try file.seek(toOffset: UInt64(JournalHeader.size + 200_000))
        try file.write(contentsOf: Data([0xEE]))
        #expect(try positions() == Array(3...10))
        journal.close()
    }

    @Test("A record of the past that lists nothing is told as one of which nothing is known") func unlisted() throws {
        var journal = try begun([JournalTransactions(position: 3, count: 3, time: 7)])
        var history = FileHistory()
        let found = try history.records(before: 4, limit: 9, in: journal, Self.kept).records
        #expect(found.map(\.token.position) == [3])
        #expect(found.first?.transactions.map(\.count) == [3] && found.first?.transactions.first?.mutations == nil)
        journal.close()
    }

    @Test("A long journal tells the same each time, although nothing of it is kept in memory") func longJournal() throws
    {
        var journal = try begun()
        let token = try #require(journal.token)
        for number in 1...5 { try journal.append(.values(batch("a", .integer(Int64(number)))), within: .max) }
        var (usual, frugal) = (FileHistory(), FileHistory(longJournal: 0))
        for _ in 0..<2 {
            let records = try usual.records(after: token, limit: 9, in: journal, Self.kept)
            #expect(records?.count == 5)
            #expect(try frugal.records(after: token, limit: 9, in: journal, Self.kept) == records)
        }
        journal.close()
    }
}
