import Testing
import TrialChecks

@Suite struct MigrationVerdictTests {
    private static let steps = ["rename", "count"]

    private func writer(_ lines: String...) -> MigratingWriter {
        var writer = MigratingWriter()
        for line in lines.compactMap({ Acknowledgement(line: $0) }) { writer.add(line) }
        writer.end()
        return writer
    }

    /// An old program that made two commits and was refused, a new one that made one, and a tool.
    private var programs: MigrationVerdict.Programs {
        MigrationVerdict.Programs(
            old: [0: writer("opened 1", "try 1", "done 2", "try 2", "done 3", "try 3", "refused 3")],
            new: [1: writer("migrating 5", "opened 10", "try 1", "done 11")],
            tools: [2: writer("opened 1", "try 1", "done 4", "migrated 2", "try 2", "done 12")])
    }

    private var file: MigratedValues {
        MigratedValues(
            numbers: [
                "sum.total": 3, "tools.total": 2, "tools.w2": 2, "closure": 1, "program.writer.w0.step": 2,
                "program.writer.w0.left": 2, "program.writer.w0.right": 2, "program.writer.w1.step": 1,
                "program.writer.w1.left": 1, "program.writer.w1.right": 1,
            ], texts: ["program.writer.w0.twice": "4", "program.writer.w1.twice": "2"], steps: Self.steps)
    }

    private var before: MigratedValues {
        MigratedValues(
            numbers: ["total": 2, "writer.w0.step": 2, "writer.w0.twice": 4], texts: ["writer.w0.pair": "2:2"])
    }

    private func verdict(
        _ programs: MigrationVerdict.Programs? = nil, _ change: (inout MigratedValues) -> Void = { _ in },
        before changeBefore: (inout MigratedValues) -> Void = { _ in }
    ) -> MigrationVerdict {
        var (file, before) = (file, before)
        change(&file)
        changeBefore(&before)
        return MigrationVerdict(programs ?? self.programs, steps: Self.steps, file: file, before: before)
    }

    @Test("Nothing is wrong with a file that has all that was acknowledged")
    func intact() {
        #expect(verdict().sentences == [])
    }

    @Test("Counters that are too low or too high are losses and inventions, and so are steps of programs")
    func counters() {
        #expect(verdict { $0.numbers["sum.total"] = 2 }.lost.count == 1)
        #expect(verdict { $0.numbers["sum.total"] = 4 }.invented.count == 1)
        #expect(verdict { $0.numbers["tools.total"] = nil }.lost.count == 1)
        #expect(verdict { $0.numbers["tools.w2"] = 1 }.lost.count == 1)
        #expect(verdict { $0.numbers["program.writer.w0.left"] = 1 }.lost.count == 1)
        #expect(verdict { $0.texts["program.writer.w1.twice"] = "4" }.lost.count == 1)
    }

    @Test("A commit that a kill cut off may be stored or not; one that was refused may not")
    func cut() {
        var programs = programs
        programs.tools[2] = writer("opened 1", "try 1", "done 4", "migrated 2", "try 2", "done 12", "try 3")
        #expect(verdict(programs).sentences == [])
        #expect(verdict(programs) { ($0.numbers["tools.total"], $0.numbers["tools.w2"]) = (3, 3) }.sentences == [])
        #expect(verdict { ($0.numbers["tools.total"], $0.numbers["tools.w2"]) = (3, 3) }.invented.count == 2)
    }

    @Test("Each step is made once: as the file has it, and as the programs have seen it")
    func once() {
        #expect(verdict { $0.numbers["closure"] = 2 }.notOnce.count == 1)
        #expect(verdict { $0.steps = ["rename"] }.notOnce.count == 1)
        #expect(verdict { $0.steps += ["count"] }.notOnce.count == 1)
        var programs = programs
        programs.new[3] = writer("migrating 9", "migrating 11", "opened 12")
        #expect(verdict(programs).notOnce.count == 1)
    }

    @Test("An older program saves nothing afterwards, and is refused")
    func late() {
        #expect(verdict { $0.numbers["total"] = 1 }.late.count == 1)
        #expect(verdict { $0.numbers["late.w0"] = 1 }.late.count == 1)
        #expect(verdict { $0.texts["writer.w0.pair"] = "3:3" }.late.count == 1)
        var programs = programs
        programs.old[0] = writer("opened 1", "try 1", "done 2", "try 2", "done 3")
        #expect(verdict(programs).late.count == 1)
        programs.old[0] = writer("opened 1", "try 1", "done 12", "try 2", "done 13", "try 3", "refused 3")
        #expect(verdict(programs).late.count == 1)
    }

    @Test("The version from before has all that was acknowledged until then, and nothing else")
    func kept() {
        #expect(verdict(before: { $0.numbers["total"] = 1 }).kept.count == 1)
        #expect(verdict(before: { $0.numbers["total"] = 3 }).kept.count == 1)
        #expect(verdict(before: { $0.numbers["closure"] = 1 }).kept.count == 1)
        #expect(verdict(before: { $0.texts["writer.w0.pair"] = "1:1" }).kept.count == 1)
        #expect(MigrationVerdict(programs, steps: Self.steps, file: file, before: nil).kept.count == 1)
    }

    @Test("A tool continues after the migration")
    func heldUp() {
        var programs = programs
        programs.tools[2] = writer("opened 1", "try 1", "done 4", "try 2", "done 5")
        #expect(verdict(programs).heldUp.count == 1)
        programs.tools[2] = writer("opened 1", "try 1", "done 4", "migrated 2", "try 2", "done 12 11000000000")
        #expect(verdict(programs).heldUp.count == 1)
    }
}
