// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

import Foundation
internal import GRDB
public import Settle
import Synchronization

/// The table, and its SQL.
///
///     key  value  position  time  author
///
/// It has one row for each key that has ever been written: its last change. `value` is JSON as in a file of settings,
/// and `position` that of the batch. A removed key keeps its row, without a value, so that storages that are behind
/// learn of the removal. In the order of their positions, all rows can be applied as they are: a row within the value
/// of another one counts if it is newer.
extension SQLiteStorage {
    /// Creates the table, unless there is one, and prepares the writer's connection.
    func createTable(in database: Database) throws {
        // Without the log, a commit that reports an error may be stored all the same. A database in memory has no disk
        // that could fail.
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") ?? ""
        guard mode == "wal" || mode == "memory" else {
            throw StorageError(.unsupported, "\(name) needs write-ahead logging, but its journal mode is “\(mode)”.")
        }
        // GRDB sets a pool to sync no commit. On Apple's systems, a sync without the second setting does not reach
        // stable storage. `UNIQUE` makes an index of the positions. The check refuses positions that
        // a batch can't have; after the highest one there is still room within an `Int64`.
        let positions = "BETWEEN 1 AND 4611686018427387904"
        try database.execute(
            sql: """
                PRAGMA synchronous = FULL; PRAGMA fullfsync = TRUE;
                CREATE TABLE IF NOT EXISTS \(table) (
                    key TEXT PRIMARY KEY NOT NULL, value TEXT,
                    position INTEGER NOT NULL CHECK (position \(positions)),
                    time TEXT NOT NULL, author TEXT, UNIQUE (position, key)
                ) STRICT, WITHOUT ROWID
                """)
        // A table that others have made may lack the check.
        if let key = try String.fetchOne(
            database, sql: "SELECT key FROM \(table) WHERE position NOT \(positions)")
        {
            throw StorageError(.unreadable, "\(name): The row of “\(key)” in “\(table)” has a position of no batch.")
        }
    }

    // MARK: Reading

    /// Returns the position of the last batch, 0 if there has been none.
    func newestPosition(in database: Database) throws -> UInt64 {
        try UInt64(clamping: Int64.fetchOne(database.cachedStatement(sql: "SELECT MAX(position) FROM \(table)")) ?? 0)
    }

    /// Returns the batches of the rows that meet a condition, oldest first, with the values that no later one has
    /// overwritten. The number of a batch is its position.
    func batches(
        where condition: String, _ arguments: StatementArguments = [], in database: Database
    ) throws -> [StoredBatch] {
        let statement = try database.cachedStatement(
            sql: "SELECT position, author, key, value FROM \(table) WHERE \(condition) ORDER BY position")
        var batches: [StoredBatch] = []
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() {
            let (position, text, json): (Int64, String, String?) = (row[0], row[2], row[3])
            let id = StorageBatch.ID(store: 0, number: UInt64(clamping: position))
            if batches.last?.id != id {
                batches.append(StoredBatch(StorageBatch(id: id, revision: 0, values: [:], author: row[1])))
            }
            do {
                guard let key = SettingKey(text) else { throw StorageError(.unreadable, "That is not a key.") }
                let value = try json.map { try SettingValue(json: Data($0.utf8)) }
                batches[batches.count - 1].values.updateValue(value, forKey: key)
            } catch {
                throw StorageError(.unreadable, "\(name): The row of “\(text)” in “\(table)” can't be read: \(error)")
            }
        }
        return batches
    }

    // MARK: Writing

    /// Writes the rows of a batch. Keys within another key of the batch become part of its value. A key that the table
    /// can't have isn't there to be removed either, and tickets are not for the table.
    ///
    /// - Returns: The position of the batch; without rows, the newest one.
    func insert(_ batch: StorageBatch, after newest: UInt64, into database: Database) throws -> UInt64 {
        var tree = SettingTree()
        tree.apply(batch.values)
        let keys = batch.values.keys.filter { key in
            let isPart = key.parents.contains { batch.values[$0] != nil }
            return key != Self.ticketKey && !isPart && (tree[key] != nil || Self.canStore(key))
        }
        if keys.isEmpty { return newest }
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO \(table) (key, value, position, time, author)
                VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value, position = excluded.position,
                    time = excluded.time, author = excluded.author
                """)
        func write(_ key: SettingKey, _ json: String?, at position: UInt64) throws {
            try insert.execute(arguments: [key.description, json, Int64(clamping: position), batch.author])
        }
        // Otherwise the replaced value would come back once the key is removed. All stores learn of its removal, at a
        // position before the batch: even the own store may not know the value that others have stored there.
        let replaced = try keys.compactMap { try tree[$0] == nil ? nil : keyReplaced(by: $0, in: database) }
        for key in replaced { try write(key, nil, at: newest + 1) }
        let position = newest + (replaced.isEmpty ? 1 : 2)
        let isBehind = state.withLock { $0.seen } != newest
        for key in keys {
            // Rows within the key are older, so they don't count any more. Unless others have stored something that the
            // store has not seen, the batch says whether there are any.
            let hasRowsWithin = if case .dictionary? = batch.expectedValues[key] { true } else { isBehind }
            if hasRowsWithin {
                // In the order of bytes, the slash comes after the dot.
                let delete = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE key >= ? AND key < ?")
                try delete.execute(arguments: ["\(key).", "\(key)/"])
            }
            try write(key, try tree[key].map { try json(of: $0, at: key) }, at: position)
        }
        return position
    }

    /// Returns the key around another one that has a value other than a dictionary, if there is one.
    private func keyReplaced(by key: SettingKey, in database: Database) throws -> SettingKey? {
        let parents = key.parents
        if parents.isEmpty { return nil }
        let condition = "key IN (\(databaseQuestionMarks(count: parents.count)))"
        let tree = try batches(where: condition, StatementArguments(parents.map(\.description)), in: database).tree
        return parents.first { if case .dictionary? = tree[$0] { false } else { tree[$0] != nil } }
    }

    // MARK: Values

    /// Refuses keys that SQLite can't have as a text, and what a JSON file of settings can't hold.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        _ = try json(of: value, at: key)
    }

    private func json(of value: SettingValue, at key: SettingKey) throws(StorageError) -> String {
        guard Self.canStore(key) else {
            throw StorageError(.unsupportedValue, "A key in a database can have neither empty names nor zero bytes.")
        }
        try Self.anyStorage.check(value, at: key)
        do throws(FormatError) {
            return String(decoding: try value.json(), as: UTF8.self)
        } catch {
            throw StorageError(.unsupportedValue, "\(error)")
        }
    }

    /// Has the check that all storages have by default.
    private static let anyStorage = InMemoryStorage()

    /// Whether a key can be a text in a column: without empty names, and without zero bytes, where SQLite's texts end.
    private static func canStore(_ key: SettingKey) -> Bool {
        SettingKey(key.description) != nil && !key.description.utf8.contains(0)
    }
}

extension [StoredBatch] {
    /// The values after all of them.
    var tree: SettingTree { reduce(into: SettingTree()) { tree, batch in tree.apply(batch.values) } }
}
