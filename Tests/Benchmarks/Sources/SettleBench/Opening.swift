import Configuration
import Foundation
import Settle
import SystemPackage

/// From a file to the first value.
enum Opening {
    static let all = [
        Benchmark(rows: ["R19"]) { plan in
            var results: [Result] = []
            for count in [10, 1_000, 100_000] { results.append(try await measure(keys: count, plan)) }
            return results
        }
    ]

    private struct First: SettingsGroup {
        @Setting("setting_of_the_a00000") var value = -1
    }

    private static func measure(keys count: Int, _ plan: Plan) async throws -> Result {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(count), to: file)

        var failures = 0
        func ours() async -> Double {
            let start = nanoseconds()
            guard let store = try? await SettingsStore.open(at: file),
                let group = try? await store.group(First.self)
            else { return .nan }
            let value = group.value
            let end = nanoseconds()
            if value != 0 { failures += 1 }
            try? await store.close()
            return Double(end - start)
        }
        func decode() async -> Double {
            let start = nanoseconds()
            guard let data = try? Data(contentsOf: file),
                let values = try? JSONDecoder().decode([String: Int].self, from: data)
            else { return .nan }
            let value = values["setting_of_the_a00000"]
            let end = nanoseconds()
            if value != 0 { failures += 1 }
            return Double(end - start)
        }
        if let seconds = plan.profiledSeconds {
            guard count == 100_000 else { return Result(row(count), .none) }
            let end = nanoseconds() + UInt64(seconds * 1e9)
            while nanoseconds() < end { _ = await ours() }
            return Result(row(count), .none)
        }
        let pairs = count == 100_000 ? max(5, plan.pairs / 30) : plan.pairs / 2
        _ = (await ours(), await decode())
        let comparison = await plan.alternate(pairs: pairs, subject: ours, limit: decode)
        var peers: [Result.Peer] = []
        // Its time grows with the square of the keys: minutes with 100,000.
        if plan.includesPeers, count <= 1_000 {
            func configuration() async -> Double {
                let start = nanoseconds()
                guard let provider = try? await FileProvider<JSONSnapshot>(filePath: FilePath(file.path)) else {
                    return .nan
                }
                let value = ConfigReader(provider: provider).int(forKey: "setting_of_the_a00000", default: -1)
                let end = nanoseconds()
                if value != 0 { failures += 1 }
                return Double(end - start)
            }
            let ratio = await plan.alternate(pairs: 10, subject: configuration, limit: decode).ratio
            peers.append(Result.Peer(name: PeerName.configuration, ratio: ratio))
        }
        return Result(row(count), comparison, peers: peers, notes: failures == 0 ? [] : ["WRONG values"])
    }

    private static func row(_ count: Int) -> Row {
        Row(
            id: "R19", subject: "open to first value, \(count) keys", limit: "JSONDecoder into [String: Int]", goal: 0.3,
            stretch: 0.05)
    }
}

/// A file of settings as a store writes it.
enum JSONFile {
    static func write(keys: [String], to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(Dictionary(uniqueKeysWithValues: zip(keys, 0...))).write(to: file)
    }
}
