import Foundation
import Settle

/// From a write in one process to a task in another.
enum Crossings {
    static let all = [
        Benchmark(rows: ["R21"]) { plan in
            var results: [RowResult] = []
            for count in [10, 100_000] { results += try await measure(keys: count, plan) }
            return results
        }
    ]

    private static func measure(keys count: Int, _ plan: Plan) async throws -> [RowResult] {
        func row(_ which: String) -> Row {
            Row(
                id: "R21", subject: "set until a task of another process has it, \(count) keys, \(which)",
                limit: "append, inotify, tail read, task", goal: 1.6, stretch: 1.2)
        }
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(count), to: file)
        let store = try await SettingsStore.open(at: file)
        let settings = try await store.group(BenchSettings.self)
        // Creates the journal now, so that a follower does not have to find it first.
        try await settings.commit { settings.count = 2 }

        let samples: (pairs: PairedSamples, lost: Int) = try await tryOnOwnThread {
            let follower = try ChildProcess(.follower, file)
            if plan.profile({ _ in _ = crossing(to: follower) { settings.count += 1 } }) { return (PairedSamples(), 0) }
            let log = try PlainLog(in: folder)
            let logFollower = try ChildProcess(.logFollower, log.url)
            let bytes = [UInt8](repeating: 0x55, count: 64)
            var (pairs, lost) = (PairedSamples(), 0)
            for _ in 0..<(plan.samples / 2) {
                let ours = crossing(to: follower) { settings.count += 1 }
                let limit = crossing(to: logFollower) { log.append(bytes) }
                if let ours, let limit { pairs.append(ours, limit) } else { lost += 1 }
            }
            return (pairs, lost)
        }
        try await store.close()
        let notes = samples.lost == 0 ? [] : ["WRONG: \(samples.lost) were lost"]
        return [
            RowResult(row("median"), samples.pairs.ratioOfQuantiles(0.5), notes: notes),
            RowResult(row("p99"), samples.pairs.ratioOfQuantiles(0.99)),
        ]
    }

    /// Nanoseconds until a child has what is written. Both processes share one clock.
    private static func crossing(to child: ChildProcess, _ write: () -> Void) -> Double? {
        // Longer than a store's pause after an append, as in an app that writes from time to time.
        usleep(5_000)
        Stillness.wait()
        let start = nanoseconds()
        write()
        return child.receive().map { Double($0) - Double(start) }
    }
}
