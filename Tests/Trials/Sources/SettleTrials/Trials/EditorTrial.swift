import Foundation
import TrialChecks

/// The file is edited while a program writes other settings.
struct EditorTrial: Trial {
    let name = "a file that is edited"
    let isForAll = false
    private static let patience = 5.0

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        let place = bench.place(contender, in: try bench.makeFolder("editor"), named: "edited")
        var tally = EditorTally()
        var child = try start(.edited(EditedChild(place: place)))
        let editor = FileEditor(path: place.file)
        if child.readLine() == "ready", editor.waitForFile() {
            try makeEdits(bench.size.edits, editor, place, on: bench, &tally)
            try makeMistakes(editor, place, &tally)
        } else {
            tally.problems.add("The program could not start.", .failure)
        }
        child.say("end")
        if child.wait() != .success { tally.problems.add("The program failed at the end.", .failure) }
        let lines = AcknowledgementFile.read(place.acknowledgements)
        for line in lines where line.word == "failed" { tally.problems.add(line.text ?? "", .failure) }
        tally.lastWrite = lines.last { $0.word == "closed" }?.numbers.first ?? 0
        let inspection = bench.place(contender, in: place.folder, named: "editor-inspection")
        let found = try inspect(inspection, numbers: ["edited", "single"])
        tally.compare(edit: found.number("edited"), write: found.number("single"))
        for issue in found.failures { tally.problems.add(issue, .failure) }
        return TrialReport(name, contender.rawValue, figures: tally.figures, problems: tally.problems.sentences)
    }

    /// Makes valid edits, each of which the program must publish.
    private func makeEdits(
        _ count: Int, _ editor: FileEditor, _ place: ChildPlace, on bench: TrialBench, _ tally: inout EditorTally
    ) throws {
        var random = bench.random(for: "editor")
        // Each unnoticed edit uses up the whole timeout: three are enough to tell.
        for number in 100..<(100 + count) where tally.unpublished < 3 {
            MonotonicTime.pause(microseconds: Int.random(in: 0...30_000, using: &random))
            let manner = FileEditor.Manner.allCases[number % FileEditor.Manner.allCases.count]
            // An editor that finds its file replaced tells its user, who makes the edit again.
            while try !editor.set("edited", to: number, manner) { tally.repeated += 1 }
            tally.edits += 1
            tally.lastEdit = number
            if !isPublished(number, in: place) {
                tally.unpublished += 1
                tally.problems.add("Edit \(number) (\(manner)) was not published within \(Self.patience) s.")
            }
        }
    }

    /// Makes invalid edits, each corrected after a while.
    private func makeMistakes(_ editor: FileEditor, _ place: ChildPlace, _ tally: inout EditorTally) throws {
        let invalid = ["{\n  \"edited\": 5,\n  \"single\": \n}\n", "{\n  \"edited\": 5", "edited = 5\n"]
        for (index, text) in invalid.enumerated() {
            tally.mistakes += 1
            let before = try editor.text()
            let known = issues(in: place).count
            try editor.replace(with: text)
            let report: String? = MonotonicTime.poll(atMost: Self.patience) {
                issues(in: place).dropFirst(known).first { $0.lowercased().contains("line ") && $0.contains("column ") }
            }
            if report?.contains(place.contender.fileName) != true {
                tally.unreported += 1
                tally.problems.add("An invalid edit was not reported with file, line and column: \(report ?? "–")")
            }
            // Longer than the longest delay before a save.
            MonotonicTime.pause(microseconds: 2_500_000)
            if try editor.text() != text {
                tally.overwritten += 1
                tally.problems.add("An invalid edit was overwritten before it was corrected.")
            }
            try editor.replace(with: before)
            tally.lastEdit = 10_000 + index
            while try !editor.set("edited", to: tally.lastEdit, .atomically) {}
            if !isPublished(tally.lastEdit, in: place) {
                tally.unpublished += 1
                tally.problems.add("The edit that corrected the file was not published.")
            }
        }
    }

    private func isPublished(_ number: Int, in place: ChildPlace) -> Bool {
        let isSeen: Bool? = MonotonicTime.poll(atMost: Self.patience) {
            let lines = AcknowledgementFile.read(place.acknowledgements)
            return lines.contains { $0.word == "external" && $0.numbers == [number] } ? true : nil
        }
        return isSeen ?? false
    }

    private func issues(in place: ChildPlace) -> [String] {
        AcknowledgementFile.read(place.acknowledgements).filter { $0.word == "issue" }.map { $0.text ?? "" }
    }
}
