import Foundation
import GRDB
import Settle
import SettleTesting
import Testing

@testable import SettleSQLite

/// Values in JSON.
extension SQLiteStorageTests {
    private struct DeclaredSettings: SettingsGroup {
        @Setting var since = Date(timeIntervalSinceReferenceDate: 0)
        @Setting var token = Data()
    }

    @Test("A row has JSON as in a file of settings, its position and its author") func rows() async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            let date = SettingValue.date(Date(timeIntervalSinceReferenceDate: 0))
            _ = try await storage.append(
                batch(1, ["name": .string("a"), "window.width": .integer(7)], author: "alice"), durability: .synced)
            _ = try await storage.append(batch(2, ["name": nil, "since": date]), durability: .synced)
            let rows = try await pool(folder).read { database in
                try String.fetchAll(
                    database,
                    sql: """
                        SELECT key || ' ' || coalesce(value, '-') || ' ' || position || ' ' || coalesce(author, '-')
                        FROM settings ORDER BY key
                        """)
            }
            #expect(rows == ["name - 2 -", "since \"2001-01-01T00:00:00Z\" 2 -", "window.width 7 1 alice"])
            await storage.close()
        }
    }

    @Test("Dates and data come back as their settings declare them") func declaredValues() async throws {
        try await withTemporaryFolder { folder in
            let (since, token) = (Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7), Data([0, 255, 10]))
            let store = try await SettingsStore.open(storage: SQLiteStorage(try pool(folder)))
            let declared = try await store.group(DeclaredSettings.self)
            try await declared.commit { (declared.since, declared.token) = (since, token) }
            try await store.close()
            let again = try await SettingsStore.open(storage: SQLiteStorage(try pool(folder)))
            let found = try await again.group(DeclaredSettings.self)
            #expect(found.since == since && found.token == token)
            try await again.close()
        }
    }

    @Test("A number that JSON lacks is refused, and nothing of its batch is stored") func infinite() async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            let infinite = SettingValue.array([.real(.infinity)])
            #expect(throws: StorageError.self) { try storage.check(infinite, at: "a") }
            let error = await #expect(throws: StorageError.self) {
                try await storage.append(batch(1, ["a": infinite, "b": .integer(1)]), durability: .synced)
            }
            #expect(error?.code == .unsupportedValue)
            #expect(try await storage.load().outcome == .absent)
            await storage.close()
        }
    }

    @Test("A value that somebody has damaged by hand is reported with its key") func unreadableValue() async throws {
        try await withTemporaryFolder { folder in
            let (storage, _) = try await loaded(folder)
            _ = try await storage.append(batch(1, ["a.b": .integer(1)]), durability: .synced)
            await storage.close()
            let database = try pool(folder)
            try await database.write { try $0.execute(sql: "UPDATE settings SET value = '[1,'") }
            let damaged = SQLiteStorage(database)
            let error = await #expect(throws: StorageError.self) { try await damaged.load() }
            #expect(error?.code == .unreadable && error?.description.contains("“a.b”") == true, "\(error as Any)")
            await damaged.close()
        }
    }
}
