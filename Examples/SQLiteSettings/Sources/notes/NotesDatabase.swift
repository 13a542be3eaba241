import GRDB
import Settle
import SettleSQLite

struct NotesSettings: SettingsGroup {
    /// Whether the newest note comes first in the list.
    @Setting var newestFirst = false
    /// The number of the last note.
    @Setting(in: 0...1_000_000_000) var lastNumber = 0
}

struct Note: Sendable {
    var number: Int
    var text: String
}

/// A database with a table of notes and the settings of the program.
struct NotesDatabase: Sendable {
    let pool: DatabasePool
    let storage: SQLiteStorage
    let store: SettingsStore
    let settings: NotesSettings

    static func open(_ path: String) async throws -> NotesDatabase {
        var configuration = Configuration()
        // Another process may be writing.
        configuration.busyMode = .timeout(5)
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
            try await pool.write { database in
                try database.execute(
                    sql: "CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            }
        } catch let error as DatabaseError {
            throw NotesError(description: "“\(path)”: \(error)")
        }
        let storage = SQLiteStorage(pool)
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(NotesSettings.self)
        return NotesDatabase(pool: pool, storage: storage, store: store, settings: settings)
    }

    /// Stores a note and its number: after a crash, the number is that of the last note.
    func add(_ text: String) async throws -> Int {
        try await storage.commit(in: store, author: "notes") {
            settings.lastNumber += 1
            return settings.lastNumber
        } rows: { database, number in
            try database.execute(sql: "INSERT INTO notes (number, text) VALUES (?, ?)", arguments: [number, text])
        }
    }

    func list() async throws -> [Note] {
        let order = settings.newestFirst ? "DESC" : "ASC"
        return try await pool.read { database in
            try Row.fetchAll(database, sql: "SELECT number, text FROM notes ORDER BY number \(order)").map {
                Note(number: $0["number"], text: $0["text"])
            }
        }
    }

    func close() async throws {
        try await store.close()
        try pool.close()
    }
}

struct NotesError: Error, CustomStringConvertible {
    var description: String
}
