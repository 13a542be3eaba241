import Foundation
import GRDB
import Settle
import SettleTesting
import Testing

@testable import SettleSQLite

/// The promises of a storage, on real databases.
@Suite(.timeLimit(.minutes(5))) struct SQLiteConformanceTests {
    /// A database for each number, and the faults of all of them.
    private final class Databases: Sendable {
        private let folder: URL
        private let answers = LostAnswers()

        init(in folder: URL) { self.folder = folder }

        func open(_ number: Int) throws -> SQLiteStorage {
            let path = folder.appending(path: "\(number).sqlite").path
            return storage(on: try DatabasePool(path: path, configuration: .waiting))
        }

        /// A lease is left to end by its time.
        func storage(on writer: any DatabaseWriter) -> SQLiteStorage {
            let storage = SQLiteStorage(writer, leaseTime: .seconds(5), interval: .milliseconds(5))
            answers.concern(storage)
            return storage
        }

        func set(_ fault: StorageConformance.Fault?, _ storage: any Storage) throws -> Bool {
            guard let storage = storage as? SQLiteStorage else { return false }
            switch fault {
            case nil:
                answers.set(0)
                try replaceTable(of: storage, false)
            case .appends, .loads, .changes: try replaceTable(of: storage, true)
            case .answers: answers.set(.max)
            case .leases: break
            case .silence: return false
            }
            return true
        }

        /// Puts another table in place of that of the settings, which SQLite can neither read nor write as such.
        private func replaceTable(of storage: SQLiteStorage, _ isReplaced: Bool) throws {
            let queue = try DatabaseQueue(path: storage.writer.path, configuration: .waiting)
            try queue.write { database in
                guard try database.tableExists("aside") != isReplaced else { return }
                try database.execute(
                    sql: isReplaced
                        ? "ALTER TABLE settings RENAME TO aside; CREATE TABLE settings (other TEXT)"
                        : "DROP TABLE settings; ALTER TABLE aside RENAME TO settings")
            }
            try queue.close()
        }
    }

    @Test("The SQLite storage keeps all promises, even if two storages have one connection", arguments: [false, true])
    func conforms(isShared: Bool) async throws {
        try await withTemporaryFolder { folder in
            let databases = Databases(in: folder)
            let report = try await StorageConformance.check(
                makeStorage: { try databases.open($0) }, reopen: { number, _ in try databases.open(number) },
                setFault: { storage, fault in try databases.set(fault, storage) },
                makeOther: { number, first in
                    guard isShared, let first = first as? SQLiteStorage else { return try databases.open(number) }
                    return databases.storage(on: first.writer)
                })
            print(report)
            let reasons = [
                "it has no lock for transactions", "it is no `CheckpointingStorage`", "it preserves nothing",
                "it is no `HistoryStorage`", "its limits have no time", "too many to try out",
            ]
            #expect(report.leftOut.allSatisfy { left in reasons.contains { left.hasSuffix($0) } }, "\(report)")
        }
    }
}
