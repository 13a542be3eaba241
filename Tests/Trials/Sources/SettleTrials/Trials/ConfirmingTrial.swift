import TrialChecks

/// Three writers of a file make commits that are to be confirmed, confirm and revert each other's, and are killed.
struct ConfirmingTrial: Trial {
    let name = "commits that are to be confirmed"
    let isForAll = false
    private static let writers = 3

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        let folder = try bench.makeFolder("confirming")
        let kills = (bench.size.confirmingKills + Self.writers - 1) / Self.writers
        let lanes = try Lanes.run(Self.writers) { number in
            let name = "confirming-\(number)"
            var lane = ConfirmingLane(
                self, number: number, place: bench.place(contender, in: folder, named: name),
                random: bench.random(for: name))
            for _ in 0..<kills { try lane.live() }
            return lane
        }
        var problems = Problems()
        for lane in lanes { problems.add(lane.problems) }
        let (history, number, total) = try found(
            bench.place(contender, in: folder, named: "confirming-end"), &problems)
        let verdict = ConfirmingVerdict(lanes.map(\.record), history: history, found: (number, total))
        for sentence in verdict.sentences { problems.add(sentence) }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("transactions", history.count), Figure("kills", lanes.reduce(0) { $0 + $1.kills }),
                Figure("confirmed", verdict.confirmed), Figure("reverted by a writer", verdict.reverted),
                Figure("reverted by time", verdict.takenBack), .time("longest delay", verdict.longestDelay * 1_000),
                .loss("lost", verdict.lost.count), .loss("wrong values", verdict.wrong.count),
                .loss("too early or too late", verdict.untimely.count),
                .loss("failures", problems.count(of: .failure)),
            ], problems: problems.sentences)
    }

    /// The history of the file, oldest first, and its values, once nothing is to be confirmed any more.
    private func found(
        _ place: ChildPlace, _ problems: inout Problems
    ) throws -> (history: [ConfirmingEntry], number: Int?, total: Int) {
        var child = try start(.confirmed(ConfirmedChild(place: place)))
        _ = child.wait()
        let lines = AcknowledgementFile.read(place.acknowledgements)
        for line in lines { problems.add(failureIn: line, of: "The last process") }
        if lines.contains(where: { $0.word == "standing" }) {
            problems.add("A commit was not reverted within 10 s.", .failure)
        }
        if lines.last?.word != "end" { problems.add("The history was not read to its end.", .failure) }
        let values = lines.first { $0.word == "values" }?.numbers ?? []
        guard values.count == 2 else { return ([], nil, 0) }
        return (lines.compactMap { ConfirmingEntry($0) }, values[0] < 0 ? nil : values[0], values[1])
    }
}

/// One of the writers, which is killed and started again.
struct ConfirmingLane: Sendable {
    private let trial: ConfirmingTrial
    private let number: Int
    private let place: ChildPlace
    private var random: SeededGenerator
    private(set) var record = ConfirmingRecord()
    private(set) var kills = 0
    private(set) var problems = Problems()

    init(_ trial: ConfirmingTrial, number: Int, place: ChildPlace, random: SeededGenerator) {
        self.trial = trial
        self.number = number
        self.place = place
        self.random = random
    }

    /// Starts a process, and kills it: sometimes while it opens the file, when a commit may be due to be taken back.
    mutating func live() throws {
        AcknowledgementFile.remove(place.acknowledgements)
        var child = try trial.start(
            .confirm(
                ConfirmingChild(place: place, writer: number, seed: random.next(), firstStep: record.lastStep + 1)))
        let opens = Int.random(in: 0..<5, using: &random) == 0
        if !opens { _ = child.readLine() }
        MonotonicTime.pause(microseconds: Int.random(in: 1_000...(opens ? 25_000 : 800_000), using: &random))
        child.kill()
        let ending = child.wait()
        if ending == .killed { kills += 1 } else { problems.add("Writer \(number) ended with \(ending).", .failure) }
        for line in AcknowledgementFile.read(place.acknowledgements) {
            record.add(line)
            problems.add(failureIn: line, of: "Writer \(number)")
        }
    }
}
