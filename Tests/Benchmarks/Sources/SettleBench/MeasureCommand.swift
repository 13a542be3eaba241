import ArgumentParser
import Foundation

/// Measures rows, and prints the table.
struct MeasureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Measures all rows, or some.")

    @Option(help: "Only these rows, such as R1,R5.")
    var rows: String?

    @Flag(help: "A seventh of the measurements: enough to see a large change.")
    var quick = false

    @Flag(help: "Leave the other libraries out.")
    var noPeers = false

    @Option(help: "Also write the results to this file, as JSON.")
    var json: String?

    @Option(help: "Draw other libraries beside Settle to this SVG file, and for dark pages to one with “~dark”.")
    var plot: String?

    @Option(help: "Measure nothing: draw the plot of the results in this file, which --json has written.")
    var from: String?

    @Option(help: "Run the subject of one row for five seconds and print nothing, for a profiler.")
    var profile: String?

    func validate() throws {
        if from != nil, plot == nil { throw ValidationError("--from needs --plot.") }
    }

    func run() async throws {
        if let from {
            try draw(RowResult.read(URL(filePath: from)))
            return
        }
        var plan = quick ? Plan.quick : Plan()
        plan.includesPeers = !noPeers
        if profile != nil {
            plan.profiledSeconds = 5
            plan.includesPeers = false
        }
        let wanted = (profile ?? rows).map { Set($0.split(separator: ",").map { $0.uppercased() }) }
        var results: [RowResult] = []
        for benchmark in Self.benchmarks {
            if let wanted, wanted.isDisjoint(with: benchmark.rows.map { $0.uppercased() }) { continue }
            results += try await benchmark.run(plan)
        }
        if let wanted { results.removeAll { !wanted.contains($0.id.uppercased()) } }
        guard profile == nil else { return }
        print(Table(results: results).text)
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            encoder.nonConformingFloatEncodingStrategy = RowResult.floats.encoding
            try encoder.encode(results).write(to: URL(filePath: json))
        }
        try draw(results)
    }

    private func draw(_ results: [RowResult]) throws {
        if let plot { try SpeedPlot(results).write(to: URL(filePath: plot)) }
    }

    private static var benchmarks: [Benchmark] {
        Reads.all + KeyedReads.all + ContendedReads.all + Writes.all + Delivery.all + Bursts.all + PendingValues.all
            + Commits.all + Journaling.all + Amplification.all + Checkpoints.all + Crossings.all + SharedReads.all
            + Opening.all
            + Memory.all + Growth.all + SearchLists.all + Histories.all + Copies.all + Bridging.all
    }
}
