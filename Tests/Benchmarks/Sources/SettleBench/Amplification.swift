import Foundation
import Settle

/// How many bytes are written for each that changes.
enum Amplification {
    static let all = [
        Benchmark(rows: ["R49"]) { plan in
            // Counted, not measured: there is nothing to profile.
            guard plan.profiledSeconds == nil else { return [] }
            return try await tryOnOwnThread {
                try [20, 300, 3_000, 30_000].flatMap { count in
                    try [false, true].map { try measure(keys: count, hasHistory: $0) }
                }
            }
        }
    ]

    /// Ten writes a second, and every two seconds the store asks for the file.
    private static let writesPerCheckpoint = 20

    private static func measure(keys count: Int, hasHistory: Bool) throws -> RowResult {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(count), to: file)
        let size = try Data(contentsOf: file).count
        let storage = FileStorage(at: file)
        var tree = try storage.load().tree
        if hasHistory { try storage.keepHistory(.keep()) }
        let author = TransactionAuthor(program: "settle-bench", process: getpid(), user: "somebody")
        var number = 0
        func write() throws {
            let (old, new) = (tree["count"], SettingValue.real(Double(number) + 0.1))
            tree["count"] = new
            let mutation = StoredMutation(key: "count", oldValue: old, newValue: new)
            let transaction = StoredTransaction(
                time: Date.now.timeIntervalSinceReferenceDate, author: author, origin: .local, mutations: [mutation])
            let batch = StorageBatch(revision: UInt64(number), values: ["count": new], transactions: [transaction])
            try storage.append(batch, durability: .buffered)
            number += 1
            if number % writesPerCheckpoint == 0 { _ = try storage.checkpoint(tree, for: .changing) }
        }
        // The first ones make the journal. Then long enough for the file and the journal to be written several times.
        for _ in 0..<writesPerCheckpoint { try write() }
        let (start, before) = (number, writtenBytes())
        for _ in 0..<(10_000 + size / 4) { try write() }
        let bytes = Double(writtenBytes() - before) / Double(number - start)
        storage.close()
        let row = Row(
            id: "R49", subject: "bytes for one of 8, \(size / 1_024) KiB\(hasHistory ? ", history" : "")",
            limit: "the 8 bytes", goal: 25, unit: .bytes)
        return RowResult(row, Comparison(ours: bytes, limit: 8, ratio: bytes / 8))
    }

    /// What this process has handed to the kernel to be written; 0 where the system does not count it.
    private static func writtenBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
        return line.flatMap { Int($0.dropFirst("wchar: ".count)) } ?? 0
    }
}
