import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Processes that share a file agree on its values despite edits, failures and replaced journals.
@Suite(.timeLimit(.minutes(10))) struct FileStorageAgreementTests {
    private let fixture: FileStorageFixture

    init() throws {
        fixture = try FileStorageFixture()
    }

    /// A storage that has loaded everything, as in another process.
    private func opened(_ calls: FaultySystemCalls = FaultySystemCalls()) throws -> FileStorage {
        let storage = FileStorage(
            at: fixture.file, calls: calls, lockTimeout: LockTimeout(limit: .zero), journalLimit: 200)
        _ = try storage.load()
        calls.forget()
        return storage
    }

    /// The values after merging the storage's external changes into `root`.
    private func known(_ storage: FileStorage, since root: SettingValue.Entries = [:]) throws -> SettingValue.Entries {
        var tree = SettingTree(root)
        for change in try storage.externalChanges() { change.apply(to: &tree) }
        return tree.root
    }

    private func append(
        _ values: [SettingKey: SettingValue?], to storage: FileStorage, over replaced: [SettingKey: SettingValue] = [:]
    ) throws {
        try storage.append(StorageBatch(revision: 1, values: values, expectedValues: replaced), durability: .buffered)
    }

    @Test("A process that read an edit while loading appends after it, even if another process discovers it later")
    func editSeenByLoad() throws {
        let one = try opened()
        try one.save(batch(1, ["a": .integer(1), "b": .integer(1)]))
        try fixture.write(#"{"a": 2, "b": 2}"#)
        let other = try opened()
        try append(["a": .integer(3)], to: other, over: ["a": .integer(2)])
        let expected: SettingValue.Entries = ["a": .integer(3), "b": .integer(2)]
        #expect(try known(one, since: ["a": .integer(1), "b": .integer(1)]) == expected)
        #expect(try fixture.freshLoad() == intact(expected))
    }

    @Test("A second edit does not bring back a value of the first that a batch has replaced since")
    func secondEdit() throws {
        let storage = try opened()
        try storage.save(batch(1, ["a": .integer(1), "b": .integer(1)]))
        try fixture.write(#"{"a": 2, "b": 1}"#)
        _ = try known(storage, since: ["a": .integer(1), "b": .integer(1)])
        try append(["a": .integer(3)], to: storage, over: ["a": .integer(2)])
        try fixture.write(#"{"a": 2, "b": 4}"#)
        let expected: SettingValue.Entries = ["a": .integer(3), "b": .integer(4)]
        #expect(try known(storage, since: ["a": .integer(3), "b": .integer(1)]) == expected)
        #expect(try fixture.freshLoad() == intact(expected))
    }

    @Test("An edit that adds or removes a dictionary keeps the keys that a batch has added to it")
    func wholeDictionary() throws {
        let storage = try opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try append(["g.y": .integer(1)], to: storage)
        try fixture.write(#"{"a": 1, "g": {"x": 2}}"#)
        var expected: SettingValue.Entries = [
            "a": .integer(1), "g": .dictionary(["x": .integer(2), "y": .integer(1)]),
        ]
        #expect(try known(storage, since: ["a": .integer(1), "g": .dictionary(["y": .integer(1)])]) == expected)
        #expect(try storage.checkpoint(SettingTree(expected), for: .settled))
        try append(["g.z": .integer(3)], to: storage)
        expected["g"] = .dictionary(["x": .integer(2), "y": .integer(1), "z": .integer(3)])
        try fixture.write(#"{"a": 1}"#)
        #expect(try known(storage, since: expected) == ["a": .integer(1), "g": .dictionary(["z": .integer(3)])])
    }

    @Test("An edit of a name that contains a dot is merged too") func dottedKey() throws {
        let storage = try opened()
        try storage.save(batch(1, ["a": .integer(1), "b": .integer(1)]))
        try append(["a": .integer(2), "b": .integer(2)], to: storage, over: ["a": .integer(1), "b": .integer(1)])
        try fixture.write(#"{"a": 3, "b": 1, "p.q": 5}"#)
        let expected: SettingValue.Entries = ["a": .integer(3), "b": .integer(2), "p.q": .integer(5)]
        #expect(try known(storage, since: ["a": .integer(2), "b": .integer(2)]) == expected)
        #expect(try fixture.freshLoad() == intact(expected))
    }

    @Test("A failed read does not lose what another process has appended") func failedRead() throws {
        for call in 0..<12 {
            let fixture = try FileStorageFixture()
            let one = try fixture.opened()
            let calls = FaultySystemCalls()
            let other = FileStorage(at: fixture.file, calls: calls)
            _ = try other.load()
            try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
            _ = try other.externalChanges()
            for number in 0..<20 {
                try one.append(batch(2, ["a": .integer(Int64(number))]), durability: .buffered)
            }
            calls.fail(call: call, with: .error(.inputOutput), forGood: false)
            _ = try? other.append(batch(2, ["b": .integer(2)]), durability: .buffered)
            calls.heal()
            try other.append(batch(2, ["b": .integer(2)]), durability: .buffered)
            var tree = SettingTree(["a": .integer(1), "b": .integer(2)])
            for change in try other.externalChanges() { change.apply(to: &tree) }
            #expect(tree.root == ["a": .integer(19), "b": .integer(2)], "call \(call)")
            #expect(try fixture.freshLoad() == intact(tree.root), "call \(call)")
        }
    }

    @Test("A failed unlock loses no newer value") func failedUnlock() throws {
        let calls = FaultySystemCalls()
        let one = try opened(calls)
        let other = try opened()
        calls.fail(every: .unlock, with: .inputOutput)
        try append(["a": .integer(1)], to: one)
        calls.heal()
        try append(["a": .integer(2)], to: other)
        try append(["b": .integer(3)], to: one)
        let expected: SettingValue.Entries = ["a": .integer(2), "b": .integer(3)]
        #expect(try known(one, since: ["a": .integer(1), "b": .integer(3)]) == expected)
        #expect(try fixture.freshLoad() == intact(expected))
    }

    @Test("A previous version that can't be replaced is not mistaken for an edit") func previousKept() throws {
        let calls = FaultySystemCalls()
        let storage = try opened(calls)
        for number in 1...2 { try storage.save(batch(1, ["a": .integer(Int64(number))])) }
        try append(["a": .integer(3)], to: storage, over: ["a": .integer(2)])
        calls.fail(every: .remove, with: .inputOutput)
        #expect(try storage.checkpoint(SettingTree(["a": .integer(3)]), for: .settled))
        calls.heal()
        #expect(try known(storage, since: ["a": .integer(3)]) == ["a": .integer(3)])
        #expect(try fixture.freshLoad() == intact(["a": .integer(3)]))
    }

    @Test("A journal that replaces another one preserves which keys were edited") func replacedJournal() throws {
        let calls = FaultySystemCalls()
        let storage = try opened(calls)
        try storage.save(batch(1, ["a": .integer(1), "b": .integer(1)]))
        try append(["a": .integer(2)], to: storage, over: ["a": .integer(1)])
        try fixture.write(#"{"a": 1, "b": 2}"#)
        // Journals the edit as a whole tree.
        _ = try opened()
        calls.fail(every: .synchronizeData, with: .inputOutput)
        #expect(throws: StorageError.self) { try storage.append(batch(2, [:]), durability: .synced) }
        calls.heal()
        try storage.append(batch(2, ["c": .integer(3)]), durability: .synced)
        try fixture.write(#"{"a": 1, "b": 4}"#)
        let expected: SettingValue.Entries = ["a": .integer(2), "b": .integer(4), "c": .integer(3)]
        #expect(try fixture.freshLoad() == intact(expected))
        #expect(try known(storage, since: ["a": .integer(2), "b": .integer(1), "c": .integer(3)]) == expected)
    }

    @Test("A process that missed a whole journal gets all values even if the file can't be read")
    func brokenFile() throws {
        let (one, other) = (try opened(), try opened())
        var root: SettingValue.Entries = [:]
        for number in 0..<4 {
            root["k\(number)"] = .string(String(repeating: "x", count: 200))
            try append(root.mapValues { $0 }, to: one)
            #expect(try one.checkpoint(SettingTree(root), for: .settled))
        }
        try fixture.write("{")
        #expect(try known(other) == root)
    }

    @Test("An edit of a file whose checkpoint was never confirmed reverts no value") func unconfirmed() throws {
        let calls = FaultySystemCalls()
        let one = try opened(calls)
        try append(["a": .integer(1)], to: one)
        calls.fail(every: .openFolder, with: .inputOutput)
        _ = try? one.checkpoint(SettingTree(["a": .integer(1)]), for: .settled)
        calls.endProcess()
        let other = try opened()
        try fixture.write(#"{"a": 1, "b": 2}"#)
        try append(["a": .integer(3)], to: other, over: ["a": .integer(1)])
        let expected: SettingValue.Entries = ["a": .integer(3), "b": .integer(2)]
        #expect(try known(other, since: ["a": .integer(3)]) == expected)
        #expect(try fixture.freshLoad() == intact(expected))
    }

    @Test("A later batch overwrites an external change of the dictionary around its key, or of keys inside it")
    func overwriting() {
        for (first, then) in [
            (["g": nil], ["g.x": .integer(1)]), (["g": .integer(5)], ["g.x": .integer(1)]),
            (["g": .dictionary(["x": .integer(1)])], ["g.x": nil]),
            (["g.x": .integer(1)], ["g": .dictionary(["y": .integer(2)])]),
        ] as [([SettingKey: SettingValue?], [SettingKey: SettingValue?])] {
            var expected = SettingTree(["g": .dictionary(["x": .integer(0)])])
            var late = expected
            expected.apply(first)
            expected.apply(then)
            late.apply(then)
            var change = ExternalChange(.values(first))
            change.overwrite(then)
            change.apply(to: &late)
            #expect(late == expected)
        }
    }
}
