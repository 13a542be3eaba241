import Foundation
import SettleTestSupport
import SettleTesting

@testable import Settle

/// Files that are copied, and put back later.
extension KeptHistoryRun {
    mutating func useCopies() throws {
        switch copying.next() % 12 {
        case 0..<3: copyFiles()
        case 3: try restoreFiles()
        case 4: try saveOldText()
        default: break
        }
    }

    private mutating func copyFiles() {
        let paths = [Self.names.file, Self.names.journal, Self.names.previous]
        copies.append(paths.reduce(into: [:]) { $0[$1] = SettingsPerson(path: $1).contents(of: disk) })
        note("Somebody copies the files")
    }

    /// Puts some files back, in any order, whole or not, while processes look at what is there.
    private mutating func restoreFiles() throws {
        guard let copy = copies.randomElement(using: &copying) else { return }
        (isRestored, stable, awaited) = (true, nil, [])
        for (path, bytes) in copy.sorted(by: { $0.key.name < $1.key.name }).shuffled(using: &copying)
        where copying.next() % 2 == 0 {
            let isTorn = copying.next() % 5 == 0
            let isInPlace = copying.next() % 2 == 0
            let part = isTorn ? Array(bytes.prefix(Int(copying.next() % UInt64(bytes.count + 1)))) : bytes
            try SettingsPerson(path: path).put(part, on: disk, isInPlace: isInPlace)
            if isTorn { (isDamaged, isSecretKnown) = (true, false) }
            note("Somebody puts \(path.name) back\(isTorn ? " in part" : "")\(isInPlace ? ", in place" : "")")
            if copying.next() % 2 == 0, let process = processes.randomElement(using: &copying) {
                _ = try? settledTree(of: process)
                note("\(process.name) looks at it")
            }
        }
    }

    /// An editor that has read the file long ago saves what it has.
    private mutating func saveOldText() throws {
        guard let bytes = copies.randomElement(using: &copying)?[Self.names.file] else { return }
        try SettingsPerson(path: Self.names.file).put(bytes, on: disk, isInPlace: copying.next() % 2 == 0)
        note("An editor saves an old text")
    }

    /// Whatever place somebody comes back with, it leads to the values in force, or it is said that it does not.
    mutating func checkPlaces(_ tree: SettingTree, _ index: Int) throws {
        for _ in 0..<min(4, places.count) {
            guard let (token, before) = places.randomElement(using: &copying),
                let records = try records(after: token, of: index)
            else { continue }
            var state = before
            let transactions = records.flatMap(\.transactions)
            guard transactions.allSatisfy({ $0.mutations != nil }) else { continue }
            for mutation in transactions.flatMap({ $0.mutations ?? [] }) { state[mutation.key] = mutation.newValue }
            guard leaves(state) == leaves(tree) else {
                throw Violation(
                    description: "\(text(token)) leads \(processes[index].name) to \(leaves(state)) instead of "
                        + "\(leaves(tree)).")
            }
        }
    }
}
