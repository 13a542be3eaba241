import Foundation
import TrialChecks

/// A file whose writers are killed one after the other.
struct KillLane {
    private let trial: KillTrial
    private var place: ChildPlace
    private let plan: KillPlan
    private var random: SeededGenerator
    private var tally = KillTally()
    /// The last run that has written something and has not been checked yet.
    private var unchecked: KillRun?
    private var state = KillState()
    private var nextStep = 1
    /// The newest secret that was acknowledged or found.
    private var secret = 0

    init(_ lane: Int, of trial: KillTrial, _ contender: ContenderKind, on bench: TrialBench) throws {
        self.trial = trial
        let name = "kill-\(contender)-\(lane)"
        place = bench.place(contender, in: try bench.makeFolder(name), named: name)
        place.format = ChildPlace.Format.allCases[lane % ChildPlace.Format.allCases.count]
        if contender == .settle, let text = place.format?.handwritten?.text {
            try Data(text.utf8).write(to: URL(filePath: place.file))
        }
        random = bench.random(for: name)
        // A commit also saves all plain writes, so only files with few commits show how many of these are lost.
        plan = KillPlan(seed: random.next(), stepsPerCommit: lane.isMultiple(of: 2) ? 8 : 20_000)
    }

    mutating func kill(_ times: Int) throws -> KillTally {
        for _ in 0..<times { try kill() }
        let found = try trial.inspect(place, numbers: ["single", "left", "right", "counter"])
        for issue in found.failures { tally.problems.add(issue, .failure) }
        check(
            KillState(
                single: found.number("single"), left: found.number("left"), right: found.number("right"),
                counter: found.number("counter")))
        try checkText()
        if place.contender == .settle { checkSecret(secretInFile) }
        // A file is set aside if it was damaged, and only Settle has written here.
        for name in try FileManager.default.contentsOfDirectory(atPath: place.folder) where name.contains("corrupt") {
            tally.problems.add("“\(name)” was set aside.", .failure)
        }
        return tally
    }

    /// Comments, order and spelling are as somebody has written them.
    private mutating func checkText() throws {
        guard place.contender == .settle, let lines = place.format?.handwritten?.lines else { return }
        let text = try String(contentsOf: URL(filePath: place.file), encoding: .utf8)
        for line in lines where !text.contains(line) {
            tally.problems.add("A hand-written line is gone: \(line)", .failure)
        }
    }

    private mutating func kill() throws {
        AcknowledgementFile.remove(place.acknowledgements)
        let order = ChildOrder.kill(KilledChild(place: place, plan: plan, firstStep: nextStep))
        var child = try trial.start(order)
        if Int.random(in: 0..<8, using: &random) == 0 {
            // Killed while it starts, reads the file, or repairs what the previous kill left.
            MonotonicTime.pause(microseconds: Int.random(in: 4_000...25_000, using: &random))
        } else {
            _ = child.readLine()
            // Sometimes so late that a save is long overdue.
            let longest = Int.random(in: 0..<25, using: &random) == 0 ? 600_000 : 15_000
            MonotonicTime.pause(microseconds: Int.random(in: 500...longest, using: &random))
        }
        let killedAt = MonotonicTime.now()
        child.kill()
        let ending = child.wait()
        let lines = AcknowledgementFile.read(place.acknowledgements)
        for line in lines where line.word == "issue" || line.word == "failed" {
            tally.problems.add(line.text ?? "", .failure)
        }
        if ending != .killed { tally.problems.add("A writer ended by itself: \(ending).", .failure) }
        tally.kills += 1
        if let found = lines.first(where: { $0.word == "secret" })?.numbers.first { checkSecret(found) }
        secret = lines.last { $0.word == "kept" }?.numbers.first ?? secret
        digest(lines, killedAt: killedAt)
    }

    /// An acknowledged secret outlasts the kill. A newer one may have been written without an acknowledgement.
    private mutating func checkSecret(_ found: Int) {
        if found < secret { tally.problems.add("Secret \(found) was found, and \(secret) is lost.", .failure) }
        secret = max(secret, found)
    }

    /// The number of the secret on disk; 0 without a whole one.
    private var secretInFile: Int {
        let file = URL(filePath: place.secrets).appending(path: "token")
        let text = try? String(contentsOf: file, encoding: .utf8)
        return text.flatMap(SecretSearch.number(in:)) ?? 0
    }

    private mutating func digest(_ lines: [Acknowledgement], killedAt: UInt64) {
        guard let found = lines.first(where: { $0.word == "found" })?.numbers, found.count == 4 else {
            tally.killsWhileOpening += 1
            return
        }
        check(KillState(single: found[0], left: found[1], right: found[2], counter: found[3]))
        let steps = lines.filter { $0.word == "step" && $0.numbers.count == 2 }
        unchecked = KillRun(
            base: state, firstStep: nextStep, acknowledged: steps.map { UInt64($0.numbers[1]) }, killedAt: killedAt)
        // One more step may have been made without an acknowledgement.
        nextStep += steps.count + 1
    }

    private mutating func check(_ found: KillState) {
        defer { state = found }
        guard let run = unchecked else {
            if found != state { tally.problems.add("\(found) was found where nothing was written.", .failure) }
            return
        }
        unchecked = nil
        let verdict = run.verdict(plan, found: found)
        let last = run.firstStep + run.acknowledged.count - 1
        tally.add(verdict, "steps \(run.firstStep) to \(last) on \(run.base), then \(found) was found.")
    }
}
