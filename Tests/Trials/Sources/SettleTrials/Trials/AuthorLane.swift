import TrialChecks

/// One writer of a trial of histories, which is killed and started again until the trial is over.
struct AuthorLane: Sendable {
    private let trial: HistoryTrial
    private let number: Int
    private let place: ChildPlace
    private var random: SeededGenerator
    private(set) var record = AuthorRecord()
    private(set) var kills = 0
    private(set) var problems = Problems()

    init(_ trial: HistoryTrial, number: Int, place: ChildPlace, random: SeededGenerator) {
        self.trial = trial
        self.number = number
        self.place = place
        self.random = random
    }

    mutating func run(until end: Event) throws {
        while !end.hasHappened { try run(isLast: false) }
        try run(isLast: true)
    }

    /// - Parameter isLast: Whether this process may end by itself.
    private mutating func run(isLast: Bool) throws {
        AcknowledgementFile.remove(place.acknowledgements)
        var child = try trial.start(
            .author(
                AuthoringChild(
                    place: place, writer: number, seed: random.next(), firstStep: record.lastAttempted + 1)))
        // Some are killed while they open the file, or repair what the kill before has left.
        let isEarly = Int.random(in: 0..<8, using: &random) == 0
        if isLast || !isEarly { _ = child.readLine() }
        let delay = isEarly ? 1_000...25_000 : 1_000...Self.longestLife
        MonotonicTime.pause(microseconds: Int.random(in: delay, using: &random))
        if isLast { child.say("end") } else { child.kill() }
        let ending = child.wait()
        if ending == .killed { kills += 1 }
        if ending != (isLast ? .success : .killed) { problems.add("Writer \(number) ended with \(ending).", .failure) }
        for line in AcknowledgementFile.read(place.acknowledgements) {
            record.add(line)
            problems.add(failureIn: line, of: "Writer \(number)")
        }
        record.end()
    }

    /// In microseconds.
    private static let longestLife = 600_000
}

extension Problems {
    /// Counts the failure that a child has acknowledged.
    mutating func add(failureIn line: Acknowledgement, of process: String) {
        if line.word == "failed" || line.word == "issue" { add("\(process): \(line.text ?? "")", .failure) }
    }
}
