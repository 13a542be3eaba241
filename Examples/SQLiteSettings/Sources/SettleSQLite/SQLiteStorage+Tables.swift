// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

import Foundation
internal import GRDB
internal import Settle
import Synchronization

/// The tables, and their SQL.
///
/// The table of settings has one row for each key that has ever been written: its last change. A removed key keeps its
/// row, without a value, so that storages that are behind learn of the removal. A key replaces the rows within it. So a
/// row within the value of another one is newer, and counts. If it replaces a value that is not a dictionary, the batch
/// also removes that, with a row of ``nobody``.
///
///     settings:        key  value  exact  position  time  author  store  batch
///     settings_stores: store  batch  position  time        the last batch of each store
///     settings_locks:  name  number  expires               who holds a named lock
extension SQLiteStorage {
    private static let timestamp = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

    /// The store of a row that removes what a key within it replaces. All stores are notified of it: even the one that
    /// has written the key may not know what it has replaced. The smallest number, so that the removal comes first.
    private static let nobody = Int64.min

    func createTables() throws {
        try writer.writeWithoutTransaction { database in
            // GRDB sets a pool to sync no commit. On Apple's systems, a sync without the last setting does not reach
            // stable storage.
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = TRUE")
            let hasTables = try ["", "_stores", "_locks"].allSatisfy { try database.tableExists(table + $0) }
            if hasTables { return }
            try database.inTransaction {
                // The last statements throw if the program has other tables of these names.
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS \(table) (
                            key TEXT PRIMARY KEY NOT NULL, value TEXT, exact BLOB, position INTEGER NOT NULL,
                            time TEXT NOT NULL, author TEXT, store INTEGER NOT NULL, batch INTEGER NOT NULL
                        ) STRICT, WITHOUT ROWID;
                        CREATE TABLE IF NOT EXISTS \(table)_stores (
                            store INTEGER PRIMARY KEY, batch INTEGER NOT NULL, position INTEGER NOT NULL,
                            time TEXT NOT NULL
                        ) STRICT;
                        CREATE TABLE IF NOT EXISTS \(table)_locks (
                            name TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL, expires REAL NOT NULL
                        ) STRICT, WITHOUT ROWID;
                        SELECT key, value, exact, position, time, author, store, batch FROM \(table) LIMIT 0;
                        SELECT store, batch, position, time FROM \(table)_stores LIMIT 0;
                        SELECT name, number, expires FROM \(table)_locks LIMIT 0;
                        """)
                return .commit
            }
        }
    }

    // MARK: Reading

    /// Returns the position of the last batch; 0 if there has been none.
    func newestPosition(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database.cachedStatement(sql: "SELECT MAX(position) FROM \(table)_stores")) ?? 0
    }

    /// Returns the position of a batch, if it is the last one of its store.
    func position(of id: StorageBatch.ID, in database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT position FROM \(table)_stores WHERE store = ? AND batch = ?"),
            arguments: [Int64(bitPattern: id.store), Int64(bitPattern: id.number)])
    }

    /// Returns the batches after a position, oldest first, with the values that no later one has overwritten. The last
    /// batch of a store is there even if it has none left.
    func batches(after position: Int64, in database: Database) throws -> [StoredBatch] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT position, store, batch, author, key, value, exact FROM \(table) WHERE position > ?
                UNION ALL
                SELECT position, store, batch, NULL, NULL, NULL, NULL FROM \(table)_stores WHERE position > ?
                ORDER BY position, store, key
                """)
        var batches: [StoredBatch] = []
        for row in try Row.fetchAll(statement, arguments: [position, position]) {
            let (store, number): (Int64, Int64) = (row["store"], row["batch"])
            let id = StorageBatch.ID(store: UInt64(bitPattern: store), number: UInt64(bitPattern: number))
            if batches.last?.id != id { batches.append(StoredBatch(StorageBatch(id: id, revision: 0, values: [:]))) }
            guard let text = row["key"] as String? else { continue }
            let (key, value) = try setting(text, in: row)
            batches[batches.count - 1].author = row["author"]
            batches[batches.count - 1].values.updateValue(value, forKey: key)
        }
        return batches
    }

    private func setting(_ text: String, in row: Row) throws -> (key: SettingKey, value: SettingValue?) {
        let (json, exact): (String?, Data?) = (row["value"], row["exact"])
        do {
            guard let key = SettingKey(text) else { throw StorageError(.unreadable, "That is not a key.") }
            if let exact { return (key, try SettingValue(bytes: exact)) }
            return (key, try json.map { try SettingValue(json: Data($0.utf8)) })
        } catch {
            throw StorageError(.unreadable, "\(name): The row of “\(text)” in “\(table)” can't be read: \(error)")
        }
    }

    /// Returns the names of the migrations that were made.
    func migrations(in database: Database) throws -> [String] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT key, value, exact FROM \(table) WHERE key >= '$settle' AND key < '$settle/' ORDER BY position, key
                """)
        var tree = SettingTree()
        for row in try Row.fetchAll(statement) {
            let (key, value) = try setting(row["key"], in: row)
            tree[key] = value
        }
        guard let record = tree["$settle"] else { return [] }
        if case .dictionary(let parts) = record {
            guard let steps = parts["migrations"] else { return [] }
            if case .array(let values) = steps {
                let names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
                if names.count == values.count { return names }
            }
        }
        throw StorageError(.migrated, "The record of migrations in \(name) can't be read.")
    }

    // MARK: Writing

    /// Stores the values of a batch, and remembers it as the last one of its store.
    func addSettings(of batch: StorageBatch, at position: Int64, to database: Database) throws {
        if state.withLock({ $0.stores.insert(batch.id.store).inserted }) {
            // None of them repeats a batch any more.
            try database.execute(
                sql: "DELETE FROM \(table)_stores WHERE time < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 days')")
        }
        let (store, number) = (Int64(bitPattern: batch.id.store), Int64(bitPattern: batch.id.number))
        func write(_ value: SettingValue?, at key: SettingKey, by store: Int64) throws {
            // What is within the key. In the order of bytes, the slash comes after the dot.
            try database.cachedStatement(sql: "DELETE FROM \(table) WHERE key >= ? AND key < ?")
                .execute(arguments: ["\(key).", "\(key)/"])
            let (json, exact) = Self.columns(for: value)
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?, ?, \(Self.timestamp), ?, ?, ?)"
            ).execute(arguments: [key.description, json, exact, position, batch.author, store, number])
        }
        for (key, value) in batch.settings {
            // Otherwise the replaced value would come back once the key is removed.
            if value != nil, let replaced = try keyReplaced(by: key, in: database) {
                try write(nil, at: replaced, by: Self.nobody)
            }
            try write(value, at: key, by: store)
        }
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO \(table)_stores VALUES (?, ?, ?, \(Self.timestamp))")
            .execute(arguments: [store, number, position])
    }

    /// Returns the key around another one that has a value other than a dictionary, if there is one.
    private func keyReplaced(by key: SettingKey, in database: Database) throws -> SettingKey? {
        var tree = SettingTree()
        for parent in key.parents {
            let statement = try database.cachedStatement(sql: "SELECT value, exact FROM \(table) WHERE key = ?")
            guard let row = try Row.fetchOne(statement, arguments: [parent.description]) else { continue }
            tree[parent] = try setting(parent.description, in: row).value
        }
        return key.parents.first { parent in
            switch tree[parent] {
            case nil, .dictionary?: false
            default: true
            }
        }
    }

    /// JSON for people and for SQLite's functions, and bytes where JSON alone would lose something, as with a date.
    private static func columns(for value: SettingValue?) -> (json: String?, exact: Data?) {
        guard let value else { return (nil, nil) }
        guard let json = try? value.json() else { return (nil, Data(value.bytes)) }
        let isExact = (try? SettingValue(json: json)) == value
        return (String(decoding: json, as: UTF8.self), isExact ? nil : Data(value.bytes))
    }
}

extension [StoredBatch] {
    /// The values after all of them.
    var tree: SettingTree { reduce(into: SettingTree()) { tree, batch in tree.apply(batch.values) } }
}

extension StorageBatch {
    /// The values to store. Keys within another key of the batch become part of its value. A key that the table can't
    /// have isn't there to be removed either, and tickets are not for the table.
    fileprivate var settings: [(key: SettingKey, value: SettingValue?)] {
        var tree = SettingTree()
        tree.apply(values)
        return values.keys.filter { key in
            key.isStorable && !key.isTicket && !key.parents.contains { values[$0] != nil }
        }.map { ($0, tree[$0]) }
    }
}

extension SettingKey {
    /// Whether it can be a text in a column: without empty names, and without zero bytes, where SQLite's texts end.
    var isStorable: Bool { SettingKey(description) != nil && !description.utf8.contains(0) }
}
