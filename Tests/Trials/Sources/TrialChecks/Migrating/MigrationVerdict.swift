/// Compares a migrated file with what the programs that shared it have acknowledged.
public struct MigrationVerdict: Sendable {
    /// The programs by their part in the trial.
    public struct Programs: Sendable {
        /// With a list that ends before the last step, by their number.
        public var old: [Int: MigratingWriter]
        /// With the whole list.
        public var new: [Int: MigratingWriter]
        /// Without a list.
        public var tools: [Int: MigratingWriter]

        public init(old: [Int: MigratingWriter], new: [Int: MigratingWriter], tools: [Int: MigratingWriter]) {
            self.old = old
            self.new = new
            self.tools = tools
        }
    }

    /// Acknowledged commits that are gone, and torn ones.
    public private(set) var lost: [String] = []
    /// Values that nobody may have stored.
    public private(set) var invented: [String] = []
    /// Steps that were not made exactly once.
    public private(set) var notOnce: [String] = []
    /// What an older program has saved after the migration, and older programs that were not refused.
    public private(set) var late: [String] = []
    /// What is wrong with the version from before.
    public private(set) var kept: [String] = []
    /// Tools that a migration has held up.
    public private(set) var heldUp: [String] = []

    public var sentences: [String] { lost + invented + notOnce + late + kept + heldUp }

    /// - Parameters:
    ///   - steps: The names of all steps.
    ///   - file: What the file has in the end.
    ///   - before: What the version from before the migration has.
    public init(_ programs: Programs, steps: [String], file: MigratedValues, before: MigratedValues?) {
        let writers = programs.old.merging(programs.new) { $1 }
        check(file.numbers["sum.total"], "sum.total", writers.values)
        check(file.numbers["tools.total"], "tools.total", programs.tools.values)
        for (number, writer) in writers { check(file.step(ofNew: number), writer, number) }
        for (number, tool) in programs.tools { check(file.numbers["tools.w\(number)"] ?? 0, tool, number) }
        checkSteps(steps, file, programs)
        for key in file.keys
        where ["total", "writer", "late"].contains(where: { key == $0 || key.hasPrefix($0 + ".") }) {
            late.append("The migrated file has “\(key)”.")
        }
        checkBefore(before, programs)
        for (number, tool) in programs.tools {
            if !tool.hasGoneOn { heldUp.append("The tool \(number) made no commit after the migration.") }
            if tool.longestCommit > Self.patience { heldUp.append("A commit of the tool \(number) took seconds.") }
        }
    }

    /// A migration takes milliseconds, and so does a turn of each of the other programs; the rest is for busy machines.
    private static let patience = 10_000_000_000

    private mutating func check(_ found: Int?, _ key: String, _ writers: some Collection<MigratingWriter>) {
        let acknowledged = writers.reduce(0) { $0 + $1.acknowledged }
        let most = writers.reduce(acknowledged) { $0 + $1.cut }
        let found = found ?? 0
        if found < acknowledged { lost.append("\(key) is \(found) after \(acknowledged) commits.") }
        if found > most { invented.append("\(key) is \(found) after at most \(most) commits.") }
    }

    private mutating func check(_ found: Int?, _ writer: MigratingWriter, _ number: Int) {
        let (least, most) = (writer.possible.lowerBound, writer.possible.upperBound)
        guard let found else { return lost.append("The values of program \(number) are of several commits.") }
        if found < least { lost.append("Program \(number) has step \(found) after step \(least).") }
        if found > most { invented.append("Program \(number) has step \(found) after step \(most).") }
    }

    private mutating func checkSteps(_ steps: [String], _ file: MigratedValues, _ programs: Programs) {
        if file.steps != steps { notOnce.append("The file records \(file.steps).") }
        let count = file.numbers["closure"] ?? 0
        if count != 1 { notOnce.append("The last step was made \(count) times.") }
        guard let first = programs.new.values.flatMap(\.openings).min() else { return }
        let again = programs.new.values.flatMap(\.migrations).count { $0 > first }
        if again > 0 { notOnce.append("The steps ran \(again) times after the file had been migrated.") }
        for (number, writer) in programs.old {
            // One that was not stopped has been refused at its next commit.
            let count = writer.commits.count { $0 > first }
            if count > 1 { late.append("Program \(number) made \(count) commits after the migration.") }
            if writer.refused == 0 { late.append("Program \(number) was never refused.") }
        }
    }

    private mutating func checkBefore(_ before: MigratedValues?, _ programs: Programs) {
        guard let before else { return kept.append("The version from before the migration was not preserved.") }
        if before.numbers["closure"] != nil { kept.append("The preserved version has been migrated.") }
        var kept = MigrationVerdict()
        kept.check(before.numbers["total"] ?? before.numbers["sum.total"], "the preserved total", programs.old.values)
        for (number, writer) in programs.old { kept.check(before.step(ofOld: number), writer, number) }
        self.kept += kept.sentences.map { "In the preserved version: \($0)" }
    }

    private init() {}
}
