import Foundation
import GRDB
import Settle

/// The tables of a storage. Each function is part of a transaction of its caller.
///
/// The table of settings has one row for each key that has ever been written: its last change. A removed key keeps its
/// row, without a value, so that storages that are behind learn of the removal. Rows with values never overlap: a key
/// replaces the rows within it, and a key within the value of a row changes that row.
///
///     settings:        key  value  exact  position  time  author  store  batch
///     settings_stores: store  batch  position  time        the last batch of each store
///     settings_locks:  name  number  expires               who holds a named lock
struct SettingsTables: Sendable {
    /// The last change of a key.
    struct Entry {
        var key: SettingKey
        /// `nil` if the key is no longer stored.
        var value: SettingValue?
        var position: Int64
        var author: String?
        /// The batch that has written the value; of store 0 if several stores have.
        var batch: StorageBatch.ID
    }

    private let name: String
    private let settings: String
    private let stores: String
    private let locks: String

    /// The store of a row in which the changes of several stores are mixed. All of them are notified of it.
    private static let severalStores: UInt64 = 0
    private static let now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
    private static let hasValue = "(value IS NOT NULL OR exact IS NOT NULL)"

    init(named name: String) {
        (self.name, settings, stores, locks) = (name, "\"\(name)\"", "\"\(name)_stores\"", "\"\(name)_locks\"")
    }

    // MARK: Creating

    func exist(in database: Database) throws -> Bool { try database.tableExists("\(name)_locks") }

