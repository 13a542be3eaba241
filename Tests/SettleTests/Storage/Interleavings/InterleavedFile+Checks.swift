import Foundation
import Settle
import SettleTesting

/// What must be true in the end.
extension InterleavedFile {
    func check() throws {
        if scheduler.isEndless { throw Violation(description: "They never come to an end.") }
        if scheduler.isStuck { throw Violation(description: "All wait for locks.") }
        if let loss = afterPowerLoss.withLock({ $0 }) { return try checkAfterPowerLoss(loss.disks, loss.log) }
        if let error = log.withLock({ $0.error }) { throw Violation(description: error) }
        try checkReaders()
        for actor in [processes.indices, processes.indices, processes.indices].joined()
        where !calls[actor].hasEnded && processes[actor].withLock({ $0 != nil }) {
            try look(actor, time)
        }
        let log = log.withLock { $0 }
        let copy = disk.diskAfterProcessCrash()
        let contents = try FileStorage(at: url, calls: copy).load()
        try check(contents.tree, log, afterPowerLoss: false, "A fresh load")
        try checkOutcome(contents.outcome, "A fresh load")
        for actor in processes.indices where !calls[actor].hasEnded {
            guard let known = processes[actor].withLock({ $0?.known }), known != contents.tree else { continue }
            throw Violation(
                description: "\(actor) knows \(shown(known)), and a fresh load finds \(shown(contents.tree)).")
        }
        try checkCounts(contents.tree, log)
        try goOn(on: copy, from: contents.tree, "A fresh process")
        try checkNote(on: copy, log)
    }

    /// The comment that somebody has written last is still there, unless a process has ended that was about to put it
    /// back.
    private func checkNote(on disk: SimulatedDisk, _ log: Log) throws {
        let isLeftOut = log.isDisturbed || scripts.joined().contains { $0.isKill || $0.isInPlace }
        guard Self.closesRenameWindow, !isLeftOut, let note = log.note else { return }
        let bytes = SettingsPerson(path: names.file).contents(of: disk) ?? []
        guard !bytes.starts(with: note.utf8) else { return }
        throw Violation(description: "The comment of the last edit is gone.")
    }

    private func checkAfterPowerLoss(_ disks: [SimulatedDisk], _ log: Log) throws {
        for disk in disks {
            let tree = try FileStorage(at: url, calls: disk).load().tree
            try check(tree, log, afterPowerLoss: true, "After the loss of power")
            try goOn(on: disk, from: tree, "After the loss of power")
        }
    }

    /// Whoever only looks changes nothing, unless somebody has changed the files by hand, or a process has left a
    /// version of the file half written.
    private func checkReaders() throws {
        guard !scripts.joined().contains(where: { $0.isByHand || $0.isKill }) else { return }
        for actor in scripts.indices where scripts[actor].allSatisfy(\.isReading) {
            let changes = calls[actor].changes
            guard changes.isEmpty else { throw Violation(description: "\(actor) only reads, and does: \(changes)") }
        }
    }

    func checkOutcome(_ outcome: StorageContents.Outcome, _ who: String) throws {
        let isDisturbed = log.withLock { $0.isDisturbed }
        switch outcome {
        case .intact: return
        case .absent where isDisturbed, .removed where isDisturbed: return
        // What is read while somebody writes may be neither the old nor the new text.
        case .recovered(_, isComplete: true) where scripts.joined().contains(where: \.isInPlace): return
        default: throw Violation(description: "\(who) says: \(outcome)")
        }
    }

    private func check(_ tree: SettingTree, _ log: Log, afterPowerLoss: Bool, _ who: String) throws {
        for key in log.writes.keys {
            let possible = log.writes.possibleValues(at: key, afterPowerLoss: afterPowerLoss)
            if possible.contains(tree.integer(key)) { continue }
            throw Violation(
                description: "\(who) finds \(shown(tree)), and \(key) must be one of "
                    + possible.map { $0.map { "\($0)" } ?? "-" }.sorted().joined(separator: ", "))
        }
    }

    /// Each of those that have counted has counted what the others had counted before.
    private func checkCounts(_ tree: SettingTree, _ log: Log) throws {
        guard !scripts.joined().contains(where: \.changesNumber), let number = tree.integer("n") else { return }
        let possible = log.counts...(log.counts + log.possibleCounts)
        guard !possible.contains(Int(number)) else { return }
        throw Violation(description: "n is \(number), and must be in \(possible).")
    }

    /// A process stores something more and writes the file, and another one finds that.
    private func goOn(on disk: SimulatedDisk, from tree: SettingTree, _ who: String) throws {
        var expected = tree
        expected[.path("z")] = .integer(1)
        let storage = FileStorage(at: url, calls: disk)
        _ = try storage.load()
        try storage.append(StorageBatch(revision: 1, values: [.path("z"): .integer(1)]), durability: .synced)
        // What a process that has ended has displaced, and not merged yet.
        for change in try storage.externalChanges() { change.apply(to: &expected) }
        guard try storage.checkpoint(expected, for: .resting) else {
            throw Violation(description: "\(who) can't write the file.")
        }
        storage.close()
        let found = try FileStorage(at: url, calls: disk.diskAfterProcessCrash()).load()
        guard found.tree == expected, found.outcome == .intact else {
            throw Violation(
                description:
                    "\(who) goes on from \(shown(tree)), and then finds \(shown(found.tree)), \(found.outcome).")
        }
    }

    private func shown(_ tree: SettingTree) -> String {
        "["
            + SettingTreeText.leaves(of: tree).sorted { $0.key < $1.key }
            .map { "\($0): \(SettingTreeText.text($1))" }.joined(separator: ", ") + "]"
    }
}
