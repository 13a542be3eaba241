import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Edits that are made while a checkpoint writes the file.
extension FileStorageEditTests {
    @Test("An edit made while a checkpoint writes the file is merged") func lateEdit() throws {
        for moment in [SystemCall.Kind.create, .synchronize, .rename, .exchange] {
            let fixture = try FileStorageFixture()
            let storage = try fixture.opened()
            try storage.save(batch(1, root.mapValues { $0 }))
            try storage.append(
                StorageBatch(revision: 2, values: ["b": .integer(9)], expectedValues: ["b": .integer(2)]),
                durability: .buffered)
            let file = fixture.file
            fixture.calls.beforeNext(moment) { try? Data(#"{"a": 5, "b": 2}"#.utf8).write(to: file) }
            var root: SettingValue.Entries = ["a": .integer(1), "b": .integer(9)]
            _ = try storage.checkpoint(SettingTree(root), for: .settled)
            #expect(
                try changes(storage, since: root) == [ExternalChange(.values(["a": .integer(5)]))], "\(moment)")
            #expect(storage.keptValues(forKey: "a", insteadOf: .integer(5)) == [.integer(1)], "\(moment)")
            root["a"] = .integer(5)
            #expect(try fixture.freshLoad().tree.root == root, "\(moment)")
            #expect(try storage.checkpoint(SettingTree(root), for: .resting), "\(moment)")
            #expect(try fixture.freshLoad() == intact(root), "\(moment)")
        }
    }

    /// The replaced file is the one that was read before, of the same size: only its time differs.
    @Test("An edit in place, made in the moment of the exchange, is merged") func editInPlace() throws {
        let disk = SimulatedDisk()
        disk.makeStableFolder("/home")
        let (path, operations) = (FilePath("/home/settings.json"), FileOperations(disk))
        let calls = FaultySystemCalls(disk)
        let storage = FileStorage(at: URL(filePath: path.text), calls: calls)
        _ = try storage.load()
        try storage.save(batch(1, ["a": .integer(1), "b": .integer(2)]))
        try storage.append(
            StorageBatch(revision: 2, values: ["b": .integer(9)], expectedValues: ["b": .integer(2)]),
            durability: .buffered)
        let file = try operations.open(path, .update)
        var text = try operations.readAll(file, at: path, limit: 1_000)
        text[try #require(text.firstIndex(of: UInt8(ascii: "1")))] = UInt8(ascii: "5")
        calls.beforeNext(.exchange) { [text] in
            #expect(throws: Never.self) { try operations.write(text, to: file, at: path) }
        }
        var root: SettingValue.Entries = ["a": .integer(1), "b": .integer(9)]
        _ = try storage.checkpoint(SettingTree(root), for: .settled)
        #expect(try changes(storage, since: root) == [ExternalChange(.values(["a": .integer(5)]))])
        try operations.close(file, at: path)
        root["a"] = .integer(5)
        #expect(try storage.checkpoint(SettingTree(root), for: .resting))
        #expect(try FileStorage(at: URL(filePath: path.text), calls: disk).load() == intact(root))
    }

    @Test("A late edit that can't be read at once is merged by the next call, or set aside", arguments: [false, true])
    func unreadLateEdit(staysUnreadable: Bool) throws {
        let storage = try resting()
        try storage.append(
            StorageBatch(revision: 2, values: ["b": .integer(9)], expectedValues: ["b": .integer(2)]),
            durability: .buffered)
        let (file, calls, edited) = (fixture.file, fixture.calls, #"{"a": 5, "b": 2}"#)
        let previous = ".settings.json.previous"
        calls.beforeNext(.exchange) {
            try? Data(edited.utf8).write(to: file)
            calls.fail(everyCallAt: previous, with: .inputOutput)
        }
        let error = #expect(throws: StorageError.self) { try storage.checkpoint() }
        #expect(error?.errno == SystemError.inputOutput.number)
        #expect(error?.description.contains("\(previous)” can't be read") == true)
        if !staysUnreadable { calls.heal() }
        try storage.append(batch(3, ["c": .integer(3)]), durability: .buffered)
        calls.heal()
        var root: SettingValue.Entries = ["a": .integer(1), "b": .integer(9), "c": .integer(3)]
        let found = try changes(storage, since: root)
        if staysUnreadable {
            #expect(found.count == 1 && "\(found)".contains("settings.json.corrupt-1"))
            #expect(try fixture.text(of: "settings.json.corrupt-1") == edited)
        } else {
            #expect(found == [ExternalChange(.values(["a": .integer(5)]))])
            root["a"] = .integer(5)
        }
        #expect(try storage.checkpoint(SettingTree(root), for: .resting))
        #expect(try fixture.freshLoad() == intact(root))
    }

    /// A large file is compared in parts with what was read before.
    @Test(
        "An edit of a large file, made in the moment of the exchange, is merged wherever it is",
        arguments: ["k10000", "k12000", "k13999"])
    func lateEditOfLargeFile(name: String) throws {
        let (storage, file) = (try fixture.opened(), fixture.file)
        let text = String(repeating: "x", count: 40)
        var root = SettingValue.Entries(
            uniqueKeysWithValues: (10_000..<14_000).map { ("k\($0)", SettingValue.string(text)) })
        root["b"] = .integer(2)
        try storage.save(batch(1, root.mapValues { $0 }))
        try storage.append(
            StorageBatch(revision: 2, values: ["b": .integer(9)], expectedValues: ["b": .integer(2)]),
            durability: .buffered)
        let edited = try fixture.text().replacingOccurrences(of: "\"\(name)\": \"x", with: "\"\(name)\": \"y")
        fixture.calls.beforeNext(.exchange) { try? Data(edited.utf8).write(to: file) }
        root["b"] = .integer(9)
        _ = try storage.checkpoint(SettingTree(root), for: .resting)
        let value = SettingValue.string("y" + String(text.dropFirst()))
        #expect(try changes(storage, since: root) == [ExternalChange(.values([SettingKey(name: name): value]))])
        root[name] = value
        #expect(try storage.checkpoint(SettingTree(root), for: .resting))
        // Not within the expectation, which would show both.
        let isStored = try fixture.freshLoad() == intact(root)
        #expect(isStored)
    }

    @Test("A comment that is written while a checkpoint writes the file takes its place again at once")
    func lateComment() throws {
        for moment in [SystemCall.Kind.read, .create, .write, .synchronize, .exchange] {
            let fixture = try FileStorageFixture()
            let storage = try fixture.opened()
            try storage.save(batch(1, ["a": .integer(1), "b": .integer(2)]))
            try storage.append(batch(2, ["b": .integer(3)]), durability: .buffered)
            let file = fixture.file
            fixture.calls.beforeNext(moment) {
                try? Data("// mine\n{ \"b\": 2, /* one */ \"a\": 1 }".utf8).write(to: file)
            }
            let isAtRest = try storage.checkpoint(SettingTree(["a": .integer(1), "b": .integer(3)]), for: .settled)
            #expect(isAtRest, "\(moment)")
            #expect(try fixture.text() == "// mine\n{ \"b\": 3, /* one */ \"a\": 1 }", "\(moment)")
            #expect(try storage.externalChanges() == [], "\(moment)")
            #expect(try fixture.freshLoad() == intact(["a": .integer(1), "b": .integer(3)]), "\(moment)")
        }
    }

    @Test("A comment that a process has displaced when it ended is put back by the next one that writes")
    func displacedComment() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1), "b": .integer(2)]))
        try storage.append(batch(2, ["b": .integer(3)]), durability: .synced)
        let (file, calls) = (fixture.file, fixture.calls)
        calls.beforeNext(.exchange) {
            try? Data("{ \"b\": 2, \"a\": 1 } // mine\n".utf8).write(to: file)
            calls.beforeNext(.create) { calls.fail(call: 0, with: .error(.inputOutput), forGood: true) }
        }
        #expect(throws: StorageError.self) {
            try storage.checkpoint(SettingTree(["a": .integer(1), "b": .integer(3)]), for: .settled)
        }
        calls.endProcess()
        #expect(try fixture.text() == "{\n  \"a\": 1,\n  \"b\": 3\n}\n")
        let next = FileStorage(at: fixture.file)
        var tree = try next.load().tree
        tree["a"] = .integer(4)
        try next.append(batch(1, ["a": .integer(4)]), durability: .synced)
        #expect(try next.checkpoint(tree, for: .resting))
        #expect(try fixture.text() == "{ \"b\": 3, \"a\": 4 } // mine\n")
    }
}
