import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// A file whose past is kept, with transactions that say what they did, as a store's do.
struct KeptPast {
    static let history = JournalParts.past
    static let journal = ".settings.json.journal"

    let fixture: FileStorageFixture

    init() throws { fixture = try FileStorageFixture() }

    /// A process of its own, which has the file open.
    ///
    /// - Parameter journalLimit: So short a journal is begun anew with each checkpoint.
    func open(_ calls: FaultySystemCalls? = nil, journalLimit: Int = 1) throws -> FileStorage {
        let storage = FileStorage(
            at: fixture.file, calls: calls ?? fixture.calls, lockTimeout: LockTimeout(limit: .zero),
            journalLimit: journalLimit)
        _ = try storage.load()
        return storage
    }

    /// One that begins to keep the history.
    func openKeeping(_ policy: HistoryPolicy = .keep(), journalLimit: Int = 1) throws -> FileStorage {
        let storage = try open(journalLimit: journalLimit)
        try storage.keepHistory(policy)
        return storage
    }

    /// Stores texts at a key, one after another. The author of each is the number in it.
    func write(_ texts: [String], at key: SettingKey = "token", to storage: FileStorage) throws {
        for text in texts {
            let old = try fixture.freshLoad().tree[key]
            var batch = batch(1, [key: .string(text)])
            batch.expectedValues[key] = old
            batch.transactions = [
                StoredTransaction(
                    time: Date().timeIntervalSinceReferenceDate,
                    author: TransactionAuthor(name: text.filter(\.isNumber)), origin: .local,
                    mutations: [StoredMutation(key: key, oldValue: old, newValue: .string(text))])
            ]
            if !storage.keepsHistory { batch.transactions = [] }
            try storage.append(batch, durability: .synced)
        }
    }

    /// Begins the journal anew: what it tells moves to the kept past.
    func renewJournal(_ storage: FileStorage) throws {
        _ = try storage.checkpoint(try fixture.freshLoad().tree, for: .resting)
        try storage.forgetHistory(of: "a key that nothing has")
    }

    /// The parts of the history that have a text.
    func files(with text: String) throws -> [String] {
        JournalParts.names([Self.journal], with: text) { try? Data(contentsOf: url($0)) }
    }

    func url(_ name: String) -> URL { fixture.folder.appending(path: name) }

    func size(of name: String) throws -> Int { try Data(contentsOf: url(name)).count }

    /// Puts a copy with a damaged byte in a file's place.
    func flip(_ offset: Int, of name: String) throws {
        var bytes = try Data(contentsOf: url(name))
        bytes[offset] ^= 1
        try bytes.write(to: url(name), options: .atomic)
    }
}

extension FileStorage {
    /// All texts that the history tells, in the order of the transactions, each once before and once after.
    func toldTexts() throws -> [String] {
        try records(before: nil, limit: 1_000).flatMap(\.transactions).flatMap { $0.mutations ?? [] }
            .flatMap { [$0.oldValue, $0.newValue] }
            .compactMap { if case .string(let text)? = $0 { text } else { nil } }
    }

    /// The authors of the transactions that the history tells, oldest first.
    func toldAuthors() throws -> [String] {
        try records(before: nil, limit: 1_000).flatMap { $0.transactions.reversed() }.compactMap(\.author.name)
            .reversed()
    }
}
