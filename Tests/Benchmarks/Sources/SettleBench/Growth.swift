import Foundation

/// What one more key, group or follower costs when there are many already.
///
/// Each figure comes from its own process, which ends after a time, however much is left to do.
enum Growth {
    static let all = [
        Benchmark(rows: ["R38"]) { plan in
            let run = try GrowthRun(.keys, 100_000, plan)
            return [
                run.result("R38", "set a new run-time key, per key of 100,000"),
                run.total("R38", "set 100,000 new run-time keys, one by one", limit: 1),
            ]
        },
        Benchmark(rows: ["R39"]) { plan in
            let run = try GrowthRun(.groups, 20_000, plan)
            return [
                run.result("R39", "open a group of five at a path, per group of 20,000"),
                run.total("R39", "open 20,000 groups of five", limit: 3),
            ]
        },
        Benchmark(rows: ["R40"]) { plan in
            let run = try GrowthRun(.followers, 20_000, plan)
            return [run.result("R40", "update until all followers have it, per setting of 20,000")]
        },
    ]
}

/// The outcomes with many items and with a few.
private struct GrowthRun {
    private static let few = 1_000
    /// How long a process may take to add its items.
    private static let seconds = 10.0

    private var samples = PairedSamples()
    private var notes: [String] = []
    private var total = 0.0

    init(_ load: GrowthLoad, _ count: Int, _ plan: Plan) throws {
        guard plan.profiledSeconds == nil else {
            _ = try Self.outcome(load, count, repetitions: 1)
            return
        }
        var totals: [Double] = []
        for _ in 0..<(plan.pairs < 100 ? 1 : 3) {
            let few = try Self.outcome(load, Self.few, repetitions: 5)
            let many = try Self.outcome(load, count, repetitions: 1)
            samples.append(many.nanosecondsPerItem, few.nanosecondsPerItem)
            totals.append(many.total)
            guard many.count < count else { continue }
            // What did not finish would not finish in the next turn either.
            notes.append(many.count == 0 ? "WRONG: no end in sight" : "WRONG: stopped at \(many.count)")
            break
        }
        total = quantile(0.5, of: totals)
    }

    func result(_ id: String, _ subject: String) -> RowResult {
        let row = Row(id: id, subject: subject, limit: "the same with \(Self.few)", goal: 2)
        return RowResult(row, samples.ratioOfQuantiles(0.5), notes: notes)
    }

    func total(_ id: String, _ subject: String, limit seconds: Double) -> RowResult {
        let row = Row(id: id, subject: subject, limit: "\(Int(seconds)) s", goal: 1)
        let comparison = Comparison(ours: total, limit: seconds * 1e9, ratio: total / (seconds * 1e9))
        return RowResult(row, comparison, notes: notes)
    }

    /// The outcome of a separate process; none, and endless time, if it had to be ended.
    private static func outcome(_ load: GrowthLoad, _ count: Int, repetitions: Int) throws -> GrowthLoad.Outcome {
        let process = Process()
        process.executableURL = URL(filePath: ChildProcess.executablePath)
        process.arguments = ["growth", load.rawValue, "\(count)", "\(repetitions)", "\(seconds)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // An uninterruptible step may keep it busy beyond its time.
        let deadline = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 4 * seconds, execute: deadline)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        deadline.cancel()
        process.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let count = Int(words[0]), let time = Double(words[1]) else {
            return GrowthLoad.Outcome(count: 0, nanosecondsPerItem: .infinity)
        }
        return GrowthLoad.Outcome(count: count, nanosecondsPerItem: time)
    }
}
