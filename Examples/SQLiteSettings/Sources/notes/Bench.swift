import ArgumentParser
import Foundation
import GRDB
import Settle
import SettleSQLite

/// Measures a commit beside GRDB, which writes the same row.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures a commit beside a row that GRDB writes.")

    @Option(help: "How many pairs of blocks to measure.")
    var pairs = 300

    private static let turns = 8

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let notes = try await NotesDatabase.open(folder.appending(path: "notes.sqlite").path)
        let row = try await RowFixture(folder.appending(path: "row.sqlite").path)
        let settings = notes.settings

        func commits() async throws { try await settings.commit { settings.lastNumber += 1 } }
        let awaited = try await ratio(commits) { try await row.write() }
        let blocking = try await ratio(commits) { try row.writeOnThisThread() }
        try await notes.close()
        print("R35 commit ÷ GRDB writing the same row, awaited (goal ≤ 1.3)  \(awaited)")
        print("    commit ÷ GRDB writing the same row, on its thread        \(blocking)")
    }

    /// The median of the ratios of neighbouring blocks, whose order alternates.
    private func ratio(
        _ subject: () async throws -> Void, _ limit: () async throws -> Void
    ) async throws -> String {
        var ratios: [Double] = []
        for pair in 0..<max(1, pairs) {
            let (ours, other): (Duration, Duration)
            if pair.isMultiple(of: 2) {
                ours = try await time(subject)
                other = try await time(limit)
            } else {
                other = try await time(limit)
                ours = try await time(subject)
            }
            ratios.append(ours / other)
        }
        return String(format: "%.2f", ratios.sorted()[ratios.count / 2])
    }

    private func time(_ body: () async throws -> Void) async throws -> Duration {
        let start = ContinuousClock.now
        for _ in 0..<Self.turns { try await body() }
        return ContinuousClock.now - start
    }
}

/// The row of a setting, as a program would write it without a storage.
private struct RowFixture {
    private let pool: DatabasePool

    init(_ path: String) async throws {
        pool = try DatabasePool(path: path)
        // The same tables and the same durability.
        _ = try await SQLiteStorage(pool).load()
    }

    func write() async throws { try await pool.write(Self.assign) }

    func writeOnThisThread() throws { try pool.write(Self.assign) }

    @Sendable private static func assign(in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO settings VALUES ('lastNumber', '1', NULL, 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NULL, 1, 1)
                ON CONFLICT (key) DO UPDATE SET
                value = CAST(value + 1 AS TEXT), position = position + 1, time = excluded.time, batch = batch + 1
                """)
        try statement.execute()
    }
}
