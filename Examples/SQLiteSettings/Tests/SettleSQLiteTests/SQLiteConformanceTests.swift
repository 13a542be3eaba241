import Foundation
import GRDB
import Settle
import SettleTesting
import Testing

@testable import SettleSQLite

/// The promises of a storage, on real databases.
@Suite(.timeLimit(.minutes(5))) struct SQLiteConformanceTests {
    /// A database for each number.
    private struct Databases: Sendable {
        let folder: URL

        func open(_ number: Int) throws -> FailingStorage {
            let path = folder.appending(path: "\(number).sqlite").path
            return storage(on: try DatabasePool(path: path, configuration: .waiting))
        }

        func storage(on writer: any DatabaseWriter) -> FailingStorage {
            FailingStorage(SQLiteStorage(writer, interval: .milliseconds(5)))
        }

        func set(_ fault: StorageConformance.Fault?, _ storage: any Storage) throws -> Bool {
            guard let failing = storage as? FailingStorage, let storage = failing.base as? SQLiteStorage else {
                return false
            }
            switch fault {
            case nil:
                failing.heal()
                try replaceTable(of: storage, false)
            case .appends, .loads, .changes: try replaceTable(of: storage, true)
            case .answers: failing.loseAnswers()
            case .leases, .silence: return false
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

    /// Dates and data are strings in JSON.
    private static let values = StorageConformance.everyKindOfValue.filter { value in
        switch value {
        case .date, .data: false
        default: true
        }
    }

    @Test("The SQLite storage keeps all promises, even if two storages have one connection", arguments: [false, true])
    func conforms(isShared: Bool) async throws {
        try await withTemporaryFolder { folder in
            let databases = Databases(folder: folder)
            let report = try await StorageConformance.check(
                makeStorage: { try databases.open($0) }, reopen: { number, _ in try databases.open(number) },
                setFault: { storage, fault in try databases.set(fault, storage) },
                makeOther: { number, first in
                    let first = (first as? FailingStorage)?.base as? SQLiteStorage
                    guard isShared, let first else { return try databases.open(number) }
                    return databases.storage(on: first.writer)
                },
                values: Self.values)
            print(report)
            let reasons = [
                "it has no lock for transactions", "it has no named locks", "it is no `CheckpointingStorage`",
                "it preserves nothing", "it is no `HistoryStorage`", "its limits have no time",
                "too many to try out", "`values` leaves it out",
            ]
            #expect(report.leftOut.allSatisfy { left in reasons.contains { left.hasSuffix($0) } }, "\(report)")
        }
    }
}
