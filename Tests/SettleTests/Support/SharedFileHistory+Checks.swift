import Foundation
import Settle
import SettleTestSupport
import SettleTesting

/// Checks of the values that the processes and a fresh load find.
extension SharedFileHistory {
    mutating func askAll() throws {
        for index in processes.indices.reversed() where index < processes.count {
            _ = try takeIn(index)
        }
    }

    func lookFromOutside() throws {
        guard !model.isBroken else { return }
        let found = try peek()
        guard isSame(found, model.visible) else {
            throw Violation(description: "A fresh load finds \(shown(found)) instead of \(shown(model.visible)).")
        }
    }

    /// The values that a new process would find.
    func peek() throws -> SettingTree {
        let copy = disk.diskAfterProcessCrash()
        if model.isBroken { try person.mend(on: copy) }
        return try FileStorage(at: layout.url, calls: copy).load().tree
    }

    /// The values that a new process would find while the file is broken.
    func journaled() throws -> SettingTree {
        try FileStorage(at: layout.url, calls: disk.diskAfterProcessCrash()).load().tree
    }

    func check(_ process: Process) throws {
        let stored = process.holdsEdit ? model.mended : model.visible
        guard !isKnown(stored, by: process) else { return }
        throw Violation(description: "\(process.name) knows \(shown(process.known)) instead of \(shown(stored)).")
    }

    func isKnown(_ stored: SettingTree, by process: Process) -> Bool {
        var expected = stored
        expected.apply(process.pending)
        return isSame(process.known, expected)
    }

    func isSame(_ one: SettingTree, _ other: SettingTree) -> Bool {
        one == other || person.spelled(one) == person.spelled(other)
    }

    func shown(_ tree: SettingTree) -> String { shown(SettingTreeText.leaves(of: tree)) }

    func shown(_ values: [SettingKey: SettingValue?]) -> String {
        "[" + values.sorted { $0.key < $1.key }.map { "\($0): \(SettingTreeText.text($1))" }.joined(separator: ", ")
            + "]"
    }
}
