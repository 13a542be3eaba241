import Foundation
import TrialChecks

/// Writing processes are killed at random moments. The next process on a file reports what it finds and continues.
struct KillTrial: Trial {
    let name = "kill -9 while writing"
    let isForAll = true

    func writesSecret(_ size: TrialSize) -> Bool {
        // A few kills may all come before the first secret.
        size.kills >= 100
    }

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        // More files than processors: some processes should be killed while they wait for one.
        let lanes = 6
        let kills = contender == .settle ? bench.size.kills : min(400, bench.size.kills)
        let tallies = try Lanes.run(lanes) { lane in
            var run = try KillLane(lane, of: self, contender, on: bench)
            return try run.kill((kills + lanes - 1) / lanes)
        }
        var total = KillTally()
        for tally in tallies { total.add(tally) }
        return TrialReport(name, contender.rawValue, figures: total.figures, problems: total.problems.sentences)
    }
}
