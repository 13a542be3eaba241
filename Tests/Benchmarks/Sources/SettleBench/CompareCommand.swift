import ArgumentParser
import Foundation

/// Runs this build and another one in turns, row by row, and prints how much longer this one takes.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compares this build with another one.")

    @Argument(help: "The other build's settle-bench.")
    var other: String

    @Option(help: "The rows to compare, such as R1,R5.")
    var rows = "R1,R1u,R5,R6"

    @Option(help: "How often each build measures each row.")
    var rounds = 5

    @Flag(help: "A seventh of the measurements, enough to see a large change.")
    var quick = false

    func run() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var table = ComparedBuilds()
        for row in rows.split(separator: ",") {
            for round in 0..<rounds {
                // The first one alternates, so that neighbouring runs meet the same state of the machine.
                let isFirst = round.isMultiple(of: 2)
                let first = try measure(String(row), with: isFirst ? ChildProcess.executablePath : other, in: folder)
                let second = try measure(String(row), with: isFirst ? other : ChildProcess.executablePath, in: folder)
                table.append(ours: isFirst ? first : second, theirs: isFirst ? second : first)
            }
        }
        print(table.text)
    }

    private func measure(_ row: String, with program: String, in folder: URL) throws -> [RowResult] {
        let file = folder.appending(path: "results.json")
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["--rows", row, "--no-peers", "--json", file.path] + (quick ? ["--quick"] : [])
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ValidationError("\(program) could not measure \(row).") }
        return try RowResult.read(file)
    }
}

/// The measurements of two builds, line by line.
private struct ComparedBuilds {
    private struct Line {
        var row: RowResult
        var ours: [Double] = []
        var theirs: [Double] = []
        /// Of neighbouring runs: the ratios to the limit, and the plain times.
        var ratios: [Double] = []
        var times: [Double] = []
    }

    private var lines: [Line] = []

    mutating func append(ours: [RowResult], theirs: [RowResult]) {
        for mine in ours {
            // A line that only one build has can't be compared.
            guard let other = theirs.first(where: { $0.id == mine.id && $0.subject == mine.subject }) else { continue }
            if !lines.contains(where: { $0.row.id == mine.id && $0.row.subject == mine.subject }) {
                lines.append(Line(row: mine))
            }
            for index in lines.indices where lines[index].row.subject == mine.subject && lines[index].row.id == mine.id
            {
                lines[index].ours.append(mine.ratio)
                lines[index].theirs.append(other.ratio)
                lines[index].ratios.append(mine.ratio / other.ratio)
                lines[index].times.append(mine.oursFigure / other.oursFigure)
            }
        }
    }

    var text: String {
        let rows = lines.map { line in
            let middle = quantile(0.5, of: line.ratios)
            let spread = "\(figure(line.ratios.min() ?? .nan)) to \(figure(line.ratios.max() ?? .nan))"
            return [
                line.row.id, line.row.subject, figure(quantile(0.5, of: line.ours)),
                figure(quantile(0.5, of: line.theirs)), figure(middle), spread,
                figure(quantile(0.5, of: line.times)), middle > 1.05 ? "worse" : "",
            ]
        }
        return TextTable(
            columns: ["row", "what", "ours", "theirs", "ours ÷ theirs", "from – to", "times", ""],
            numeric: [2, 3, 4, 6], rows: rows
        ).text
    }

    private func figure(_ value: Double) -> String { String(format: "%.3f", value) }
}
