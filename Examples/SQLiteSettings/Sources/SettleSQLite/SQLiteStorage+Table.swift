// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

import Foundation
internal import GRDB
public import Settle

/// The table, and its SQL.
///
///     key  value  position  time  author
///
/// It has one row for each key that has ever been written: its last change. `value` is JSON as in a file of settings,
/// and `position` that of the batch. A removed key keeps its row, without a value, so that storages that are behind
/// learn of the removal. A key replaces the rows within it, so a row within the value of another one is newer, and
/// counts.
extension SQLiteStorage {
    /// The last change of a key; without JSON, its removal.
    typealias SettingRow = (key: SettingKey, json: String?)

    func createTable() throws {
        try writer.writeWithoutTransaction { database in
            // Without the log, a commit that reports an error may be stored all the same. A database in memory has no
            // disk that could fail.
            let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") ?? ""
            guard mode == "wal" || mode == "memory" else {
                throw StorageError(
                    .unsupported, "\(name): A storage needs write-ahead logging, but the journal mode is “\(mode)”.")
            }
            // GRDB sets a pool to sync no commit. On Apple's systems, a sync without the last setting does not reach
            // stable storage.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = TRUE")
            if try database.tableExists(table) { return }
            try database.inTransaction {
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS \(table) (
                            key TEXT PRIMARY KEY NOT NULL, value TEXT, position INTEGER NOT NULL, time TEXT NOT NULL,
                            author TEXT
                        ) STRICT, WITHOUT ROWID;
                        CREATE INDEX IF NOT EXISTS \(table)_position ON \(table) (position);
                        """)
                return .commit
            }
        }
    }

    // MARK: Reading

    /// Returns the position of the last batch, 0 if there has been none, and the values beside the settings: the record
    /// of migrations.
    func current(in database: Database) throws -> (newest: Int64, record: SettingTree) {
        let statement = try database.cachedStatement(
            sql: """
                SELECT newest.position, record.key, record.value
                FROM (SELECT ifnull(MAX(position), 0) AS position FROM \(table)) AS newest
                LEFT JOIN \(table) AS record ON record.key >= '$settle' AND record.key < '$settle/'
                """)
        var newest: Int64 = 0
        var record: [SettingKey: SettingValue?] = [:]
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() {
            newest = row[0]
            guard let key = row[1] as String? else { continue }
            let (found, value) = try setting(key, row[2])
            record.updateValue(value, forKey: found)
        }
        var tree = SettingTree()
        if !record.isEmpty { tree.apply(record) }
        return (newest, tree)
    }

    /// Returns the batches after a position, oldest first, with the values that no later one has overwritten. The
    /// number of a batch is its position.
    func batches(after position: Int64, in database: Database) throws -> [StoredBatch] {
        let statement = try database.cachedStatement(
            sql: "SELECT position, author, key, value FROM \(table) WHERE position > ? ORDER BY position")
        var batches: [StoredBatch] = []
        let rows = try Row.fetchCursor(statement, arguments: [position])
        while let row = try rows.next() {
            let number: Int64 = row[0]
            let id = StorageBatch.ID(store: 0, number: UInt64(number))
            if batches.last?.id != id {
                let author: String? = row[1]
                batches.append(StoredBatch(StorageBatch(id: id, revision: 0, values: [:], author: author)))
            }
            let (key, value) = try setting(row[2], row[3])
            batches[batches.count - 1].values.updateValue(value, forKey: key)
        }
        return batches
    }

    private func setting(_ text: String, _ json: String?) throws -> (key: SettingKey, value: SettingValue?) {
        do {
            guard let key = SettingKey(text) else { throw StorageError(.unreadable, "That is not a key.") }
            guard let json else { return (key, nil) }
            return (key, try SettingValue(json: Data(json.utf8)))
        } catch {
            throw StorageError(.unreadable, "\(name): The row of “\(text)” in “\(table)” can't be read: \(error)")
        }
    }

    // MARK: Writing

    /// Writes the rows of a batch.
    ///
    /// - Returns: The position of the batch; without rows, the newest one.
    func insert(
        _ rows: [SettingRow], by author: String?, after newest: Int64, into database: Database
    ) throws -> Int64 {
        guard !rows.isEmpty else { return newest }
        let delete = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE key >= ? AND key < ?")
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO \(table) (key, value, position, time, author)
                VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value, position = excluded.position,
                    time = excluded.time, author = excluded.author
                """)
        func write(_ row: SettingRow, at position: Int64) throws {
            // The rows within the key: in the order of bytes, the slash comes after the dot.
            try delete.execute(arguments: ["\(row.key).", "\(row.key)/"])
            try insert.execute(arguments: [row.key.description, row.json, position, author])
        }
        // Otherwise the replaced value would come back once the key is removed. All stores learn of its removal, at a
        // position before the batch: even the own store may not know the value that others have stored there.
        var replaced: [SettingKey] = []
        for row in rows where row.json != nil {
            if let key = try keyReplaced(by: row.key, in: database) { replaced.append(key) }
        }
        for key in replaced { try write((key, nil), at: newest + 1) }
        let position = replaced.isEmpty ? newest + 1 : newest + 2
        for row in rows { try write(row, at: position) }
        return position
    }

    /// Returns the key around another one that has a value other than a dictionary, if there is one.
    private func keyReplaced(by key: SettingKey, in database: Database) throws -> SettingKey? {
        let parents = key.parents
        if parents.isEmpty { return nil }
        let statement = try database.cachedStatement(sql: "SELECT value FROM \(table) WHERE key = ?")
        var tree = SettingTree()
        for parent in parents {
            guard let row = try Row.fetchOne(statement, arguments: [parent.description]) else { continue }
            tree[parent] = try setting(parent.description, row[0]).value
        }
        return parents.first { parent in
            switch tree[parent] {
            case nil, .dictionary?: false
            default: true
            }
        }
    }

    // MARK: Values

    /// Returns the rows of a batch. Keys within another key of the batch become part of its value. A key that the table
    /// can't have isn't there to be removed either, and tickets are not for the table.
    func rows(of batch: StorageBatch) throws(StorageError) -> [SettingRow] {
        var tree = SettingTree()
        tree.apply(batch.values)
        var rows: [SettingRow] = []
        for key in batch.values.keys where !key.isTicket && !key.parents.contains(where: { batch.values[$0] != nil }) {
            if let value = tree[key] {
                rows.append((key, try json(of: value, at: key)))
            } else if key.isStorable {
                rows.append((key, nil))
            }
        }
        return rows
    }

    /// Refuses keys that SQLite can't have as a text, and what a JSON file of settings can't hold.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        _ = try json(of: value, at: key)
    }

    private func json(of value: SettingValue, at key: SettingKey) throws(StorageError) -> String {
        guard key.isStorable else {
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
}

extension [StoredBatch] {
    /// The values after all of them.
    var tree: SettingTree { reduce(into: SettingTree()) { tree, batch in tree.apply(batch.values) } }
}

extension SettingKey {
    /// Whether it can be a text in a column: without empty names, and without zero bytes, where SQLite's texts end.
    fileprivate var isStorable: Bool { SettingKey(description) != nil && !description.utf8.contains(0) }
}
