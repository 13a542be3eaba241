import Foundation
import Settle

/// Appending to the journal, without a sync.
enum Journaling {
    static let all = [
        Benchmark(rows: ["R15"]) { plan in
            try await tryOnOwnThread {
                var results = try [10, 1_000, 100_000].map { try measure(keys: $0, plan) }
                if plan.profiledSeconds == nil { results.append(try flatness(plan)) }
                return results
            }
        }
    ]

    private static func measure(keys count: Int, _ plan: Plan) throws -> RowResult {
        let row = Row(
            id: "R15", subject: "journal one key, unsynced, \(count) keys", limit: "checksum and append",
            goal: 3, stretch: 1.5)
        // One size is enough for a profiler.
        if plan.profiledSeconds != nil, count != 1_000 { return RowResult(row, .none) }
        let subject = try JournalSubject(keys: count)
        let log = try PlainLog(in: subject.folder)
        subject.append(1)
        var bytes = [UInt8](repeating: 0x55, count: try subject.recordSize())
        let comparison = plan.compare(
            prepare: {
                subject.rest()
                log.clear()
            },
            subject: subject.append,
            limit: { turns in
                for _ in 0..<turns { log.appendWithChecksum(&bytes) }
            })
        var notes = ["\(bytes.count) bytes"]
        if plan.profiledSeconds == nil, count == 1_000 {
            notes.append("while it is watched \(try watched(count, plan))×")
        }
        return RowResult(row, comparison, notes: notes + subject.problems)
    }

    /// What notices of its own appends cost the process.
    private static func watched(_ count: Int, _ plan: Plan) throws -> String {
        let (subject, other) = (try JournalSubject(keys: count), try JournalSubject(keys: count))
        subject.storage.watch { _ in }
        let comparison = plan.compare(
            pairs: plan.peerPairs,
            prepare: {
                subject.rest()
                other.rest()
            }, subject: subject.append, limit: other.append)
        return Table.ratio(comparison.ratio)
    }

    private static func flatness(_ plan: Plan) throws -> RowResult {
        let (large, small) = (try JournalSubject(keys: 100_000), try JournalSubject(keys: 10))
        let comparison = plan.compare(
            prepare: {
                large.rest()
                small.rest()
            },
            subject: large.append, limit: small.append)
        let row = Row(
            id: "R15", subject: "the same, 100,000 keys", limit: "the same, 10 keys", goal: 1.5, stretch: 1.1)
        return RowResult(row, comparison, notes: large.problems + small.problems)
    }
}

/// A file storage with many keys, which change one after another.
private final class JournalSubject {
    let folder: URL
    let storage: FileStorage
    private let file: URL
    private let keys: [SettingKey]
    private var tree: SettingTree
    private var value: Int64 = 1_000_000
    private var revision: UInt64 = 0
    private var appended = 0
    private(set) var problems: [String] = []

    init(keys count: Int) throws {
        folder = try temporaryFolder()
        file = folder.appending(path: "settings.json")
        let names = Samples.keys(count)
        try JSONFile.write(keys: names, to: file)
        // Few keys, spread over all of them, so that the storage's bookkeeping stays in the processor's cache.
        keys = stride(from: 0, to: count, by: max(1, count / 10)).map { SettingKey(stringLiteral: names[$0]) }
        storage = FileStorage(at: file)
        tree = try storage.load().tree
    }

    deinit {
        storage.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// What a store does after one key has changed: makes a batch and appends it.
    func append(_ turns: Int) {
        for turn in 0..<turns {
            let key = keys[turn % keys.count]
            revision += 1
            let batch = StorageBatch(
                revision: revision, values: [key: .integer(value + 1)], expectedValues: [key: .integer(value)])
            value += 1
            do { try storage.append(batch, durability: .buffered) } catch { note("\(error)") }
        }
        appended += turns
    }

    /// Writes the file once the journal has grown large, as a store would; a new journal follows.
    func rest() {
        guard appended > 2_000 else { return }
        appended = 0
        for key in keys { tree[key] = .integer(value) }
        do { _ = try storage.checkpoint(tree, for: .closing) } catch { note("\(error)") }
    }

    /// The size in bytes of the journal's last record.
    func recordSize() throws -> Int {
        let journal = try Data(contentsOf: folder.appending(path: ".settings.json.journal"))
        // The header says where the record with all values begins, behind which the others stand.
        var (offset, size) = ((0..<8).reduce(0) { $0 | Int(journal[64 + $1]) << (8 * $1) }, 0)
        while offset + 32 <= journal.count {
            let payload = (0..<4).reduce(0) { $0 | Int(journal[offset + $1]) << (8 * $1) }
            guard payload > 0 else { break }
            size = (32 + payload + 7) & ~7
            offset += size
        }
        return size
    }

    private func note(_ problem: String) {
        if problems.isEmpty { problems.append("WRONG: \(problem)") }
    }
}
