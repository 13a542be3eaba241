import Foundation
import Settle

/// Writing the whole file.
enum Checkpoints {
    static let all = [
        Benchmark(rows: ["R18"]) { plan in
            var results: [RowResult] = []
            for count in [10_000, 100_000] {
                // One size is enough for a profiler.
                if plan.profiledSeconds != nil, count != 100_000 { continue }
                results.append(try await tryOnOwnThread { try file(keys: count, isSettled: false, plan) })
                guard plan.profiledSeconds == nil else { continue }
                results.append(try await tryOnOwnThread { try file(keys: count, isSettled: true, plan) })
                results.append(try await tryOnOwnThread { try newFile(keys: count, plan) })
                results += try await setMeanwhile(keys: count, plan)
            }
            return results
        }
    ]

    // MARK: The checkpoint

    /// One key has changed.
    ///
    /// - Parameter isSettled: Whether the last checkpoint is some time ago, as in a program, which writes the file once
    ///   it has had nothing to save for seconds. Otherwise the times of the file don't say yet whether it has changed,
    ///   and it is read once more.
    private static func file(keys count: Int, isSettled: Bool, _ plan: Plan) throws -> RowResult {
        let pace = isSettled ? "a pause before each" : "back to back"
        let row = Row(
            id: "R18", subject: "checkpoint, one of \(count) keys, \(pace)",
            limit: "write, sync, rename, sync folder", goal: 1.5, stretch: 1.2)
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(count), to: file)
        let storage = FileStorage(at: file)
        var tree = try storage.load().tree
        var value: Int64 = 1_000_000
        func checkpoint() throws -> Double {
            let key = SettingKey(stringLiteral: Samples.key(7))
            let batch = StorageBatch(revision: UInt64(value), values: [key: .integer(value)])
            tree[key] = .integer(value)
            value += 1
            try storage.append(batch, durability: .buffered)
            if isSettled { Thread.sleep(forTimeInterval: 0.06) }
            let start = nanoseconds()
            let isWritten = try storage.checkpoint(tree, for: .closing)
            return isWritten ? Double(nanoseconds() - start) : .nan
        }
        if let seconds = plan.profiledSeconds {
            let end = nanoseconds() + UInt64(seconds * 1e9)
            while nanoseconds() < end { _ = try checkpoint() }
            return RowResult(row, .none)
        }
        _ = try checkpoint()
        let bytes = try [UInt8](Data(contentsOf: file))
        let limit = folder.appending(path: "limit.json")
        var samples = PairedSamples()
        for _ in 0..<max(8, plan.pairs * 1_000 / count) {
            let ours = try checkpoint()
            // A processor that has slept is slower at first, for both.
            if isSettled { Thread.sleep(forTimeInterval: 0.06) }
            samples.append(ours, try PlainFile.replace(limit, with: bytes))
        }
        storage.close()
        var peers: [RowResult.Peer] = []
        if plan.includesPeers {
            let values = Dictionary(uniqueKeysWithValues: zip(Samples.keys(count), 0...))
            var peer = PairedSamples()
            for _ in 0..<5 {
                let start = nanoseconds()
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                let bytes = try [UInt8](encoder.encode(values))
                let encoding = Double(nanoseconds() - start)
                peer.append(
                    encoding + (try PlainFile.replace(limit, with: bytes)), try PlainFile.replace(limit, with: bytes))
            }
            peers.append(RowResult.Peer(name: "JSONEncoder", ratio: peer.ratioOfQuantiles(0.5).ratio))
        }
        return RowResult(row, samples.ratioOfQuantiles(0.5), peers: peers, notes: ["\(bytes.count / 1_024) KiB"])
    }

    /// All values are encoded, because there is no text into which they could be written. The file of values before a
    /// migration is such a file, and is replaced by the same calls as the limit's.
    private static func newFile(keys count: Int, _ plan: Plan) throws -> RowResult {
        let row = Row(
            id: "R18", subject: "new file of \(count) keys", limit: "write, sync, rename, sync folder",
            goal: count > 10_000 ? 4 : 3)
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(count), to: file)
        let storage = FileStorage(at: file)
        defer { storage.close() }
        let tree = try storage.load().tree
        try storage.keepVersion(tree)
        let bytes = try [UInt8](Data(contentsOf: folder.appending(path: ".settings.json.before-migration")))
        let limit = folder.appending(path: "limit.json")
        var samples = PairedSamples()
        for _ in 0..<max(8, plan.pairs * 1_000 / count) {
            let start = nanoseconds()
            try storage.keepVersion(tree)
            samples.append(Double(nanoseconds() - start), try PlainFile.replace(limit, with: bytes))
        }
        return RowResult(row, samples.ratioOfQuantiles(0.5), notes: ["\(bytes.count / 1_024) KiB"])
    }

    // MARK: Writers meanwhile

    private static func setMeanwhile(keys count: Int, _ plan: Plan) async throws -> [RowResult] {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try JSONFile.write(keys: Samples.keys(count), to: file)
        let storage = SteeredStorage(FileStorage(at: file))
        let store = try await SettingsStore.open(
            storage: storage,
            configuration: SettingsStore.Configuration(
                savePolicy: .debounced(quiet: .milliseconds(5), atMost: .milliseconds(5))))
        let settings = try await store.group(BenchSettings.self)
        let samples = max(20_000, plan.samples * 50)
        // Long enough for a dozen checkpoints or more.
        let interval = UInt64(count) * 2
        let (calm, busy) = await onOwnThread {
            _ = setTimes(of: settings, count: 1_000, every: 20_000)
            let calm = setTimes(of: settings, count: samples, every: interval)
            storage.becomeEager()
            return (calm, setTimes(of: settings, count: samples, every: interval))
        }
        let checkpoints = storage.checkpoints
        try await store.close()
        func result(_ which: String, _ calm: [Double], _ busy: [Double]) -> RowResult {
            let row = Row(
                id: "R18", subject: "set while \(count) keys are written, p99.9, \(which)", limit: "its median without",
                goal: 20)
            let (median, late) = (quantile(0.5, of: calm), quantile(0.999, of: busy))
            let notes = [
                "median \(Table.ratio(quantile(0.5, of: busy) / median))×",
                "p99.9 without \(Table.ratio(quantile(0.999, of: calm) / median))×",
                checkpoints > 3 ? "\(checkpoints) checkpoints" : "WRONG: \(checkpoints) checkpoints",
            ]
            return RowResult(row, Comparison(ours: late, limit: median, ratio: late / median), notes: notes)
        }
        return [
            result("elapsed", calm.elapsed, busy.elapsed), result("on a processor", calm.processor, busy.processor),
        ]
    }

    /// Nanoseconds of single sets, with an interval from one to the next.
    private static func setTimes(
        of settings: BenchSettings, count: Int, every interval: UInt64
    ) -> (elapsed: [Double], processor: [Double]) {
        var (elapsed, processor): ([Double], [Double]) = ([], [])
        var value = settings.count
        for _ in 0..<count {
            value &+= 1
            let processorStart = threadNanoseconds()
            let start = nanoseconds()
            settings.count = value
            let end = nanoseconds()
            let processorEnd = threadNanoseconds()
            elapsed.append(Double(end - start))
            processor.append(Double(processorEnd - processorStart))
            while nanoseconds() < start + interval {}
        }
        return (elapsed, processor)
    }
}
