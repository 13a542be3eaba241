import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Edits of the file, while a storage has it open and while none has.
@Suite(.timeLimit(.minutes(10))) struct FileStorageEditTests {
    let fixture: FileStorageFixture
    let root: SettingValue.Entries = ["a": .integer(1), "b": .integer(2)]

    init() throws {
        fixture = try FileStorageFixture()
    }

    /// A storage at rest with `root`.
    func resting() throws -> FileStorage {
        let storage = try fixture.opened()
        try storage.save(batch(1, root.mapValues { $0 }))
        return storage
    }

    func changes(_ storage: FileStorage, since root: SettingValue.Entries) throws -> [ExternalChange] {
        try storage.externalChanges()
    }

    @Test("An edit is reported once, as the keys that differ") func edit() throws {
        let storage = try resting()
        try fixture.write(#"{"a": 5, "b": 2, "c": {"d": true}}"#)
        let expected = ExternalChange(.values(["a": .integer(5), "c.d": .bool(true)]))
        #expect(try changes(storage, since: root) == [expected])
        #expect(try changes(storage, since: root).isEmpty)
        try storage.append(batch(2, ["b": .integer(7)]), durability: .buffered)
        let all: SettingValue.Entries = ["a": .integer(5), "b": .integer(7), "c": .dictionary(["d": .bool(true)])]
        #expect(try fixture.freshLoad() == intact(all))
        #expect(try storage.checkpoint(SettingTree(all), for: .settled))
        #expect(try fixture.freshLoad() == intact(all))
    }

    @Test("Merging an edit keeps the keys that only the journal has changed")
    func merge() throws {
        let storage = try resting()
        try storage.append(
            StorageBatch(revision: 2, values: ["b": .integer(9)], expectedValues: ["b": .integer(2)]),
            durability: .buffered)
        try fixture.write(#"{"a": 5, "b": 2}"#)
        #expect(
            try changes(storage, since: ["a": .integer(1), "b": .integer(9)]) == [
                ExternalChange(.values(["a": .integer(5)]))
            ])
        #expect(try fixture.freshLoad() == intact(["a": .integer(5), "b": .integer(9)]))
    }

    @Test("A text from before a checkpoint puts back what that has replaced, and nothing that only the journal has")
    func oldText() throws {
        let storage = try resting()
        let text = try fixture.text()
        try storage.save(batch(2, ["b": .integer(9)]), over: ["a": .integer(1), "b": .integer(2)])
        try storage.append(batch(3, ["c": .integer(3)]), durability: .buffered)
        try fixture.write(text.replacingOccurrences(of: ": 1", with: ": 5"))
        let before: SettingValue.Entries = ["a": .integer(1), "b": .integer(9), "c": .integer(3)]
        #expect(
            try changes(storage, since: before) == [
                ExternalChange(.values(["a": .integer(5), "b": .integer(2)]))
            ])
        #expect(
            try fixture.freshLoad() == intact(["a": .integer(5), "b": .integer(2), "c": .integer(3)]))
    }

    @Test("An edit that fills an empty dictionary keeps the keys that the journal has added to it")
    func emptyDictionary() throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["d": .dictionary([:]), "e": .dictionary([:])]))
        let values: [SettingKey: SettingValue?] = ["d": .dictionary(["q": .integer(1)])]
        let replaced: [SettingKey: SettingValue] = ["d": .dictionary([:])]
        try storage.append(StorageBatch(revision: 2, values: values, expectedValues: replaced), durability: .buffered)
        try fixture.write(#"{"d": {"p": 5}}"#)
        let all: SettingValue.Entries = ["d": .dictionary(["p": .integer(5), "q": .integer(1)])]
        #expect(
            try changes(storage, since: ["d": .dictionary(["q": .integer(1)]), "e": .dictionary([:])]) == [
                ExternalChange(.values(["d.p": .integer(5), "e": nil]))
            ])
        #expect(try storage.checkpoint(SettingTree(all), for: .settled))
        try fixture.write(#"{"d": {}}"#)
        #expect(try changes(storage, since: all) == [ExternalChange(.values(["d": .dictionary([:])]))])
        #expect(try fixture.freshLoad() == intact(["d": .dictionary([:])]))
    }

    @Test("An empty dictionary left in the file is no edit of the keys that the journal has added to it")
    func untouchedDictionary() throws {
        let batches: [[SettingKey: SettingValue]] = [
            ["d": .dictionary(["q": .integer(1)]), "d.q": .integer(2)], ["d.q": .integer(2)],
        ]
        for values in batches {
            let fixture = try FileStorageFixture()
            let storage = try fixture.opened()
            try storage.save(batch(1, ["d": .dictionary([:])]))
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                let replaced: [SettingKey: SettingValue] = key == "d" ? ["d": .dictionary([:])] : [:]
                try storage.append(
                    StorageBatch(revision: 2, values: [key: value], expectedValues: replaced), durability: .buffered)
            }
            try fixture.write(#"{"a": 5, "d": {}}"#)
            let known: SettingValue.Entries = ["d": .dictionary(["q": .integer(2)])]
            #expect(try changes(storage, since: known) == [ExternalChange(.values(["a": .integer(5)]))])
        }
    }

    @Test("After a crash, a dictionary from an edit and one from the journal are merged key by key")
    func dictionaryAfterCrash() throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try storage.append(batch(2, ["d": .dictionary(["q": .integer(1)])]), durability: .synced)
        try fixture.write(#"{"a": 1, "d": {"p": 5}}"#)
        let all: SettingValue.Entries = ["a": .integer(1), "d": .dictionary(["p": .integer(5), "q": .integer(1)])]
        #expect(try fixture.freshLoad() == intact(all))
        var known = SettingTree(["a": .integer(1), "d": .dictionary(["q": .integer(1)])])
        for change in try storage.externalChanges() { change.apply(to: &known) }
        #expect(known.root == all)
    }

    @Test("Two storages that see the same edit each report it once") func oneTakesIn() throws {
        let one = try resting()
        let other = try fixture.opened()
        try fixture.write(#"{"a": 5, "b": 2}"#)
        let expected = [ExternalChange(.values(["a": .integer(5)]))]
        #expect(try changes(one, since: root) == expected && changes(other, since: root) == expected)
        #expect(try changes(one, since: root).isEmpty && changes(other, since: root).isEmpty)
    }

    @Test("A checkpoint merges an edit that the storage has not seen yet") func checkpointMerges() throws {
        let storage = try resting()
        try storage.append(
            StorageBatch(revision: 2, values: ["b": .integer(9)], expectedValues: ["b": .integer(2)]),
            durability: .buffered)
        try fixture.write(#"{"a": 5, "b": 2}"#)
        #expect(try storage.checkpoint(SettingTree(["a": .integer(1), "b": .integer(9)]), for: .settled))
        #expect(try fixture.freshLoad() == intact(["a": .integer(5), "b": .integer(9)]))
        #expect(try changes(storage, since: [:]) == [ExternalChange(.values(["a": .integer(5)]))])
    }

    @Test("After an edit that can't be parsed, the file is written into the text that it had before")
    func textBeforeDamage() throws {
        let fixture = try FileStorageFixture()
        try fixture.write("// mine\n{ \"b\": 2, /* one */ \"a\": 1, }\n")
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(3)]))
        try storage.save(batch(2, ["a": .integer(4)]))
        storage.close()
        try fixture.write("// mine\n{ \"b\": 2, /* one */ \"a\": 4, \n")
        let next = try fixture.opened()
        try next.save(batch(1, ["b": .integer(5)]))
        #expect(try fixture.text() == "// mine\n{ \"b\": 5, /* one */ \"a\": 4, }\n")
        #expect(try fixture.text(of: "settings.json.corrupt-1") == "// mine\n{ \"b\": 2, /* one */ \"a\": 4, \n")
    }

    @Test("Only what is changed is written anew, in a text of a person's own")
    func text() throws {
        let fixture = try FileStorageFixture()
        try fixture.write("{\n\t// The limit.\n\t\"n\": 1e3, // metres\n\n\t\"list\": [1,\n\t\t2], \"on\": true,\n}")
        let storage = try fixture.opened()
        try storage.save(batch(1, ["on": .bool(false), "of.x": .integer(1)]))
        #expect(
            try fixture.text() == "{\n\t// The limit.\n\t\"n\": 1e3, // metres\n\n\t\"list\": [1,\n\t\t2], "
                + "\"on\": false,\n\t\"of\": {\n\t\t\"x\": 1\n\t},\n}")
        try storage.save(batch(2, ["on": .bool(true), "of.x": nil]))
        #expect(
            try fixture.text()
                == "{\n\t// The limit.\n\t\"n\": 1e3, // metres\n\n\t\"list\": [1,\n\t\t2], \"on\": true,\n}")
    }

    @Test("An edit with comments of a file in strict JSON is refused, and corrected is in force")
    func strict() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened(format: .strictJSON)
        try storage.save(batch(1, ["a": .integer(1)]))
        try fixture.write("{\"a\": 2} // two")
        let change = try #require(try storage.externalChanges().first)
        #expect("\(change)".contains("Line 1, column 10: Strict JSON has no comments."), "\(change)")
        try fixture.write("{\"a\": 2}")
        #expect(try storage.externalChanges() == [ExternalChange(.values(["a": .integer(2)]))])
        try storage.save(batch(2, ["a": .integer(3)]))
        #expect(try fixture.text() == "{\"a\": 3}")
    }

    @Test(
        "An unreadable edit is reported once, with its line, and is not overwritten")
    func invalid() throws {
        let storage = try resting()
        let text = "{\n  \"a\": 5,\n  oops\n}"
        try fixture.write(text)
        let found = try changes(storage, since: root)
        #expect(found.count == 1)
        guard case .unusable(let error)? = found.first?.content else {
            Issue.record("it was to be reported: \(found)")
            return
        }
        #expect(error.description.contains(fixture.file.path) && error.description.contains("ine 3"))
        #expect(try changes(storage, since: root).isEmpty)
        try storage.append(
            StorageBatch(revision: 2, values: ["b": .integer(9)], expectedValues: ["b": .integer(2)]),
            durability: .synced)
        let all: SettingValue.Entries = ["a": .integer(1), "b": .integer(9)]
        #expect(try !storage.checkpoint(SettingTree(all), for: .settled))
        #expect(try fixture.text() == text)
        try fixture.write(#"{"a": 5, "b": 2}"#)
        #expect(try changes(storage, since: all).first?.content == .values(["a": .integer(5)]))
        #expect(try storage.checkpoint(SettingTree(["a": .integer(5), "b": .integer(9)]), for: .settled))
        #expect(try fixture.freshLoad() == intact(["a": .integer(5), "b": .integer(9)]))
    }

    @Test("A removed file is reported, and written again with its values at once")
    func removed() throws {
        let storage = try resting()
        try FileManager.default.removeItem(at: fixture.file)
        guard case .unusable(let error)? = try changes(storage, since: root).first?.content else {
            Issue.record("it was to be reported")
            return
        }
        #expect(error.description.contains("removed"))
        #expect(try fixture.freshLoad() == intact(root))
        #expect(try FileFormat.json.decode(Array(Data(contentsOf: fixture.file))).root == root)
        #expect(try changes(storage, since: root).isEmpty)
        #expect(try storage.checkpoint(SettingTree(root), for: .settled))
        #expect(try fixture.freshLoad() == intact(root))
    }

    @Test("A file recreated after its removal is an edit") func recreated() throws {
        let storage = try resting()
        try FileManager.default.removeItem(at: fixture.file)
        _ = try changes(storage, since: root)
        try fixture.write(#"{"a": 5}"#)
        #expect(try changes(storage, since: root) == [ExternalChange(.values(["a": .integer(5), "b": nil]))])
    }

    @Test("Edits of the same size in quick succession are all seen") func sameMoment() throws {
        let storage = try resting()
        for number in 3...9 {
            try fixture.write(#"{"a": \#(number), "b": 2}"#)
            let found = try changes(storage, since: ["a": .integer(Int64(number - 1)), "b": .integer(2)])
            #expect(found == [ExternalChange(.values(["a": .integer(Int64(number))]))])
        }
    }

    @Test("Removing a symbolic link changes no value, and a new one leads to its file's values")
    func swappedLink() throws {
        let manager = FileManager.default
        try fixture.write(#"{"a": 1}"#, to: "one.json")
        try fixture.write(#"{"a": 2, "c": 3}"#, to: "two.json")
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "one.json")
        let storage = try fixture.opened()
        try storage.append(batch(1, ["b": .integer(9)]), durability: .buffered)
        try manager.removeItem(at: fixture.file)
        #expect(try changes(storage, since: [:]).isEmpty)
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "two.json")
        let all: SettingValue.Entries = ["a": .integer(2), "b": .integer(9), "c": .integer(3)]
        #expect(try changes(storage, since: [:]).last == ExternalChange(.everything(SettingTree(all))))
        #expect(try storage.checkpoint(SettingTree(all), for: .settled))
        #expect(try fixture.text(of: "two.json").contains("9") && !fixture.text(of: "one.json").contains("9"))
    }

    @Test("Reformatting the file is no edit, even of values whose type the format can't spell") func spelling() throws {
        let storage = try fixture.opened()
        let values: SettingValue.Entries = [
            "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)), "data": .data(Data([1, 2])),
            "real": .real(2),
        ]
        try storage.save(batch(1, values.mapValues { $0 }))
        let text = try fixture.text()
        try fixture.write(text.replacing("{", with: "{ "))
        #expect(try changes(storage, since: values).isEmpty)
    }

    @Test("An edit made while no process has the file open is merged key by key with the journal")
    func offline() throws {
        let storage = try resting()
        try storage.append(
            StorageBatch(
                revision: 2, values: ["a": .integer(8), "b": .integer(9)],
                expectedValues: ["a": .integer(1), "b": .integer(2)]),
            durability: .buffered)
        storage.close()
        try fixture.write(#"{"a": 5, "b": 2, "c": 3}"#)
        let all: SettingValue.Entries = ["a": .integer(5), "b": .integer(9), "c": .integer(3)]
        #expect(try fixture.freshLoad() == intact(all))
        let again = try fixture.opened()
        try again.append(batch(3, ["d": .integer(4)]), durability: .buffered)
        #expect(try fixture.freshLoad() == intact(all.merging(["d": .integer(4)]) { $1 }))
    }

    @Test("An edit of a file at rest wins over every value in the journal") func atRest() throws {
        let storage = try resting()
        storage.close()
        try fixture.write(#"{"b": 3}"#)
        #expect(try fixture.freshLoad() == intact(["b": .integer(3)]))
        try fixture.write(#"{"b": 2}"#)
        #expect(try fixture.freshLoad() == intact(["b": .integer(2)]))
    }

    @Test("An edit that could not be journaled precedes the next append, even under the same lock")
    func owedUnderLock() throws {
        let storage = try resting()
        try fixture.write(#"{"a": 5, "b": 2}"#)
        try storage.lock()
        fixture.calls.fail(every: .write, with: .noSpace)
        #expect(try changes(storage, since: root) == [ExternalChange(.values(["a": .integer(5)]))])
        fixture.calls.heal()
        try storage.append(
            StorageBatch(revision: 2, values: ["a": .integer(9)], expectedValues: ["a": .integer(5)]),
            durability: .buffered)
        storage.unlock()
        #expect(try fixture.freshLoad() == intact(["a": .integer(9), "b": .integer(2)]))
    }

    @Test("An edit found by a load survives when a failed sync replaces the journal")
    func journalAfterEdit() throws {
        let storage = try resting()
        try fixture.write(#"{"a": 5, "b": 2}"#)
        let other = FileStorage(at: fixture.file)
        var known: SettingValue.Entries = ["a": .integer(5), "b": .integer(2)]
        #expect(try other.load() == intact(known))
        try other.append(batch(2, ["c": .integer(3)]), durability: .buffered)
        known["c"] = .integer(3)
        fixture.calls.fail(every: .synchronizeData, with: .inputOutput)
        #expect(throws: StorageError.self) {
            try storage.append(batch(2, ["d": .integer(4)]), durability: .synced)
        }
        fixture.calls.heal()
        try storage.append(batch(3, ["d": .integer(4)]), durability: .synced)
        var tree = SettingTree(known)
        for change in try changes(other, since: known) { change.apply(to: &tree) }
        known["d"] = .integer(4)
        #expect(tree.root == known)
        #expect(try other.checkpoint(tree, for: .resting))
        #expect(try fixture.freshLoad() == intact(known))
    }

    @Test("After a failed sync, the new journal restores an edit whose file is damaged later")
    func damageAfterEdit() throws {
        let storage = try resting()
        try fixture.write(#"{"a": 5, "b": 2}"#)
        let other = FileStorage(at: fixture.file)
        _ = try other.load()
        try other.append(batch(2, ["c": .integer(3)]), durability: .buffered)
        other.close()
        fixture.calls.fail(every: .synchronizeData, with: .inputOutput)
        #expect(throws: StorageError.self) {
            try storage.append(batch(2, ["d": .integer(4)]), durability: .synced)
        }
        fixture.calls.heal()
        try storage.append(batch(3, ["d": .integer(4)]), durability: .synced)
        storage.close()
        try fixture.write("{")
        let expected: SettingValue.Entries = [
            "a": .integer(5), "b": .integer(2), "c": .integer(3), "d": .integer(4),
        ]
        #expect(try fixture.freshLoad().tree.root == expected)
    }
}
