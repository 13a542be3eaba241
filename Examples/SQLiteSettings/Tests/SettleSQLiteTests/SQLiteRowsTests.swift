import Foundation
import GRDB
import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleSQLite

/// Rows of the program that are stored with settings.
@Suite(.timeLimit(.minutes(5))) struct SQLiteRowsTests {
    private struct Refusal: Error {}

    private static let ticketKey = SQLiteStorage.ticketKey

    @Test("Settings and rows of a commit are stored together") func together() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            #expect(try await notes.add() == 1)
            #expect(try await notes.add() == 2)
            let stored = try await notes.stored()
            #expect(stored.numbers == [1, 2] && stored.count == 2)
            try await notes.store.close()
            let again = try await NotesFixture(folder)
            #expect(again.settings.count == 2)
            #expect(again.store.keys[Self.ticketKey] == nil)
            try await again.store.close()
        }
    }

    @Test("If the closure of the rows throws, neither is stored, and its error is thrown")
    func rowsThrow() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            try await notes.add()
            await #expect(throws: Refusal.self) {
                try await notes.storage.commit(in: notes.store) {
                    notes.settings.count += 1
                } rows: { database, _ in
                    try database.execute(sql: "INSERT INTO notes VALUES (7, 'text')")
                    throw Refusal()
                }
            }
            #expect(notes.settings.count == 1)
            let stored = try await notes.stored()
            #expect(stored.numbers == [1] && stored.count == 1)
            #expect(try await notes.add() == 2)
            try await notes.store.close()
        }
    }

    @Test("If the closure of the settings throws, or breaks a rule, neither is stored")
    func settingsThrow() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            await #expect(throws: Refusal.self) {
                try await notes.storage.commit(in: notes.store) {
                    notes.settings.count += 1
                    throw Refusal()
                } rows: { database, _ in
                    try database.execute(sql: "INSERT INTO notes VALUES (7, 'text')")
                }
            }
            await #expect(throws: SettingsError.self) {
                try await notes.storage.commit(in: notes.store) {
                    notes.settings.title = "new"
                    notes.settings.count = 9_999
                } rows: { database, _ in
                    try database.execute(sql: "INSERT INTO notes VALUES (8, 'text')")
                }
            }
            #expect(notes.settings.count == 0 && notes.settings.title.isEmpty)
            #expect(try await notes.stored().numbers == [])
            try await notes.store.close()
        }
    }

    @Test("A value that can't be encoded is left out, and the rest is stored with the rows")
    func unencodable() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            let picky = try await notes.store.group(PickySettings.self, at: "picky")
            let error = await #expect(throws: SettingsError.self) {
                try await notes.storage.commit(in: notes.store) {
                    picky.number = 13
                    notes.settings.count = 1
                } rows: { database, _ in
                    try database.execute(sql: "INSERT INTO notes VALUES (1, 'text')")
                }
            }
            #expect(error?.code == .encodingFailed && error?.key == "picky.number")
            let stored = try await notes.stored()
            #expect(stored.numbers == [1] && stored.count == 1)
            picky.number = 14
            try await notes.store.close()
        }
    }

    @Test("Commits that share a batch with rows that fail are stored") func innocentCommits() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask { _ = try await notes.add() }
                    group.addTask { try await notes.settings.commit { notes.settings.count += 50 } }
                    group.addTask {
                        await #expect(throws: Refusal.self) {
                            try await notes.storage.commit(in: notes.store) {
                                notes.settings.count += 1
                            } rows: { _, _ in
                                throw Refusal()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(notes.settings.count == 510)
            let stored = try await notes.stored()
            #expect(stored.numbers.count == 10 && stored.count == 510)
            try await notes.store.close()
        }
    }

    @Test("Rows of commits at the same time are written in the order of the commits") func order() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        _ = try await notes.storage.commit(in: notes.store) {
                            notes.settings.count += 1
                            return notes.settings.count
                        } rows: { database, count in
                            let last = try Int.fetchOne(database, sql: "SELECT MAX(number) FROM notes") ?? 0
                            try database.execute(
                                sql: "INSERT INTO notes VALUES (?, ?)", arguments: [last + 1, "\(count)"])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let texts = try await notes.pool.read { database in
                try String.fetchAll(database, sql: "SELECT text FROM notes ORDER BY number")
            }
            #expect(texts == (1...20).map { "\($0)" })
            try await notes.store.close()
        }
    }

    @Test("While another connection writes, a commit that doesn't wait stores neither") func busy() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder, GRDB.Configuration())
            var configuration = GRDB.Configuration.waiting
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: notes.pool.path, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let error = await #expect(throws: SettingsError.self) { try await notes.add() }
            #expect((error?.underlying as? StorageError)?.code == .locked)
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            let stored = try await notes.stored()
            #expect(notes.settings.count == 0 && stored.numbers == [] && stored.count == nil)
            #expect(try await notes.add() == 1)
            try await notes.store.close()
        }
    }

    @Test("A database without room stores neither, whichever of the two is too large") func full() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            try await notes.add()
            try await notes.pool.writeWithoutTransaction { database in
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                try database.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
            let rows = await #expect(throws: DatabaseError.self) {
                try await notes.storage.commit(in: notes.store) {
                    notes.settings.count += 1
                } rows: { database, _ in
                    try database.execute(sql: "INSERT INTO notes VALUES (2, zeroblob(1000000))")
                }
            }
            #expect(rows?.resultCode == .SQLITE_FULL)
            let settings = await #expect(throws: SettingsError.self) {
                try await notes.storage.commit(in: notes.store) {
                    notes.settings.title = String(repeating: "x", count: 1_000_000)
                } rows: { database, _ in
                    try database.execute(sql: "INSERT INTO notes VALUES (2, 'text')")
                }
            }
            #expect((settings?.underlying as? StorageError)?.code == .noSpace)
            #expect(notes.settings.count == 1 && notes.settings.title.isEmpty)
            try await notes.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
            let stored = try await notes.stored()
            #expect(stored.numbers == [1] && stored.count == 1)
            #expect(try await notes.add() == 2)
            try await notes.store.close()
        }
    }

    @Test("Two stores that add notes at once count each of them") func twoStores() async throws {
        try await withTemporaryFolder { folder in
            let stores = [try await NotesFixture(folder), try await NotesFixture(folder)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for notes in stores {
                    for _ in 0..<10 { group.addTask { _ = try await notes.add() } }
                }
                try await group.waitForAll()
            }
            let stored = try await stores[0].stored()
            #expect(stored.numbers == Array(1...20) && stored.count == 20)
            for notes in stores { try await notes.store.close() }
        }
    }

    @Test("A commit whose answer is lost is stored once, with its rows", arguments: [1, 2])
    func lostAnswers(count: Int) async throws {
        try await withTemporaryFolder { folder in
            let pool = try DatabasePool(path: folder.appending(path: "notes.sqlite").path, configuration: .waiting)
            let storage = SQLiteStorage(pool, interval: .milliseconds(5))
            let answers = FailingStorage(storage)
            let notes = try await NotesFixture(pool, storage, within: answers)
            answers.loseAnswers(count: count)
            if count == 1 {
                #expect(try await notes.add() == 1)
            } else {
                // The store has asked twice. The commit stands.
                await #expect(throws: SettingsError.self) { try await notes.add() }
                try await notes.store.flush()
            }
            let stored = try await notes.stored()
            #expect(notes.settings.count == 1 && stored.numbers == [1] && stored.count == 1)
            #expect(try await notes.add() == 2)
            expectNothingWaits(in: notes)
            try await notes.store.close()
        }
    }

    @Test("A commit that was given up after its outcome was unknown does not fail the next one")
    func givenUp() async throws {
        try await withTemporaryFolder { folder in
            let (notes, others) = (try await NotesFixture(folder), try await NotesFixture(folder))
            let commits = FailingCommits()
            notes.pool.add(transactionObserver: commits)
            await #expect(throws: SettingsError.self) { try await notes.add() }
            #expect(notes.settings.count == 1)
            try await others.settings.commit { others.settings.count = 5 }
            for await count in notes.settings.$count where count == 5 { break }
            #expect(notes.store.keys[Self.ticketKey] == nil)
            commits.heal()
            #expect(try await notes.add() == 6)
            let stored = try await notes.stored()
            #expect(stored.numbers == [6] && stored.count == 6)
            expectNothingWaits(in: notes)
            // The loss is for a flush of the program's own.
            let loss = await #expect(throws: SettingsError.self) { try await notes.store.flush() }
            #expect(loss?.code == .superseded)
            for fixture in [notes, others] { try await fixture.store.close() }
        }
    }

    /// Expects that no rows are left, so that nothing keeps their closures.
    private func expectNothingWaits(in notes: NotesFixture) {
        #expect(notes.storage.state.withLock { $0.rows.isEmpty })
    }

    @Test("The list of tickets has only those that are not stored yet") func tickets() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            for ticket in 1...3 {
                try await notes.add()
                #expect(notes.store.keys[Self.ticketKey] == .array([.integer(Int64(ticket))]))
            }
            expectNothingWaits(in: notes)
            try await notes.store.close()
        }
    }

    @Test("If another commit removes the tickets before they are stored, the rows are reported as missing")
    func removedTickets() async throws {
        try await withTemporaryFolder { folder in
            let pool = try DatabasePool(path: folder.appending(path: "notes.sqlite").path, configuration: .waiting)
            let storage = SQLiteStorage(pool, interval: .milliseconds(5))
            let appends = FailingStorage(storage)
            let notes = try await NotesFixture(pool, storage, within: appends)
            // Both wait for the first batch, and share the second one.
            let hold = appends.hold(.append)
            notes.settings.title = "first"
            await hold.waitUntilReached()
            let added = Task.immediate { try await notes.add() }
            let removal = Task.immediate {
                try await notes.store.commit { try notes.store.keys.removeValue(forKey: Self.ticketKey) }
            }
            hold.release()
            await #expect(throws: StorageError.self) { try await added.value }
            try await removal.value
            let stored = try await notes.stored()
            #expect(stored.numbers == [] && stored.count == 1)
            expectNothingWaits(in: notes)
            try await notes.store.close()
        }
    }

    @Test("A list of tickets that is removed, or brought back, is not stored") func ticket() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            try await notes.add()
            let stored: SettingValue? = notes.store.keys[Self.ticketKey]
            let values: [SettingValue?] = [nil, try #require(stored)]
            for value in values {
                try await notes.store.commit {
                    notes.settings.title += "x"
                    if let value {
                        try notes.store.keys.setValue(value, forKey: Self.ticketKey)
                    } else {
                        try notes.store.keys.removeValue(forKey: Self.ticketKey)
                    }
                }
                let keys = try await notes.pool.read { try String.fetchAll($0, sql: "SELECT key FROM settings") }
                #expect(Set(keys) == ["count", "title"])
            }
            #expect(try await notes.stored().numbers == [1])
            try await notes.store.close()
        }
    }

    @Test("Rows can't be stored with the settings of another storage") func otherStore() async throws {
        try await withTemporaryFolder { folder in
            let notes = try await NotesFixture(folder)
            let other = try await SettingsStore.open(storage: InMemoryStorage())
            let error = await #expect(throws: StorageError.self) {
                try await notes.storage.commit(in: other) {
                } rows: { database, _ in
                    try database.execute(sql: "INSERT INTO notes VALUES (7, 'text')")
                }
            }
            #expect(error?.code == .unsupported)
            #expect(try await notes.stored().numbers == [])
            expectNothingWaits(in: notes)
            try await other.close()
            try await notes.store.close()
        }
    }
}
