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
        if isLast {
            _ = child.readLine()
            child.say("end")
        } else {
            kill(child)
        }
        let ending = child.wait()
        if ending == .killed { kills += 1 }
        if ending != (isLast ? .success : .killed) { problems.add("Writer \(number) ended with \(ending).", .failure) }
        for line in AcknowledgementFile.read(place.acknowledgements) {
            record.add(line)
            problems.add(failureIn: line, of: "Writer \(number)")
        }
        record.end()
    }

    private mutating func kill(_ child: borrowing ChildProcess) {
        let delay: ClosedRange<Int>
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            // While it opens the file, or repairs what the kill before has left.
            delay = 1_000...25_000
        case 1..<4:
            // While it preserves the history and renews the journal, which takes a few milliseconds.
            while let word = child.readLine(), word != AuthoringChild.flushWord {}
            delay = 0...8_000
        default:
            _ = child.readLine()
            delay = 1_000...500_000
        }
        MonotonicTime.pause(microseconds: Int.random(in: delay, using: &random))
        child.kill()
    }
}

extension Problems {
    /// Counts the failure that a child has acknowledged.
    mutating func add(failureIn line: Acknowledgement, of process: String) {
        if line.word == "failed" || line.word == "issue" { add("\(process): \(line.text ?? "")", .failure) }
    }
}
