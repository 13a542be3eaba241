import Settle
import TrialChecks

/// Programs of three versions and tools write one file all the time; the newest ones migrate it, and some are killed.
struct MigrationTrial: Trial {
    let name = "a file that is migrated"
    let isForAll = false

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        var tally = MigrationTally()
        for round in 0..<bench.size.migrations { try run(round, contender, on: bench, &tally) }
        return TrialReport(name, contender.rawValue, figures: tally.figures, problems: tally.problems.sentences)
    }

    private func run(_ round: Int, _ contender: ContenderKind, on bench: TrialBench, _ tally: inout MigrationTally)
        throws
    {
        let folder = try bench.makeFolder("migration-\(round)")
        let plan = MigrationLane.plan(round)
        let gate = Gate(count: plan.count)
        let lanes = try Lanes.run(plan.count) { number in
            let name = "migration-\(round)-\(number)"
            var lane = MigrationLane(
                self, plan[number], number: number, place: bench.place(contender, in: folder, named: name),
                random: bench.random(for: name))
            try lane.run(gate)
            return lane
        }
        let place = bench.place(contender, in: folder, named: "migration-\(round)-late")
        // A later start of the oldest program opens the file, and is refused.
        var late = MigrationLane(self, .first, number: 0, place: place, random: bench.random(for: "late"))
        try late.run(Gate(count: 1))
        if late.writer.acknowledged > 0 || late.writer.refused != 1 {
            tally.problems.add(
                "Round \(round): the oldest program was not refused when it was started again.", .failure)
        }
        let found = try inspect(place, numbers: [])
        let steps = MigratingProgram.third.migrations()?.map(\.name) ?? []
        let file = MigratedFile.values(at: place.file)
        let before = MigratedFile.values(at: folder + "/.settings.json.before-migration")
        let verdict = MigrationVerdict(
            MigrationLane.programs(lanes), steps: steps, file: file ?? MigratedValues(), before: before)
        tally.add(verdict, "Round \(round)")
        for lane in lanes + [late] { tally.add(lane.writer, kills: lane.kills, lane.problems) }
        for issue in found.failures { tally.problems.add("Round \(round): \(issue)", .failure) }
    }
}
