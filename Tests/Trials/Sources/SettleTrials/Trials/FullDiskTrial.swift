import Foundation
import TrialChecks

/// The disk fills up while a process saves growing values.
struct FullDiskTrial: Trial {
    let name = "disk full"
    let isForAll = true

    private struct Tally {
        var refused = 0
        var acknowledged = 0
        var lost = 0
        var destroyed = 0
        var unclear = 0
        var unsaved = 0
        var problems = Problems()
    }

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        var tally = Tally()
        for round in 0..<bench.size.diskRounds {
            let disk: SmallDisk
            do {
                disk = try SmallDisk(at: bench.makeFolder("disk-\(contender)-\(round)"), kibibytes: 128)
            } catch {
                return TrialReport(name, contender.rawValue, skipped: "\(error)")
            }
            try fill(disk, round: round, contender, on: bench, &tally)
        }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("full disks", bench.size.diskRounds), Figure("saved commits", tally.acknowledged),
                Figure("refused commits", tally.refused), .loss("lost old settings", tally.destroyed),
                .loss("lost acknowledged commits", tally.lost),
                .loss("errors that do not name the file", tally.unclear),
                .loss("not saved once there was room", tally.unsaved),
                .loss("failures", tally.problems.count(of: .failure)),
            ], problems: tally.problems.sentences)
    }

    private func fill(
        _ disk: borrowing SmallDisk, round: Int, _ contender: ContenderKind, on bench: TrialBench, _ tally: inout Tally
    ) throws {
        let name = "disk-\(contender)-\(round)"
        var random = bench.random(for: name)
        let place = bench.place(contender, in: disk.folder, named: name)
        let step = Int.random(in: 200...2_000, using: &random)
        var child = try start(.fillDisk(DiskChild(place: place, step: step, failures: 6)))
        guard child.readLine() == "ready" else {
            tally.problems.add("The writer could not start.", .failure)
            return
        }
        MonotonicTime.pause(microseconds: Int.random(in: 0...20_000, using: &random))
        try disk.fill()
        _ = child.readLine()
        let lines = AcknowledgementFile.read(place.acknowledgements)
        let done = lines.filter { $0.word == "done" }.compactMap(\.numbers.first)
        let tried = lines.filter { $0.word == "try" }.compactMap(\.numbers.first).last ?? 0
        let refusals = lines.filter { $0.word == "refused" }
        tally.acknowledged += done.count
        tally.refused += refusals.count
        for refusal in refusals where !(refusal.text ?? "").contains(contender.fileName) {
            tally.unclear += 1
            tally.problems.add("An error does not name the file: \(refusal.text ?? "")")
        }
        let last = done.last ?? 0
        let inspection = bench.place(contender, in: disk.folder, named: "disk-inspection")
        look(inspection, last...max(tried, last), step, &tally)
        try disk.makeRoom()
        child.say("go on")
        if child.readLine() != "flushed" {
            tally.unsaved += 1
            tally.problems.add("The flush failed although there was room.")
        }
        // Settle undoes a refused commit; `UserDefaults` keeps it in memory and saves it later.
        let standing = contender == .settle ? last : tried
        look(inspection, standing...standing, step, &tally, afterWriting: tried)
        child.say("end")
        if child.wait() != .success { tally.problems.add("The writer failed at the end.", .failure) }
        try bench.keepFiles(in: disk.folder, named: name)
    }

    /// Requires that a new process finds one of these commits, complete, and at the end the plain write too.
    private func look(
        _ place: ChildPlace, _ expected: ClosedRange<Int>, _ step: Int, _ tally: inout Tally,
        afterWriting written: Int? = nil
    ) {
        guard let found = try? inspect(place, numbers: ["counter", "single"], texts: ["note", "payload"]) else {
            return
        }
        let isEnd = written != nil
        // While the disk is full, even a process that wrote nothing may fail to close its store in order.
        if isEnd, let error = found.closingError { tally.problems.add(error, .failure) }
        // It must then report that it can't write the file.
        for issue in found.issues where isEnd || !issue.contains("was not saved") {
            tally.problems.add(issue, .failure)
        }
        let number = found.number("counter")
        let isWhole = found.texts["payload"] == DiskChild.payload(number, step: step)
        if found.texts["note"] != DiskChild.note {
            tally.destroyed += 1
            tally.problems.add("The old settings are gone: \(found.numbers).")
        } else if !expected.contains(number) || !isWhole {
            if isEnd { tally.unsaved += 1 } else { tally.lost += 1 }
            tally.problems.add("Commit \(number) was found\(isWhole ? "" : ", not whole,") instead of \(expected).")
        }
        if let written, found.number("single") != written {
            tally.unsaved += 1
            tally.problems.add("What was written on the full disk is gone: \(found.numbers).")
        }
    }
}
