import Configuration
import Foundation
import Settle
import SystemPackage

/// From a file to the first value.
enum Opening {
    static let all = [
        Benchmark(rows: ["R19"]) { plan in
            var results: [RowResult] = []
            for (count, goal, stretch) in [(10, 2, 1.2), (1_000, 0.2, 0.1), (100_000, 0.1, 0.05)] {
                for hasJournal in [false, true] {
                    let row = Row(
                        id: "R19", subject: "open to first value, \(count) keys\(hasJournal ? ", journal" : "")",
                        limit: "JSONDecoder into [String: Int]", goal: goal, stretch: stretch)
                    results.append(try await measure(row, keys: count, hasJournal: hasJournal, plan))
                }
            }
            return results
        }
    ]

    private static func measure(
        _ row: Row, keys count: Int, hasJournal: Bool, _ plan: Plan
    ) async throws -> RowResult {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(count), to: file)
        if hasJournal { try await leaveJournal(beside: file) }

        if let seconds = plan.profiledSeconds {
            let end = nanoseconds() + UInt64(seconds * 1e9)
            while nanoseconds() < end { _ = await open(file) }
            return RowResult(row, .none)
        }
        let pairs = count == 100_000 ? max(5, plan.pairs / 30) : plan.pairs / 2
        _ = (await open(file), decode(file))
        let comparison = await plan.alternate(
            pairs: pairs, subject: { await open(file) }, limit: { decode(file) })
        var peers: [RowResult.Peer] = []
        // The peer's time grows with the square of the keys: minutes with 100,000.
        if plan.includesPeers, !hasJournal, count <= 1_000 {
            let comparison = await plan.alternate(
                pairs: 10, subject: { await openConfiguration(file) }, limit: { decode(file) })
            peers.append(RowResult.Peer(name: PeerName.configuration, ratio: comparison.ratio))
        }
        return RowResult(row, comparison, peers: peers)
    }

    /// Has a store write the file, so that a settled journal lies beside it, as in any folder an app has used.
    private static func leaveJournal(beside file: URL) async throws {
        let store = try await SettingsStore.open(at: file)
        let settings = try await store.group(BenchSettings.self)
        for value in 0..<100 { try await settings.commit { settings.count = value } }
        try await store.close()
        let journal = file.deletingLastPathComponent().appending(path: ".settings.json.journal")
        guard FileManager.default.fileExists(atPath: journal.path) else { throw CocoaError(.fileNoSuchFile) }
    }

    // MARK: Each in nanoseconds; NaN if the value is wrong

    private static func open(_ file: URL) async -> Double {
        let start = nanoseconds()
        guard let store = try? await SettingsStore.open(at: file),
            let group = try? await store.group(FirstSample.self)
        else { return .nan }
        let value = group.value
        let end = nanoseconds()
        try? await store.close()
        return value == 0 ? Double(end - start) : .nan
    }

    private static func decode(_ file: URL) -> Double {
        let start = nanoseconds()
        guard let data = try? Data(contentsOf: file),
            let values = try? JSONDecoder().decode([String: Int].self, from: data)
        else { return .nan }
        let value = values[Samples.key(0)]
        let end = nanoseconds()
        return value == 0 ? Double(end - start) : .nan
    }

    private static func openConfiguration(_ file: URL) async -> Double {
        let start = nanoseconds()
        guard let provider = try? await FileProvider<JSONSnapshot>(filePath: FilePath(file.path)) else { return .nan }
        let value = ConfigReader(provider: provider).int(forKey: ConfigKey(Samples.key(0)), default: -1)
        let end = nanoseconds()
        return value == 0 ? Double(end - start) : .nan
    }
}

/// A settings file as a store writes it.
enum JSONFile {
    static func write(keys: [String], to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(Dictionary(uniqueKeysWithValues: zip(keys, 0...))).write(to: file)
    }
}
