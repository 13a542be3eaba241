import Foundation
import TrialChecks

/// Processes keep a file open and write, while somebody removes it, its journal, both or the folder, or puts back
/// copies.
struct RemovalTrial: Trial {
    let name: String
    let isForAll = false
    /// Whether copies are put back too, with which older values come back until they are written again.
    let restores: Bool
    private static let writers = 16

    init(restores: Bool) {
        self.restores = restores
        name = "\(Self.writers) processes whose files are removed" + (restores ? " and restored" : "")
    }

    private enum Harm: CaseIterable {
        case removeFile, removeJournal, removeBoth, removeFolder
        case restoreFile, restoreJournal, restoreBoth, overwriteFile
        case backUp
    }

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        var (problems, lost, commits, harms, renewals) = (Problems(), 0, 0, 0, 0)
        for round in 0..<bench.size.removalRounds {
            let name = "removal-\(restores)-\(contender)-\(round)"
            let folder = try bench.makeFolder(name)
            let places = (0..<Self.writers).map { bench.place(contender, in: folder, named: "\(name)-\($0)") }
            let result = try keep(places, harms: 12, bench.random(for: name))
            let found = try inspect(
                bench.place(contender, in: folder, named: "\(name)-end"),
                numbers: places.indices.map { KeepingChild.key(ofWriter: $0) })
            for issue in found.failures { problems.add(issue, .failure) }
            problems.add(result.problems)
            for (writer, known) in result.records.enumerated() {
                var record = known
                record.note(found: found.number(KeepingChild.key(ofWriter: writer)))
                commits += record.acknowledged
                lost += record.losses.count
                for loss in record.losses { problems.add("Round \(round), process \(writer): \(loss)") }
            }
            harms += result.harms
            renewals += result.renewals
        }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("commits", commits), Figure(restores ? "removals and restores" : "removals", harms),
                Figure("other journals seen", renewals), .loss("lost values", lost),
                .loss("failures", problems.count(of: .failure)),
            ], problems: problems.sentences)
    }

    private struct Result {
        var records: [WriterRecord] = []
        var harms = 0
        var renewals = 0
        var problems = Problems()
    }

    private func keep(_ places: [ChildPlace], harms: Int, _ random: SeededGenerator) throws -> Result {
        var (random, result) = (random, Result())
        let keepers = try places.enumerated().map { writer, place in
            Keeper(try start(.keep(KeepingChild(place: place, writer: writer))))
        }
        for (index, keeper) in keepers.enumerated() where keeper.child.readLine() != "ready" {
            result.problems.add("Process \(index) could not start.", .failure)
            return result
        }
        _ = waitForSteps(of: places)
        let files = SettingsFiles(place: places[0])
        try files.backUp()
        var journals: Set<UInt64> = []
        for _ in 0..<harms {
            MonotonicTime.pause(microseconds: Int.random(in: 1_000...60_000, using: &random))
            let allowed = restores ? Harm.allCases : [.removeFile, .removeJournal, .removeBoth, .removeFolder]
            // One that finds nothing to remove or to put back is none. It may have removed a part nevertheless.
            if (try? files.suffer(allowed.randomElement(using: &random) ?? .removeBoth)) != nil { result.harms += 1 }
            // The next one only once all have looked: what two removals in a row destroy is not promised.
            guard waitForSteps(of: places) else {
                result.problems.add("After a removal a process made no step for 30 s.", .failure)
                break
            }
            if let journal = files.journalNumber { journals.insert(journal) }
        }
        result.renewals = journals.count
        for keeper in keepers { keeper.child.say("end") }
        let steps = keepers.map { $0.child.readLine() ?? "0" }
        for keeper in keepers { keeper.child.say(steps.joined(separator: " ")) }
        for (index, place) in places.enumerated() {
            if keepers[index].child.wait() != .success { result.problems.add("Process \(index) failed.", .failure) }
            var record = WriterRecord()
            for line in AcknowledgementFile.read(place.acknowledgements) {
                // After a restore an older value is in force, until the next step.
                if restores, line.word == "found" { continue }
                record.add(line)
                switch line.word {
                case "differs": result.problems.add("Process \(index): \(line.line)", .failure)
                case "failed": result.problems.add("Process \(index): \(line.text ?? "")", .failure)
                default: break
                }
            }
            result.records.append(record)
        }
        return result
    }

    /// Until each process has begun and made a step.
    private func waitForSteps(of places: [ChildPlace]) -> Bool {
        func lengths() -> [Int] {
            places.map {
                ((try? FileManager.default.attributesOfItem(atPath: $0.acknowledgements))?[.size] as? Int) ?? 0
            }
        }
        let before = lengths()
        let isDone: Bool? = MonotonicTime.poll(atMost: 30) {
            // “found”, “try” and “done”, and what was under way before.
            zip(before, lengths()).allSatisfy { $1 >= $0 + 50 } ? true : nil
        }
        return isDone == true
    }

    /// The settings file and its journal, as a person sees them.
    private struct SettingsFiles {
        let folder: URL, file: URL, journal: URL, copies: URL

        init(place: ChildPlace) {
            folder = URL(filePath: place.folder, directoryHint: .isDirectory)
            file = URL(filePath: place.file)
            journal = folder.appending(path: ".\(file.lastPathComponent).journal")
            copies = URL(filePath: place.folder + "-copies", directoryHint: .isDirectory)
        }

        var journalNumber: UInt64? {
            (try? FileManager.default.attributesOfItem(atPath: journal.path))?[.systemFileNumber] as? UInt64
        }

        func suffer(_ harm: Harm) throws {
            let manager = FileManager.default
            switch harm {
            case .removeFile: try manager.removeItem(at: file)
            case .removeJournal: try manager.removeItem(at: journal)
            case .removeBoth:
                try manager.removeItem(at: journal)
                try manager.removeItem(at: file)
            case .removeFolder: try manager.removeItem(at: folder)
            case .restoreFile: try restore(file)
            case .restoreJournal: try restore(journal)
            case .restoreBoth:
                try restore(journal)
                try restore(file)
            case .overwriteFile: try Data(contentsOf: copy(of: file)).write(to: file)
            case .backUp: try backUp()
            }
        }

        private func copy(of url: URL) -> URL { copies.appending(path: url.lastPathComponent) }

        func backUp() throws {
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            for url in [file, journal] {
                // A moment ago it may have been removed.
                if let data = try? Data(contentsOf: url) { try data.write(to: copy(of: url)) }
            }
        }

        private func restore(_ url: URL) throws {
            try Data(contentsOf: copy(of: url)).write(to: url, options: .atomic)
        }
    }

    /// In a class of its own, so that it can be in an array.
    private final class Keeper {
        var child: ChildProcess

        init(_ child: consuming ChildProcess) {
            self.child = child
        }
    }
}
