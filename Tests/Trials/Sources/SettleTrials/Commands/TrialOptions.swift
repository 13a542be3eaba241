import ArgumentParser
import Foundation
import TrialChecks

/// The options of all trials.
struct TrialOptions: ParsableArguments {
    @Flag(help: "Run as much as fits into a few minutes on two processors.")
    var quick = false

    @Option(help: "The number of processes that the kill trial kills.")
    var trials: Int?

    @Option(help: "The seed of all random numbers; a new one each time by default. It is printed.")
    var seed: UInt64?

    @Option(help: "The folder in which to create the files; the one for temporary files by default.")
    var folder: String?

    @Option(help: "Run only the trials whose name contains this.")
    var named: String?

    @Flag(name: .customLong("no-userdefaults"), help: "Leave UserDefaults out.")
    var noUserDefaults = false

    @Option(help: "Also write the results to this file, as JSON.")
    var json: String?

    /// Runs the trials, prints the table, and throws if Settle has lost anything.
    func run(_ trials: [any Trial], _ contenders: [ContenderKind] = ContenderKind.allCases) throws {
        let seed = seed ?? UInt64.random(in: 1...1_000_000_000)
        var size = quick ? TrialSize.quick : .full
        if let trials = self.trials { size.kills = max(1, trials) }
        print("seed \(seed)")
        let contenders = contenders.filter { !noUserDefaults || $0 != .userDefaults }
        var reports: [TrialReport] = []
        var search = SecretSearch()
        for trial in trials where named.map(trial.name.contains) ?? true {
            for contender in contenders where contender == .settle || trial.isForAll {
                reports.append(try run(trial, contender, seed, size, &search))
            }
        }
        reports.append(search.report(for: ContenderKind.settle.rawValue))
        print(ReportTable(contenders: contenders.map(\.rawValue), reports: reports).markdown)
        try write(reports, seed: seed)
        try judge(reports)
    }

    /// Runs one trial, and searches the files that it has left for the secrets that it has written.
    private func run(
        _ trial: any Trial, _ contender: ContenderKind, _ seed: UInt64, _ size: TrialSize,
        _ search: inout SecretSearch
    ) throws -> TrialReport {
        let parent = folder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let bench = try TrialBench(seed: seed, size: size, in: parent)
        defer { bench.remove() }
        let start = MonotonicTime.now()
        let report = try trial.run(contender, on: bench)
        let seconds = Double(MonotonicTime.now() - start) / 1e9
        StandardStreams.report(String(format: "%@, %@: %.0f s", report.trial, report.contender, seconds))
        if contender == .settle, report.skipped == nil {
            try search.search(bench.folder, leftBy: trial.name, expectsSecret: trial.writesSecret(size))
        }
        return report
    }

    private func judge(_ reports: [TrialReport]) throws {
        for report in reports where report.contender == ContenderKind.settle.rawValue {
            for problem in report.problems { print("\(report.trial): \(problem)") }
        }
        let losses = reports.filter { $0.contender == ContenderKind.settle.rawValue && $0.hasLoss }
        guard losses.isEmpty else {
            print("Settle has broken promises in: " + losses.map(\.trial).joined(separator: "; "))
            throw ExitCode.failure
        }
    }

    private func write(_ reports: [TrialReport], seed: UInt64) throws {
        guard let json else { return }
        struct Results: Encodable {
            var seed: UInt64
            var reports: [TrialReport]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(Results(seed: seed, reports: reports)).write(to: URL(filePath: json))
    }
}
