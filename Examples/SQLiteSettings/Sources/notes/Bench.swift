import ArgumentParser
import Foundation
import GRDB
import Settle
import SettleSQLite

/// Measures a commit beside GRDB, which writes the same row of the same table with the same durability.
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
        let settings = notes.settings
        let pool = try DatabasePool(path: folder.appending(path: "row.sqlite").path)
        // Creates the same table, and sets the same durability.
        _ = try await SQLiteStorage(pool).load()

        // The median of the ratios of neighbouring blocks, whose order alternates.
        var ratios: [Double] = []
        for pair in 0..<max(1, pairs) {
            var (ours, other): (Duration, Duration) = (.zero, .zero)
            for isOurs in pair.isMultiple(of: 2) ? [true, false] : [false, true] {
                if isOurs {
                    ours = try await time { try await settings.commit { settings.lastNumber += 1 } }
                } else {
                    other = try await time { try await pool.write(Self.assign) }
                }
            }
            ratios.append(ours / other)
        }
        try await notes.close()
        let median = String(format: "%.2f", ratios.sorted()[ratios.count / 2])
        print("R35 commit ÷ GRDB writing the same row (goal ≤ 1.3)  \(median)")
    }

    private func time(_ body: () async throws -> Void) async throws -> Duration {
        let start = ContinuousClock.now
        for _ in 0..<Self.turns { try await body() }
        return ContinuousClock.now - start
    }

    /// The row of a setting, as a program would write it without a storage.
    @Sendable private static func assign(in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO settings VALUES ('lastNumber', '1', 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NULL)
                ON CONFLICT (key) DO UPDATE SET
                value = CAST(value + 1 AS TEXT), position = position + 1, time = excluded.time
                """)
        try statement.execute()
    }
}
