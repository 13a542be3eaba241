import Foundation
import GRDB

/// A database with a settings table whose commits are on stable storage: WAL, and `synchronous` is `FULL`.
final class SQLiteFixture: Sendable {
    private let pool: DatabasePool

    init(in folder: URL) throws {
        pool = try DatabasePool(path: folder.appending(path: "settings.sqlite").path)
        // A pool starts with `NORMAL`, which syncs no commit, whatever its configuration says.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
                throw CocoaError(.featureUnsupported)
            }
        }
        try pool.write { database in
            try database.execute(sql: "CREATE TABLE settings (key TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID")
            for key in Samples.keys(10) {
                try database.execute(sql: "INSERT INTO settings VALUES (?, 1)", arguments: [key])
            }
        }
    }

    /// Several transactions in a row, each of one key.
    func commit(times: Int) {
        for turn in 0..<times {
            must { try pool.write { try Self.assign(turn, in: $0) } }
        }
    }

    /// One transaction that assigns to one key repeatedly.
    func commitTogether(count: Int) {
        must {
            try pool.write { database in
                for turn in 0..<count { try Self.assign(turn, in: database) }
            }
        }
    }

    private static func assign(_ value: Int, in database: Database) throws {
        let statement = try database.cachedStatement(sql: "UPDATE settings SET value = value + ? WHERE key = ?")
        try statement.execute(arguments: [value + 1, "setting_of_the_a00003"])
    }

    /// A peer that fails would look fast.
    private func must(_ body: () throws -> Void) {
        do { try body() } catch { preconditionFailure("The database can't be written: \(error)") }
    }
}
