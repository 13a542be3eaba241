import TrialChecks

/// One program of a trial of migrations, which is killed and started again.
struct MigrationLane: Sendable {
    private let trial: MigrationTrial
    private let program: MigratingProgram
    private let number: Int
    private let place: ChildPlace
    private var random: SeededGenerator
    private(set) var writer = MigratingWriter()
    private(set) var kills = 0
    private(set) var problems = Problems()

    private static let steps = 20
    private static let mostKills = 3

    init(
        _ trial: MigrationTrial, _ program: MigratingProgram, number: Int, place: ChildPlace, random: SeededGenerator
    ) {
        self.trial = trial
        self.program = program
        self.number = number
        self.place = place
        self.random = random
    }

    /// The programs of a round. In every second one a program between the oldest and the newest migrates first.
    static func plan(_ round: Int) -> [MigratingProgram] {
        [.first, .first, round.isMultiple(of: 2) ? .first : .second, .third, .third, .tool, .tool]
    }

    static func programs(_ lanes: [MigrationLane]) -> MigrationVerdict.Programs {
        func writers(_ isMember: (MigratingProgram) -> Bool) -> [Int: MigratingWriter] {
            Dictionary(uniqueKeysWithValues: lanes.filter { isMember($0.program) }.map { ($0.number, $0.writer) })
        }
        return MigrationVerdict.Programs(
            old: writers { $0 == .first || $0 == .second }, new: writers { $0 == .third },
            tools: writers { $0 == .tool })
    }

    /// Not all: a program that is never killed must not lose anything because others are.
    private var mayBeKilled: Bool { !number.isMultiple(of: 5) && kills < Self.mostKills }

    /// Runs the program until it ends by itself.
    ///
    /// - Parameter gate: Passed when the programs that are there before the migration have opened the file.
    mutating func run(_ gate: Gate) throws {
        let isEarly = program == .first || program == .tool
        if !isEarly { gate.pass() }
        let delay = program == .third ? 20_000...120_000 : 1_000...40_000
        if !isEarly { MonotonicTime.pause(microseconds: Int.random(in: delay, using: &random)) }
        var isFirst = isEarly
        while true {
            AcknowledgementFile.remove(place.acknowledgements)
            var child = try trial.start(
                .migrate(
                    MigratingChild(
                        place: place, program: program, writer: number, firstStep: writer.lastAttempted + 1,
                        steps: Self.steps)))
            let word = child.readLine()
            if isFirst { gate.pass() }
            isFirst = false
            if mayBeKilled { kill(child, after: word) }
            let ending = child.wait()
            digest(AcknowledgementFile.read(place.acknowledgements))
            guard ending == .killed else {
                if ending != .success { problems.add("Program \(number) ended with \(ending).", .failure) }
                return
            }
            kills += 1
        }
    }

    private mutating func kill(_ child: borrowing ChildProcess, after word: String?) {
        // What follows the last step takes a few milliseconds: keeping the version before, storing, the checkpoint.
        let delay = word == "migrating" ? 0...6_000 : 1_000...60_000
        MonotonicTime.pause(microseconds: Int.random(in: delay, using: &random))
        child.kill()
    }

    private mutating func digest(_ lines: [Acknowledgement]) {
        for line in lines {
            writer.add(line)
            if line.word == "failed" { problems.add("Program \(number): \(line.text ?? "")", .failure) }
        }
        writer.end()
    }
}
