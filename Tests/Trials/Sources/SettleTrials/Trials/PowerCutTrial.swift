import Foundation
import TrialChecks

/// The power fails while a process commits on a real file system; in the end its device takes no more blocks.
///
/// The blocks are a file in memory. What that has at some moment is what a disk has that has written all that it was
/// given. A copy of it is mounted, which repairs it as after a cut, and a new process looks at the settings there.
struct PowerCutTrial: Trial {
    let fileSystem: LoopDisk.FileSystem
    let isForAll = true

    var name: String { "power cuts on \(fileSystem.name)" }

    private struct Tally {
        var (commits, refused, lost, torn, unclear) = (0, 0, 0, 0, 0)
        var problems = Problems()
    }

    private struct Places {
        var child: ChildPlace
        var copy: String
        var check: ChildPlace
    }

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        let name = "power-\(fileSystem)-\(contender)"
        let (room, kibibytes) = (try bench.makeFolder("\(name)-copies"), 1_024 * fileSystem.mebibytes)
        let places = Places(
            child: bench.place(contender, in: try bench.makeFolder(name), named: name), copy: "\(room)/copy",
            check: bench.place(contender, in: try bench.makeFolder("\(name)-check"), named: "\(name)-check"))
        var tally = Tally()
        do {
            let blocks = try SmallDisk(at: bench.makeFolder("\(name)-blocks"), kibibytes: kibibytes)
            let copies = try SmallDisk(at: room, kibibytes: kibibytes + 1_024)
            let disk = try LoopDisk(making: fileSystem, in: "\(blocks.folder)/image", at: places.child.folder)
            try cutPower(of: disk, blocks, places, named: name, on: bench, &tally)
            _ = copies.folder
        } catch let error as TrialError {
            return TrialReport(self.name, contender.rawValue, skipped: "\(error)")
        }
        return TrialReport(
            self.name, contender.rawValue,
            figures: [
                Figure("cuts", bench.size.powerCuts), Figure("commits", tally.commits),
                Figure("refused by a failing device", tally.refused), .loss("lost acknowledged commits", tally.lost),
                .loss("torn transactions", tally.torn), .loss("errors that do not name the file", tally.unclear),
                .loss("failures", tally.problems.count(of: .failure)),
            ], problems: tally.problems.sentences)
    }

    private func cutPower(
        of disk: borrowing LoopDisk, _ blocks: borrowing SmallDisk, _ places: Places, named name: String,
        on bench: TrialBench, _ tally: inout Tally
    ) throws {
        var random = bench.random(for: name)
        AcknowledgementFile.remove(places.child.acknowledgements)
        let child = try start(.power(PowerChild(place: places.child, failures: 6)))
        guard child.readLine() == "ready" else { throw TrialError("The writer could not start.") }
        for _ in 0..<bench.size.powerCuts {
            MonotonicTime.pause(microseconds: Int.random(in: 500...60_000, using: &random))
            child.pause()
            defer { child.proceed() }
            try look(disk, places, &tally)
        }
        try blocks.fill()
        guard child.readLine() == "failed" else { throw TrialError("The writer ended on a failing device.") }
        try look(disk, places, &tally) { try bench.keepFiles(in: places.check.folder, named: name) }
        let lines = AcknowledgementFile.read(places.child.acknowledgements)
        tally.commits = lines.count { $0.word == "done" }
        for line in lines where line.word == "refused" {
            tally.refused += 1
            guard !(line.text ?? "").contains(places.child.contender.fileName) else { continue }
            tally.unclear += 1
            tally.problems.add("An error does not name the file: \(line.text ?? "")")
        }
    }

    /// Requires that a new process finds one of the commits that it may find, complete.
    ///
    /// - Parameter keepFiles: Called while the copy is still mounted.
    private func look(
        _ disk: borrowing LoopDisk, _ places: Places, _ tally: inout Tally, keepFiles: () throws -> Void = {}
    ) throws {
        let done = last("done", places.child)
        try disk.copy(to: places.copy)
        let tried = max(done, last("try", places.child))
        let copy = try LoopDisk(mounting: fileSystem, in: places.copy, at: places.check.folder)
        let found = try inspect(places.check, numbers: ["counter"], texts: ["payload"])
        try keepFiles()
        _ = copy.folder
        for issue in found.failures { tally.problems.add(issue, .failure) }
        let number = found.number("counter")
        if !(done...tried).contains(number) {
            tally.lost += 1
            tally.problems.add("Commit \(number) was found instead of \(done) to \(tried).")
        } else if found.texts["payload"] != PowerChild.payload(number) {
            tally.torn += 1
            tally.problems.add("Commit \(number) is not whole.")
        }
    }

    private func last(_ word: String, _ place: ChildPlace) -> Int {
        AcknowledgementFile.read(place.acknowledgements).last { $0.word == word }?.numbers.first ?? 0
    }
}
