import ArgumentParser
import Foundation

/// Resident memory, each figure from a fresh process.
enum Memory {
    static let all = [
        Benchmark(rows: ["R23"]) { plan in
            let row = Row(
                id: "R23", subject: "resident bytes per key, 100,000 Int keys", limit: "[String: Int]", goal: 1.3,
                stretch: 1.1, unit: .bytes)
            return [try measure(row, .store, .dictionary, peer: (PeerName.configuration, .configuration), plan)]
        },
        Benchmark(rows: ["R24"]) { plan in
            let row = Row(
                id: "R24", subject: "bytes per waiting subscriber", limit: "task parked on a continuation", goal: 1.1,
                stretch: 1.05, unit: .bytes)
            return [try measure(row, .subscribers, .parkedTasks, peer: (PeerName.stream, .streams), plan)]
        },
    ]

    private static func measure(
        _ row: Row, _ subject: MemoryLoad, _ limit: MemoryLoad, peer: (name: String, load: MemoryLoad), _ plan: Plan
    ) throws -> RowResult {
        guard plan.profiledSeconds == nil else { return RowResult(row, .none) }
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(MemoryLoad.keyCount), to: file)

        var samples = PairedSamples()
        for _ in 0..<(plan.pairs < 100 ? 3 : 7) {
            samples.append(try bytes(of: subject, file), try bytes(of: limit, file))
        }
        let comparison = samples.ratioOfQuantiles(0.5)
        var peers: [RowResult.Peer] = []
        if plan.includesPeers {
            peers.append(RowResult.Peer(name: peer.name, ratio: try bytes(of: peer.load, file) / comparison.limit))
        }
        return RowResult(row, comparison, peers: peers)
    }

    /// The bytes of a single item of the load, measured in a separate process.
    private static func bytes(of load: MemoryLoad, _ file: URL) throws -> Double {
        let process = Process()
        process.executableURL = URL(filePath: ChildProcess.executablePath)
        process.arguments = ["memory", load.rawValue, file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw ValidationError("The process that measures “\(load.rawValue)” has printed “\(text)”.")
        }
        return bytes
    }
}
