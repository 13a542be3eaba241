import Foundation
import GRDB
import Settle
import SettleTesting
import Testing

@testable import SettleSQLite

/// What the conformance suite can't know of the storage.
@Suite(.timeLimit(.minutes(5))) struct SQLiteStorageTests {
    func pool(_ folder: URL) throws -> DatabasePool {
        try DatabasePool(path: folder.appending(path: "settings.sqlite").path, configuration: .waiting)
    }

    func loaded(_ folder: URL) async throws -> (SQLiteStorage, StorageContents) {
        let storage = SQLiteStorage(try pool(folder))
        return (storage, try await storage.load())
    }

    /// Runs a closure with two storages of one new database and with what they have loaded, and closes them.
    func withTwoStorages(
        _ body: (_ first: SQLiteStorage, _ second: SQLiteStorage, _ start: StorageContents, URL) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let (first, start) = try await loaded(folder)
            let (second, _) = try await loaded(folder)
            try await body(first, second, start, folder)
            for storage in [first, second] { await storage.close() }
        }
    }

    func batch(
        _ number: UInt64, _ values: [SettingKey: SettingValue?], store: UInt64 = 1, author: String? = nil
    ) -> StorageBatch {
        StorageBatch(
            id: StorageBatch.ID(store: store, number: number), revision: number, values: values, author: author)
    }

    @Test("A database that can't have write-ahead logging is refused, except for one in memory")
    func withoutLog() async throws {
        let temporary = SQLiteStorage(try DatabaseQueue(path: ""))
        let error = await #expect(throws: StorageError.self) { try await temporary.load() }
        #expect(error?.code == .unsupported && error?.description.contains("delete") == true, "\(error as Any)")
        let memory = SQLiteStorage(try DatabaseQueue())
        #expect(try await memory.load().outcome == .absent)
        for storage in [temporary, memory] { await storage.close() }
    }

    @Test("There are no named locks, as a store says") func namedLocks() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            let error = await #expect(throws: SettingsError.self) {
                try await notes.store.withLock(named: "job") {}
            }
            #expect((error?.underlying as? StorageError)?.code == .unsupported)
            try await notes.store.close()
        }
    }

    @Test("A store follows what another connection stores, and the program's own rows are no change")
    func follows() async throws {
        try await withTemporaryFolder { folder in
            let (notes, others) = (try await NotesFixture(folder), try await NotesFixture(folder))
            try await notes.settings.commit { notes.settings.count = 1 }
            for await count in others.settings.$count where count == 1 { break }
            try await notes.pool.write { try $0.execute(sql: "INSERT INTO notes VALUES (7, 'text')") }
            try await notes.settings.commit { notes.settings.count = 2 }
            for await count in others.settings.$count where count != 1 {
                #expect(count == 2)
                break
            }
            for fixture in [notes, others] { try await fixture.store.close() }
        }
    }

    @Test("After an older copy of the database was restored, everything is reported") func restored() async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            _ = try await storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
            let copy = try DatabaseQueue(path: folder.appending(path: "copy.sqlite").path)
            try pool(folder).backup(to: copy)
            let receipt = try await storage.append(batch(2, ["a": .integer(2), "b": .integer(2)]), durability: .synced)
            try copy.backup(to: storage.writer)
            let changes = try await storage.changes(after: receipt.position)
            #expect(changes.changes.map(\.content) == [.everything(SettingTree(["a": .integer(1)]))])
            #expect(changes.position == StoragePosition(UInt64(1)))
            await storage.close()
        }
    }

    @Test("A damaged page is reported with the file's path and SQLite's message, and nothing is written over it")
    func damage() async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            _ = try await storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
            await storage.close()
            try storage.writer.close()
            let database = try pool(folder)
            let (page, size) = try await database.read { database in
                (
                    try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'settings'") ?? 0,
                    try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
                )
            }
            try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try database.close()
            let file = try FileHandle(forUpdating: URL(filePath: database.path))
            try file.seek(toOffset: UInt64((page - 1) * size))
            try file.write(contentsOf: Data(repeating: 0xA5, count: size))
            try file.close()
            let damaged = SQLiteStorage(try pool(folder))
            let error = await #expect(throws: StorageError.self) { try await damaged.load() }
            #expect(error?.code == .unreadable)
            #expect(error?.description.contains("“\(database.path)”: SQLite error 11: ") == true, "\(error as Any)")
            await #expect(throws: StorageError.self) {
                try await damaged.append(batch(2, ["a": .integer(2)]), durability: .synced)
            }
            await damaged.close()
        }
    }

    @Test("Nobody can store a position that no batch has", arguments: [Int64.min, -1, 0, 1 << 62 + 1, .max])
    func foreignPositions(_ position: Int64) async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            _ = try await storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
            let error = await #expect(throws: DatabaseError.self) {
                try await storage.writer.write { database in
                    try database.execute(sql: "UPDATE settings SET position = ?", arguments: [position])
                }
            }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            await storage.close()
        }
    }

    @Test(
        "After the highest position nothing is stored, and the error has SQLite's reason",
        arguments: [Int64(1) << 62 - 1, 1 << 62])
    func highestPosition(_ position: Int64) async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            _ = try await storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
            try await storage.writer.write { database in
                try database.execute(sql: "UPDATE settings SET position = ?", arguments: [position])
            }
            // It needs two positions, the first one to remove the replaced value.
            let error = await #expect(throws: StorageError.self) {
                try await storage.append(batch(2, ["a.c": .integer(2)]), durability: .synced)
            }
            #expect(error?.code == .writeFailed && error?.isOutcomeUnknown == false)
            #expect(error?.description.contains("CHECK constraint failed") == true, "\(error as Any)")
            let contents = try await storage.load()
            #expect(contents.tree.root == ["a": .integer(1)])
            #expect(contents.position == StoragePosition(UInt64(position)))
            await storage.close()
        }
    }

    @Test("A table without the check of positions is unreadable if it has others", arguments: [Int64.min, -1, 0, .max])
    func uncheckedPositions(_ position: Int64) async throws {
        try await withTemporaryFolder { folder in
            let database = try pool(folder)
            try await database.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE settings (
                            key TEXT PRIMARY KEY NOT NULL, value TEXT, position INTEGER NOT NULL, time TEXT NOT NULL,
                            author TEXT
                        ) STRICT, WITHOUT ROWID;
                        INSERT INTO settings VALUES ('a', '1', ?, '', NULL)
                        """,
                    arguments: [position])
            }
            let storage = SQLiteStorage(database)
            let error = await #expect(throws: StorageError.self) { try await storage.load() }
            #expect(error?.code == .unreadable && error?.description.contains("“a”") == true)
            await storage.close()
        }
    }

    @Test("An error shows no value, even if the database shows the arguments of statements")
    func shownArguments() async throws {
        try await withTemporaryFolder { folder in
            var configuration = GRDB.Configuration.waiting
            configuration.publicStatementArguments = true
            let path = folder.appending(path: "settings.sqlite").path
            let storage = SQLiteStorage(try DatabasePool(path: path, configuration: configuration))
            _ = try await storage.load()
            try await storage.writer.writeWithoutTransaction { database in
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                try database.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
            let large = SettingValue.string("hunter2" + String(repeating: "x", count: 1_000_000))
            let error = await #expect(throws: StorageError.self) {
                try await storage.append(batch(1, ["token": large]), durability: .synced)
            }
            #expect(error?.code == .noSpace)
            let text = error?.description ?? ""
            #expect(text.contains("“\(path)”: SQLite error 13: ") && text.contains("INSERT"))
            #expect(!text.contains("hunter2"))
            await storage.close()
        }
    }

    @Test("Each commit is synced by the connection") func durability() async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            let pragmas = try await storage.writer.writeWithoutTransaction { database in
                (
                    try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                    try Int.fetchOne(database, sql: "PRAGMA synchronous")
                )
            }
            #expect(pragmas.0 == "wal" && pragmas.1 == 2)
            await storage.close()
        }
    }

    @Test("A table that the program has under the name is left as it is, and reported")
    func foreignTable() async throws {
        try await withTemporaryFolder { folder in
            let database = try pool(folder)
            try await database.write { try $0.execute(sql: "CREATE TABLE settings (name TEXT, value TEXT)") }
            let foreign = SQLiteStorage(database)
            let error = await #expect(throws: StorageError.self) { try await foreign.load() }
            #expect(error?.code == .unreadable)
            #expect(error?.description.contains("no such column") == true, "\(error as Any)")
            let tables = try await database.read { database in
                try String.fetchAll(database, sql: "SELECT name FROM sqlite_master")
            }
            #expect(tables == ["settings"])
            let other = SQLiteStorage(database, table: "other_settings")
            #expect(try await other.load().outcome == .absent)
            for storage in [foreign, other] { await storage.close() }
        }
    }

    @Test("Storages with tables of different names share nothing but the file") func tables() async throws {
        try await withTemporaryFolder { folder in
            let database = try pool(folder)
            let (first, second) = (SQLiteStorage(database), SQLiteStorage(database, table: "other_settings"))
            _ = try await first.load()
            _ = try await second.load()
            _ = try await first.append(batch(1, ["a": .integer(1)]), durability: .synced)
            let contents = try await second.load()
            #expect(contents.outcome == .absent && contents.tree.root.isEmpty)
            for storage in [first, second] { await storage.close() }
        }
    }
}
