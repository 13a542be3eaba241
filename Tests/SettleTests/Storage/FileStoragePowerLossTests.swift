import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// The power fails before each system call, on a disk that keeps only what it must.
@Suite(.timeLimit(.minutes(10))) struct FileStoragePowerLossTests {
    private static let url = FileLayout.oneFolder.url

    /// Each save sets `n` to its position in this list, counted from 1.
    private typealias Saves = [StorageDurability]

    private static func storage(_ disk: any SystemCalls, _ layout: FileLayout = .oneFolder) -> FileStorage {
        FileStorage(at: layout.url, calls: disk)
    }

    /// The number of the save that a new process finds on this disk; 0 if there is none.
    private static func found(on disk: any SystemCalls, _ layout: FileLayout = .oneFolder) throws -> Int {
        let tree = try storage(disk, layout).load().tree
        guard case .integer(let number)? = tree["n"] else {
            #expect(tree.root.isEmpty)
            return 0
        }
        #expect(tree["twice"] == .integer(2 * number), "all of a batch or none of it")
        return Int(number)
    }

    private static func batch(_ number: Int) -> StorageBatch {
        StorageBatch(
            revision: UInt64(number),
            values: ["n": .integer(Int64(number)), "twice": .integer(Int64(2 * number))])
    }

    private static func tree(_ number: Int) -> SettingTree {
        SettingTree(storing: batch(number))
    }

    /// All lists of `count` durabilities.
    private static func lists(_ count: Int) -> [Saves] {
        guard count > 0 else { return [[]] }
        return lists(count - 1).flatMap { [$0 + [.buffered], $0 + [.synced]] }
    }

    fileprivate struct Shape: Sendable, CustomTestStringConvertible {
        var saves: [StorageDurability]
        var layout: FileLayout
        var testDescription: String { "\(saves.map { $0 == .synced ? "synced" : "buffered" }) at \(layout.rawValue)" }
    }

    /// Short ones of the layout with more folders, each of which may be lost or not.
    private static let shapes =
        lists(3).map { Shape(saves: $0, layout: .oneFolder) } + lists(2).map { Shape(saves: $0, layout: .stateApart) }

    /// Saves until the call with this number, from which on every call fails.
    private static func run(_ saves: Saves, until call: Int, _ layout: FileLayout) -> (
        disk: SimulatedDisk, stable: Int, tried: Int, ended: Bool
    ) {
        let disk = SimulatedDisk()
        let calls = FaultySystemCalls(disk)
        calls.fail(call: call, with: .error(.inputOutput), forGood: true)
        var (stable, tried) = (0, 0)
        do {
            let storage = storage(calls, layout)
            _ = try storage.load()
            for (index, durability) in saves.enumerated() {
                tried = index + 1
                if durability == .synced {
                    try storage.append(batch(tried), durability: .synced)
                } else {
                    // The checkpoint writes what was appended to the file.
                    try storage.append(batch(tried), durability: .buffered)
                    _ = try storage.checkpoint(tree(tried), for: .settled)
                    if calls.faultCount == 0 { stable = tried }
                }
                // A save that can't keep the previous version succeeds, so the power may have failed already.
                if durability == .synced && calls.faultCount == 0 { stable = tried }
            }
        } catch {}
        return (disk, stable, tried, calls.faultCount == 0)
    }

    @Test("A power loss loses no durable save and tears no other", arguments: shapes)
    fileprivate func everyMoment(shape: Shape) throws {
        let (saves, layout) = (shape.saves, shape.layout)
        var call = 0
        var ended = false
        while !ended {
            let run = Self.run(saves, until: call, layout)
            ended = run.ended
            for disk in run.disk.disksAfterLossOfPower() {
                let found = try Self.found(on: disk, layout)
                #expect((run.stable...max(run.stable, run.tried)).contains(found), "\(saves), call \(call)")
                // A second load finds the same values.
                #expect(try Self.found(on: disk, layout) == found)
            }
            call += 1
        }
        #expect(call > 20)
    }

    @Test("A second power loss during the next load loses no durable save either") func duringRecovery() throws {
        let saves: Saves = [.synced, .synced, .buffered]
        var call = 0
        var ended = false
        var (recoveries, loads) = (0, 0)
        while !ended {
            let run = Self.run(saves, until: call, .oneFolder)
            ended = run.ended
            for index in run.disk.disksAfterLossOfPower().indices {
                var loadCall = 0
                var loadEnded = false
                while !loadEnded {
                    let disk = run.disk.disksAfterLossOfPower()[index]
                    let calls = FaultySystemCalls(disk)
                    calls.fail(call: loadCall, with: .error(.inputOutput), forGood: true)
                    let contents = try? Self.storage(calls).load()
                    loads += 1
                    switch contents?.outcome {
                    case .recovered, .removed: recoveries += 1
                    case .absent, .intact, nil: break
                    }
                    loadEnded = calls.faultCount == 0
                    for after in disk.disksAfterLossOfPower() {
                        #expect(try Self.found(on: after) >= run.stable, "call \(call), then call \(loadCall)")
                    }
                    loadCall += 1
                }
            }
            call += 1
        }
        #expect(recoveries == 0 && loads > 20, "a loss of power damages and removes no file")
    }

    @Test(
        "An edit in the moment of the exchange is found after every power loss that follows",
        arguments: FileLayout.allCases)
    func editInTheMoment(layout: FileLayout) throws {
        var (call, ended, edits) = (0, false, 0)
        while !ended {
            let (disk, isEdited) = (SimulatedDisk(), LockedValue(false))
            let calls = FaultySystemCalls(disk)
            let storage = Self.storage(calls, layout)
            _ = try storage.load()
            try storage.append(Self.batch(1), durability: .synced)
            _ = try storage.checkpoint(Self.tree(1), for: .requested)
            try storage.append(Self.batch(2), durability: .synced)
            calls.beforeNext(.exchange) {
                try? disk.replaceContents(of: layout.path.text, with: Array(#"{"n": 1, "twice": 2, "edit": 7}"#.utf8))
                isEdited.withLock { $0 = true }
            }
            calls.fail(call: call, with: .error(.inputOutput), forGood: true)
            _ = try? storage.checkpoint(Self.tree(2), for: .requested)
            ended = calls.faultCount == 0
            guard isEdited.withLock({ $0 }) else {
                call += 1
                continue
            }
            for after in disk.disksAfterLossOfPower() {
                let next = Self.storage(after, layout)
                _ = try next.load()
                // Whoever writes looks at what was replaced.
                try next.append(StorageBatch(revision: 1, values: ["other": .integer(1)]), durability: .synced)
                next.close()
                let found = try Self.storage(after, layout).load().tree
                #expect(found["edit"] == .integer(7) && found["n"] == .integer(2), "call \(call)")
                edits += 1
            }
            call += 1
        }
        #expect(edits > 5)
    }

    @Test("After a failed sync, the next synced append is durable even if the disk reports a false success")
    func failedSync() throws {
        let disk = SimulatedDisk()
        let calls = FaultySystemCalls(disk)
        let storage = Self.storage(calls)
        _ = try storage.load()
        try storage.append(Self.batch(1), durability: .synced)
        calls.beforeNext(.synchronizeData) { disk.poisonUnsyncedFiles() }
        calls.fail(every: .synchronizeData, with: .inputOutput)
        #expect(throws: StorageError.self) { try storage.append(Self.batch(2), durability: .synced) }
        calls.heal()
        try storage.append(StorageBatch(revision: 2, values: [:]), durability: .synced)
        for after in disk.disksAfterLossOfPower() {
            #expect(try Self.found(on: after) == 2)
        }
    }

    @Test("A power loss while an unreadable file forces compactions loses no durable save")
    func duringCompaction() throws {
        var call = 0
        var ended = false
        while !ended {
            let disk = SimulatedDisk()
            let calls = FaultySystemCalls(disk)
            let storage = FileStorage(at: Self.url, calls: calls, journalLimit: 40)
            _ = try storage.load()
            try storage.append(Self.batch(1), durability: .synced)
            _ = try storage.checkpoint(Self.tree(1), for: .resting)
            try disk.replaceContents(of: Self.url.path, with: Array("{ oops".utf8))
            _ = try storage.externalChanges()
            _ = try storage.checkpoint(Self.tree(1), for: .settled)
            calls.fail(call: call, with: .error(.inputOutput), forGood: true)
            var (stable, tried) = (1, 1)
            do {
                for number in 2...14 {
                    tried = number
                    try storage.append(Self.batch(number), durability: number % 2 == 0 ? .synced : .buffered)
                    if number % 2 == 0, calls.faultCount == 0 { stable = number }
                }
            } catch {}
            ended = calls.faultCount == 0
            for after in disk.disksAfterLossOfPower() {
                let found = try Self.found(on: after)
                #expect((stable...max(stable, tried)).contains(found), "call \(call): \(found), \(stable) was stable")
                #expect(try Self.found(on: after) == found)
            }
            call += 1
        }
        #expect(call > 30)
    }
}

extension SimulatedDisk {
    /// Writes and syncs a file in place, as some editors do.
    func replaceContents(of path: String, with bytes: [UInt8]) throws {
        let operations = FileOperations(self)
        let path = FilePath(path)
        let file = try operations.open(path, .update)
        try operations.truncate(file, at: path, to: 0)
        try operations.write(bytes, to: file, at: path, offset: 0)
        try operations.synchronize(file, at: path)
        try operations.close(file, at: path)
    }
}
