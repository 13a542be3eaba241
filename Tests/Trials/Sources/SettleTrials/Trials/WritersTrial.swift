import Foundation
import TrialChecks

/// Several processes write one file at once: each its own key, and a shared counter.
struct WritersTrial: Trial {
    let name: String
    let isForAll: Bool
    /// Whether the writers are killed from time to time and restarted.
    let kills: Bool
    private static let writers = 8

    init(kills: Bool) {
        self.kills = kills
        isForAll = !kills
        name = kills ? "8 writers of one file, some killed" : "8 writers of one file"
    }

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        var (lostKeys, lostUpdates, inventedUpdates) = (0, 0, 0)
        var done = 0
        var killed = 0
        var problems = Problems()
        for round in 0..<bench.size.raceRounds {
            let folder = try bench.makeFolder("race-\(kills)-\(contender)-\(round)")
            let steps = bench.size.raceSteps
            let lanes = try Lanes.run(Self.writers) { writer in
                try write(writer, steps: steps, round: round, contender, in: folder, on: bench)
            }
            let place = bench.place(contender, in: folder, named: "race-inspection")
            let keys = (0..<Self.writers).map { RacingChild.key(ofWriter: $0) }
            let found = try inspect(place, numbers: keys + ["counter"])
            let records = lanes.map(\.record)
            let verdict = RaceVerdict(records, keys: keys.map(found.number), counter: found.number("counter"))
            lostKeys += verdict.lostKeys
            lostUpdates += verdict.lostUpdates
            inventedUpdates += verdict.inventedUpdates
            done += records.reduce(0) { $0 + $1.acknowledged }
            killed += lanes.reduce(0) { $0 + $1.kills }
            for loss in verdict.losses { problems.add("Round \(round): \(loss)") }
            for lane in lanes { problems.add(lane.problems) }
            for issue in found.failures { problems.add(issue, .failure) }
        }
        var figures = [Figure("commits", done)]
        if kills { figures.append(Figure("kills", killed)) }
        figures += [
            .loss("lost updates", lostUpdates), .loss("lost keys", lostKeys),
            .loss("updates that nobody made", inventedUpdates), .loss("failures", problems.count(of: .failure)),
        ]
        return TrialReport(name, contender.rawValue, figures: figures, problems: problems.sentences)
    }

    private struct Lane: Sendable {
        var record = WriterRecord()
        var kills = 0
        var problems = Problems()
    }

    /// Runs one writer until it has made all its steps.
    private func write(
        _ writer: Int, steps: Int, round: Int, _ contender: ContenderKind, in folder: String, on bench: TrialBench
    ) throws -> Lane {
        var lane = Lane()
        let name = "race-\(kills)-\(contender)-\(round)-\(writer)"
        let place = bench.place(contender, in: folder, named: name)
        var random = bench.random(for: name)
        while true {
            AcknowledgementFile.remove(place.acknowledgements)
            let first = lane.record.lastAttempted + 1
            var child = try start(.race(RacingChild(place: place, writer: writer, firstStep: first, lastStep: steps)))
            // Not all of them: a writer that is never killed must not lose anything because others are.
            if kills, !writer.isMultiple(of: 3), lane.kills < 5 {
                _ = child.readLine()
                MonotonicTime.pause(microseconds: Int.random(in: 1_000...60_000, using: &random))
                child.kill()
            }
            let ending = child.wait()
            let lines = AcknowledgementFile.read(place.acknowledgements)
            for line in lines {
                lane.record.add(line)
                if line.word == "failed" { lane.problems.add(line.text ?? "", .failure) }
            }
            guard ending == .killed else {
                if ending != .success { lane.problems.add("Writer \(writer) ended with \(ending).", .failure) }
                return lane
            }
            lane.kills += 1
        }
    }
}
