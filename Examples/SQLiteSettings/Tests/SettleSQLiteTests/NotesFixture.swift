import Foundation
import GRDB
import Settle
import SettleSQLite
import SettleTesting

extension GRDB.Configuration {
    /// Waits for other connections.
    static var waiting: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(20)
        return configuration
    }
}

struct NoteSettings: SettingsGroup {
    @Setting(in: 0...1_000) var count = 0
    @Setting var title = ""
}

/// A setting whose encoder refuses 13.
struct PickySettings: SettingsGroup {
    private struct Refusal: Error {}

    @Setting(
        codec: SettingCodec(
            encode: { value in
                if value == 13 { throw Refusal() }
                return .integer(Int64(value))
            },
            decode: { value in
                guard case .integer(let number) = value else { throw Refusal() }
                return Int(number)
            }))
    var number = 0
}

/// A database with notes, and a store in it.
struct NotesFixture: Sendable {
    let pool: DatabasePool
    let storage: SQLiteStorage
    let store: SettingsStore
    let settings: NoteSettings

    init(_ folder: URL, _ configuration: GRDB.Configuration = .waiting) async throws {
        let pool = try DatabasePool(path: folder.appending(path: "notes.sqlite").path, configuration: configuration)
        try await self.init(pool, SQLiteStorage(pool, interval: .milliseconds(5)))
    }

    /// - Parameter wrapper: A storage around the other one.
    init(_ pool: DatabasePool, _ storage: SQLiteStorage, within wrapper: FailingStorage? = nil) async throws {
        (self.pool, self.storage) = (pool, storage)
        try await pool.write { database in
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY, text BLOB NOT NULL)")
        }
        let outermost: any Storage = if let wrapper { wrapper } else { storage }
        store = try await SettingsStore.open(storage: outermost)
        settings = try await store.group(NoteSettings.self)
    }

    /// Counts one more note, and stores it under that number.
    @discardableResult
    func add() async throws -> Int {
        try await storage.commit(in: store) {
            settings.count += 1
            return settings.count
        } rows: { database, number in
            try database.execute(sql: "INSERT INTO notes VALUES (?, 'text')", arguments: [number])
        }
    }

    /// The numbers of the notes, and the stored count, as another connection sees them.
    func stored() async throws -> (numbers: [Int], count: Int?) {
        let queue = try DatabaseQueue(path: pool.path, configuration: .waiting)
        let found = try await queue.read { database in
            (
                try Int.fetchAll(database, sql: "SELECT number FROM notes ORDER BY number"),
                try Int.fetchOne(database, sql: "SELECT value FROM settings WHERE key = 'count'")
            )
        }
        try queue.close()
        return found
    }
}
