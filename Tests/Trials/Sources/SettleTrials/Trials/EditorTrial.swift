import Foundation
import TrialChecks

/// A person edits the file while a program writes other settings.
struct EditorTrial: Trial {
    let name = "a file that is edited"
    let isForAll = false
    private static let patience = 5.0

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        let place = bench.place(contender, in: try bench.makeFolder("editor"), named: "edited")
        var random = bench.random(for: "editor")
        var problems = Problems()
        var child = try start(.edited(EditedChild(place: place)))
        let editor = FileEditor(path: place.file)
        guard child.readLine() == "ready", editor.waitForFile() else {
            problems.add("The program could not begin.", .failure)
            return TrialReport(
                name, contender.rawValue, figures: [.loss("failures", 1)], problems: problems.sentences)
        }
        var unseen = 0
        var overtaken = 0
        var last = 100
        // Each edit that is not noticed costs the whole patience: three are enough to tell.
        for number in 100..<(100 + bench.size.edits) where unseen < 3 {
            MonotonicTime.pause(microseconds: Int.random(in: 0...30_000, using: &random))
            let manner = FileEditor.Manner.allCases[number % FileEditor.Manner.allCases.count]
            // An editor that finds its file replaced under its hands tells the person, who does it again.
            while try !editor.set("edited", to: number, manner) { overtaken += 1 }
            last = number
            if !isSeen(number, in: place) {
                unseen += 1
                problems.add("Edit \(number) (\(manner)) was not published within \(Self.patience) s.")
            }
        }
        let mistakes = try makeMistakes(editor, place, &problems)
        child.say("end")
        if child.wait() != .success { problems.add("The program failed in the end.", .failure) }
        let lines = AcknowledgementFile.read(place.acknowledgements)
        for line in lines where line.word == "failed" { problems.add(line.text ?? "", .failure) }
        let written = lines.last { $0.word == "closed" }?.numbers.first ?? 0
        let inspection = bench.place(contender, in: place.folder, named: "editor-inspection")
        let found = try inspect(inspection, numbers: ["edited", "single"])
        let lostEdits = found.number("edited") == max(last, mistakes.lastEdit) ? 0 : 1
        let lostWrites = found.number("single") == written ? 0 : 1
        if lostEdits > 0 { problems.add("“edited” is \(found.number("edited")) in the end, not \(mistakes.lastEdit).") }
        if lostWrites > 0 { problems.add("“single” is \(found.number("single")) in the end, not \(written).") }
        for issue in found.issues { problems.add(issue, .failure) }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("edits", bench.size.edits), Figure("done again", overtaken), Figure("writes meanwhile", written),
                .loss("edits not published", unseen), .loss("edits lost in the end", lostEdits),
                .loss("writes lost in the end", lostWrites), Figure("invalid edits", mistakes.count),
                .loss("without line and column", mistakes.unreported), .loss("written over", mistakes.overwritten),
                .loss("failures", problems.count(of: .failure)),
            ], problems: problems.sentences)
    }

    private func isSeen(_ number: Int, in place: ChildPlace) -> Bool {
        let seen: Bool? = MonotonicTime.poll(atMost: Self.patience) {
            let lines = AcknowledgementFile.read(place.acknowledgements)
            return lines.contains { $0.word == "external" && $0.numbers == [number] } ? true : nil
        }
        return seen ?? false
    }

    private struct Mistakes {
        var count = 0
        var unreported = 0
        var overwritten = 0
        var lastEdit = 0
    }

    /// Invalid files, each put right after a while.
    private func makeMistakes(
        _ editor: FileEditor, _ place: ChildPlace, _ problems: inout Problems
    ) throws -> Mistakes {
        var mistakes = Mistakes()
        let invalid = ["{\n  \"edited\": 5,\n  \"single\": \n}\n", "{\n  \"edited\": 5", "edited = 5\n"]
        for (index, text) in invalid.enumerated() {
            mistakes.count += 1
            let before = try editor.text()
            let reports = { AcknowledgementFile.read(place.acknowledgements).filter { $0.word == "issue" } }
            let known = reports().count
            try editor.replace(with: text)
            let report: String? = MonotonicTime.poll(atMost: Self.patience) {
                reports().dropFirst(known).first {
                    $0.text?.contains("line") == true && $0.text?.contains("column") == true
                }?.text
            }
            if report?.contains("settings.json") != true {
                mistakes.unreported += 1
                problems.add("An invalid edit was not reported with file, line and column: \(report ?? "no issue").")
            }
            // Longer than the longest delay of a save.
            MonotonicTime.pause(microseconds: 2_500_000)
            if try editor.text() != text {
                mistakes.overwritten += 1
                problems.add("An invalid edit was written over before it was put right.")
            }
            try editor.replace(with: before)
            mistakes.lastEdit = 10_000 + index
            while try !editor.set("edited", to: mistakes.lastEdit, .atomically) {}
            if !isSeen(mistakes.lastEdit, in: place) {
                problems.add("The edit that puts the file right was not published.", .failure)
            }
        }
        return mistakes
    }
}
