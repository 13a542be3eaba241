import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// A folder with a settings file that becomes a fixture. Times, authors and the identities of batches are always the
/// same; the numbers by which journals recognize each other are random.
final class FixtureFolder {
    /// 2026-05-09, in seconds since the reference date.
    static let time = 800_000_000.0

    private let temporary: TemporaryFolder
    let name: String
    let calls = FaultySystemCalls(synchronizes: false)
    /// All values that were stored.
    private(set) var tree = SettingTree()
    /// The token after each transaction.
    private(set) var tokens: [ChangeToken] = []
    private var revision: UInt64 = 0

    init(_ name: String) throws {
        temporary = try TemporaryFolder()
        self.name = name
    }

    var url: URL { temporary.url }
    var journal: String { ".\(name).journal" }

    // MARK: Programs

    /// A storage that has loaded the file. With a short journal, a checkpoint replaces it.
    func open(format: FileFormat? = nil, hasShortJournal: Bool = false) throws -> FileStorage {
        let limit = hasShortJournal ? 1 : FileStorage.journalLimit
        let storage = FileStorage(
            at: url.appending(path: name), format: format, calls: calls, journalLimit: limit)
        _ = try storage.load()
        return storage
    }

    /// Stores one transaction, on stable storage.
    ///
    /// - Parameters:
    ///   - author: The name of its author.
    ///   - change: Changes what the history has of it.
    @discardableResult
    func store(
        _ values: [SettingKey: SettingValue?], in storage: FileStorage, by author: String? = nil,
        _ change: (inout StoredTransaction) -> Void = { _ in }
    ) throws -> ChangeToken {
        revision += 1
        let sorted = values.sorted(by: \.key)
        var transaction = StoredTransaction(
            time: Self.time + Double(revision),
            author: TransactionAuthor(name: author, program: "fixtures", process: 4711, user: "alice"), origin: .local,
            mutations: sorted.map { StoredMutation(key: $0.key, oldValue: tree[$0.key], newValue: $0.value) })
        change(&transaction)
        var expected: [SettingKey: SettingValue] = [:]
        for key in values.keys { expected[key] = tree[key] }
        let batch = StorageBatch(
            id: StorageBatch.ID(store: 1, number: revision), revision: revision, values: values,
            expectedValues: expected, author: author, transactions: storage.keepsHistory ? [transaction] : [])
        let receipt = try storage.append(batch, durability: .synced)
        tree.apply(values)
        let token = try #require(receipt.token)
        tokens.append(token)
        return token
    }

    /// Writes the readable file, and the file of state.
    func checkpoint(_ storage: FileStorage, for reason: CheckpointReason = .settled) throws {
        guard try storage.checkpoint(tree, for: reason) else { throw FixtureProblem("The file was not written.") }
    }

    // MARK: People and accidents

    func bytes(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appending(path: name))) }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url.appending(path: name)) }

    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appending(path: name)) }

    /// Leaves only these files in the folder.
    func replace(by files: [String: Data]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) { try remove(name) }
        for (name, bytes) in files { try bytes.write(to: url.appending(path: name)) }
    }

    /// Changes the bytes of the journal.
    ///
    /// - Parameter body: Is given the records from the base on, and the end of the last one.
    func damageJournal(
        _ body: (inout [UInt8], _ records: [(offset: Int, record: JournalRecord)], _ end: Int) throws -> Void
    ) throws {
        var bytes = try bytes(of: journal)
        let header = try bytes.withUnsafeBytes { try JournalHeader.decode($0) }
        let scan = bytes[Int(header.base)...].withUnsafeBytes { JournalScan.salvage(fromBase: $0, header) }
        try body(&bytes, scan.records, scan.end.offset)
        try write(bytes, to: journal)
    }
}

/// The reason why a fixture can't be made as it is meant.
struct FixtureProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