    /// Creates the tables. The last statement throws if the program has another table of that name.
    func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(settings) (
                    key TEXT PRIMARY KEY NOT NULL, value TEXT, exact BLOB, position INTEGER NOT NULL, time TEXT NOT NULL,
                    author TEXT, store INTEGER NOT NULL, batch INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS \(stores) (
                    store INTEGER PRIMARY KEY, batch INTEGER NOT NULL, position INTEGER NOT NULL, time TEXT NOT NULL
                ) STRICT;
                CREATE TABLE IF NOT EXISTS \(locks) (
                    name TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL, expires REAL NOT NULL
                ) STRICT, WITHOUT ROWID;
                SELECT key, value, exact, position, time, author, store, batch FROM \(settings) LIMIT 0;
                """)
    }

    // MARK: Reading

    /// The position of the last batch; 0 if there has been none.
    func newest(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database.cachedStatement(sql: "SELECT MAX(position) FROM \(stores)")) ?? 0
    }

    /// The position of a batch, if it is the last one of its store.
    func position(of id: StorageBatch.ID, in database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT position FROM \(stores) WHERE store = ? AND batch = ?"),
            arguments: [Int64(bitPattern: id.store), Int64(bitPattern: id.number)])
    }

    /// The positions of those batches that are the last ones of their stores, if they are after a position.
    func positions(
        of ids: Set<StorageBatch.ID>, after start: Int64, in database: Database
    ) throws -> [Int64: StorageBatch.ID] {
        try ids.reduce(into: [:]) { found, id in
            if let position = try self.position(of: id, in: database), position > start { found[position] = id }
        }
    }

    /// The changes after a position, in an order in which they can be applied.
    func entries(after position: Int64, in database: Database) throws -> [Entry] {
        try Row.fetchAll(
            database.cachedStatement(sql: "SELECT * FROM \(settings) WHERE position > ? ORDER BY position, key"),
            arguments: [position]
        ).map(Entry.init)
    }

    /// The names of the migrations that were made; `nil` if the record is no list of names.
    func migrations(in database: Database) throws -> [String]? {
        let entries = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT * FROM \(settings) WHERE key = ? OR (key >= ? AND key < ?) ORDER BY position, key"),
            arguments: ["$settle", "$settle.", "$settle/"]
        ).map(Entry.init)
        guard let record = entries.tree["$settle"] else { return [] }
        guard case .dictionary(let parts) = record else { return nil }
        guard let steps = parts["migrations"] else { return [] }
        guard case .array(let values) = steps else { return nil }
        let names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
        return names.count == values.count ? names : nil
    }

    // MARK: Writing

    /// Stores the values of a batch, and remembers it as the last one of its store.
    func add(
        _ values: [SettingKey: SettingValue?], of batch: StorageBatch, at position: Int64, in database: Database
    ) throws {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            // A key that the table can't have isn't there to be removed either.
            guard value != nil || key.isStorable else { continue }
            try set(value, at: key, of: batch, at: position, in: database)
        }
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO \(stores) VALUES (?, ?, ?, \(Self.now))")
            .execute(arguments: [Int64(bitPattern: batch.id.store), Int64(bitPattern: batch.id.number), position])
    }

    /// Forgets the stores that have stored nothing for 30 days. None of them repeats a batch any more.
    func forgetOldStores(in database: Database) throws {
        try database.execute(
            sql: "DELETE FROM \(stores) WHERE time < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 days')")
    }

    private func set(
        _ value: SettingValue?, at key: SettingKey, of batch: StorageBatch, at position: Int64, in database: Database
    ) throws {
        var (key, value, id) = (key, value, batch.id)
        if let outer = try entry(around: key, in: database) {
            var tree = SettingTree()
            tree[outer.key] = outer.value
            tree[key] = value
            (key, value) = (outer.key, tree[outer.key])
            if outer.batch.store != id.store { id = StorageBatch.ID(store: Self.severalStores, number: 0) }
        }
        // The character after the dot in the order of bytes is the slash.
        try database.cachedStatement(sql: "DELETE FROM \(settings) WHERE key >= ? AND key < ?")
            .execute(arguments: ["\(key).", "\(key)/"])
        let (json, exact) = Self.columns(for: value)
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO \(settings) VALUES (?, ?, ?, ?, \(Self.now), ?, ?, ?)"
        ).execute(arguments: [
            key.description, json, exact, position, batch.author, Int64(bitPattern: id.store),
            Int64(bitPattern: id.number),
        ])
    }

    /// The row of whose value a key is a part.
    private func entry(around key: SettingKey, in database: Database) throws -> Entry? {
        for outer in key.parents {
            let row = try Row.fetchOne(
                database.cachedStatement(sql: "SELECT * FROM \(settings) WHERE key = ? AND \(Self.hasValue)"),
                arguments: [outer.description])
            if let row { return try Entry(row) }
        }
        return nil
    }

    /// JSON for people and for SQLite's functions, and bytes where JSON alone would lose something, as with a date.
    private static func columns(for value: SettingValue?) -> (json: String?, exact: Data?) {
        guard let value else { return (nil, nil) }
        guard let json = try? value.json() else { return (nil, Data(value.bytes)) }
        let isExact = (try? SettingValue(json: json)) == value
        return (String(decoding: json, as: UTF8.self), isExact ? nil : Data(value.bytes))
    }
}

// MARK: Named locks

extension SettingsTables {
    /// Takes a lock that nobody holds.
    ///
    /// - Returns: Its new fencing number; `nil` if somebody holds it.
    func lock(_ name: String, for length: TimeInterval, in database: Database) throws -> Int64? {
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT number, expires FROM \(locks) WHERE name = ?"), arguments: [name])
        var (number, expires): (Int64, TimeInterval) = (0, 0)
        if let row {
            number = row["number"]
            expires = row["expires"]
        }
        guard expires <= Self.seconds else { return nil }
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO \(locks) VALUES (?, ?, ?)")
            .execute(arguments: [name, number + 1, Self.seconds + length])
        return number + 1
    }

    /// Lets a lease last from now on, or ends it with a length of 0.
    ///
    /// - Returns: Whether it was held.
    func renew(_ lease: StorageLease, for length: TimeInterval, in database: Database) throws -> Bool {
        guard try isHeld(lease, in: database) else { return false }
        let end: TimeInterval = length == 0 ? 0 : Self.seconds + length
        try database.cachedStatement(sql: "UPDATE \(locks) SET expires = ? WHERE name = ?")
            .execute(arguments: [end, lease.name])
        return true
    }

    func isHeld(_ lease: StorageLease, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT COUNT(*) FROM \(locks) WHERE name = ? AND number = ? AND expires > ?")
        let arguments: StatementArguments = [lease.name, Int64(bitPattern: lease.fencingNumber), Self.seconds]
        return try Int.fetchOne(statement, arguments: arguments) == 1
    }

    /// Seconds since 1970, by a clock that all processes of the machine share.
    private static var seconds: TimeInterval { Date().timeIntervalSince1970 }
}

// MARK: Rows

/// A row of the table of settings that is not as the storage writes it.
struct UnreadableRow: Error, CustomStringConvertible {
    let key: String
    let reason: String

    var description: String { "The row of “\(key)” in the table of settings can't be read: \(reason)" }
}

extension SettingsTables.Entry {
    init(_ row: Row) throws {
        let text: String = row["key"]
        guard let key = SettingKey(text) else { throw UnreadableRow(key: text, reason: "That is not a key.") }
        self.key = key
        position = row["position"]
        author = row["author"]
        let store: Int64 = row["store"]
        let number: Int64 = row["batch"]
        batch = StorageBatch.ID(store: UInt64(bitPattern: store), number: UInt64(bitPattern: number))
        let exact: Data? = row["exact"]
        let json: String? = row["value"]
        do {
            if let exact {
                value = try SettingValue(bytes: exact)
            } else if let json {
                value = try SettingValue(json: Data(json.utf8))
            } else {
                value = nil
            }
        } catch {
            throw UnreadableRow(key: text, reason: "\(error)")
        }
    }
}

extension [SettingsTables.Entry] {
    /// The value of each key.
    var values: [SettingKey: SettingValue?] {
        Dictionary(map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// The stored values, from all entries in order.
    var tree: SettingTree {
        reduce(into: SettingTree()) { tree, entry in tree[entry.key] = entry.value }
    }
}

extension SettingKey {
    /// Whether it can be a text in a column: without empty names, and without zero bytes, where SQLite's texts end.
    var isStorable: Bool { SettingKey(description) != nil && !description.utf8.contains(0) }
}
