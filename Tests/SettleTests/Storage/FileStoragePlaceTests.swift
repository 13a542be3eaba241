import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// The file's location: the links on its path, its owner and the length of its name.
@Suite(.timeLimit(.minutes(10))) struct FileStoragePlaceTests {
    private let temporary: TemporaryFolder
    private let manager = FileManager.default

    init() throws {
        temporary = try TemporaryFolder()
    }

    private func url(_ path: String) -> URL { temporary.url.appending(path: path) }

    private func write(_ text: String, to path: String) throws {
        try manager.createDirectory(at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url(path))
    }

    private func link(_ path: String, to target: String) throws {
        let new = url(path + ".new")
        try manager.createSymbolicLink(atPath: new.path, withDestinationPath: target)
        // As deployments do, so that the link is never missing.
        try FileOperations(POSIXSystemCalls()).rename(FilePath(new.path), to: FilePath(url(path).path))
    }

    private func opened(_ path: String) throws -> FileStorage {
        let storage = FileStorage(at: url(path), calls: FaultySystemCalls(synchronizes: false))
        _ = try storage.load()
        return storage
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: url(path)), as: UTF8.self)
    }

    @Test("Switching a link in the middle of the path leads to the other file's values") func swapped() throws {
        try write(#"{"a": 1}"#, to: "releases/6/settings.json")
        try write(#"{"a": 2, "c": 3}"#, to: "releases/7/settings.json")
        try link("current", to: "releases/6")
        for call in 0..<2 {
            let storage = try opened("current/settings.json")
            try storage.append(batch(1, ["b": .integer(9)]), durability: .buffered)
            try link("current", to: "releases/7")
            if call == 0 {
                let all: SettingValue.Entries = ["a": .integer(2), "b": .integer(9), "c": .integer(3)]
                #expect(
                    try storage.externalChanges().last == ExternalChange(.everything(SettingTree(all))))
            }
            try storage.append(batch(1, ["d": .integer(4)]), durability: .synced)
            let found = try FileStorage(at: url("current/settings.json")).load().tree
            #expect(found["d"] == .integer(4) && found["b"] == .integer(9) && found["c"] == .integer(3))
            #expect(try !text("releases/6/settings.json").contains("c"))
            storage.close()
            try link("current", to: "releases/6")
        }
    }

    @Test("A synced append right after a link was switched is stored where the link leads")
    func swappedUnnoticed() throws {
        try write(#"{"a": 1}"#, to: "releases/6/settings.json")
        try write(#"{"a": 2}"#, to: "releases/7/settings.json")
        try link("current", to: "releases/6")
        let storage = try opened("current/settings.json")
        try storage.append(batch(1, ["b": .integer(9)]), durability: .synced)
        try link("current", to: "releases/7")
        try storage.append(batch(2, ["d": .integer(4)]), durability: .synced)
        let found = try FileStorage(at: url("current/settings.json")).load().tree
        #expect(found.root == ["a": .integer(2), "b": .integer(9), "d": .integer(4)])
        storage.close()
    }

    @Test("A link in the middle of the path is watched", .timeLimit(.minutes(10))) func watched() async throws {
        try write(#"{"count": 1}"#, to: "releases/6/app/settings.json")
        try write(#"{"count": 2}"#, to: "releases/7/app/settings.json")
        try link("current", to: "releases/6")
        let store = try await SettingsStore.open(storage: FileStorage(at: url("current/app/settings.json")))
        let settings = try await store.group(CounterSettings.self)
        #expect(settings.count == 1)
        let counts = ChangeRecorder(settings.$count)
        _ = await counts.until { $0.contains(1) }
        try link("current", to: "releases/7")
        _ = await counts.until { $0.contains(2) }
        // The new place is watched too.
        try write(#"{"count": 3}"#, to: "releases/7/app/settings.json")
        _ = await counts.until { $0.contains(3) }
        try link("current", to: "releases/6")
        _ = await counts.until { $0.last == 1 }
        try await store.close()
    }

    @Test("Switching a link back and forth leads to each file's values, including edits") func swappedBack() throws {
        try write(#"{"a": 1}"#, to: "releases/6/settings.json")
        try write(#"{"a": 2}"#, to: "releases/7/settings.json")
        try link("current", to: "releases/6")
        let storage = try opened("current/settings.json")
        var known = SettingTree(["a": .integer(1)])
        func look(expecting a: Int) throws {
            for change in try storage.externalChanges() { change.apply(to: &known) }
            #expect(known["a"] == .integer(Int64(a)))
        }
        for round in 0..<3 {
            try link("current", to: "releases/7")
            try look(expecting: 2 + 10 * round)
            try write(#"{"a": \#(2 + 10 * (round + 1))}"#, to: "releases/7/settings.json")
            try look(expecting: 2 + 10 * (round + 1))
            try link("current", to: "releases/6")
            try look(expecting: 1 + 10 * round)
            try write(#"{"a": \#(1 + 10 * (round + 1))}"#, to: "releases/6/settings.json")
            try look(expecting: 1 + 10 * (round + 1))
        }
        storage.close()
    }

    @Test("Switching a link takes along only the state that the old state file does not have") func swappedState()
        throws
    {
        func opened() throws -> FileStorage {
            let storage = try self.opened("current/settings.json")
            storage.keepApart(state: ["count", "last"], from: [])
            return storage
        }
        for number in [6, 7] as [Int64] {
            try manager.createDirectory(at: url("releases/\(number)"), withIntermediateDirectories: true)
            try link("current", to: "releases/\(number)")
            let storage = try opened()
            let value = SettingValue.integer(number)
            try storage.save(batch(1, ["a": value, "count": value, "last": value]))
            storage.close()
        }
        let storage = try opened()
        try storage.append(batch(2, ["last": .integer(9)]), durability: .buffered)
        try link("current", to: "releases/6")
        let all: SettingValue.Entries = ["a": .integer(6), "count": .integer(6), "last": .integer(9)]
        #expect(try storage.externalChanges().last == ExternalChange(.everything(SettingTree(all))))
        try storage.append(batch(3, ["b": .integer(1)]), durability: .synced)
        let found = try FileStorage(at: url("current/settings.json")).load().tree
        #expect(found.root == all.merging(["b": .integer(1)]) { $1 })
        storage.close()
    }

    @Test("A link's new file that can't be read at first gets the values that only the old one's journal has")
    func swappedUnread() throws {
        try write(#"{"a": 1}"#, to: "releases/6/settings.json")
        try write(#"{"a": 2}"#, to: "releases/7/settings.json")
        try link("current", to: "releases/7")
        let earlier = try opened("current/settings.json")
        try earlier.append(batch(1, ["c": .integer(3)]), durability: .buffered)
        earlier.close()
        try link("current", to: "releases/6")
        let calls = FaultySystemCalls(synchronizes: false)
        let storage = FileStorage(at: url("current/settings.json"), calls: calls)
        var known = try storage.load().tree
        let own = batch(1, ["b": .integer(9)])
        try storage.append(own, durability: .synced)
        known.apply(own.values)
        try link("current", to: "releases/7")
        calls.fail(every: .open, with: .inputOutput)
        let error = #expect(throws: StorageError.self) { try storage.externalChanges() }
        #expect(error?.code == .unreadable)
        calls.heal()
        for change in try storage.externalChanges() { change.apply(to: &known) }
        let all: SettingValue.Entries = ["a": .integer(2), "b": .integer(9), "c": .integer(3)]
        #expect(known.root == all)
        try storage.append(batch(2, ["d": .integer(4)]), durability: .synced)
        let found = try FileStorage(at: url("current/settings.json")).load().tree
        #expect(found.root == all.merging(["d": .integer(4)]) { $1 })
        storage.close()
        #expect(calls.openFiles.isEmpty)
    }

    @Test(
        "A named lock is lost when a link leads to another file, beside which others can lock the name",
        arguments: [true, false])
    func swappedWhileLocked(isNoticed: Bool) throws {
        try write(#"{"a": 1}"#, to: "releases/6/settings.json")
        try write(#"{"a": 2}"#, to: "releases/7/settings.json")
        try link("current", to: "releases/6")
        let storage = try opened("current/settings.json")
        let lease = try #require(try storage.tryLock(named: "default"))
        func append(_ number: UInt64) throws {
            let values: [SettingKey: SettingValue?] = ["b": .integer(Int64(number))]
            let batch = StorageBatch(revision: number, values: values, conditions: [.under(lease)])
            try storage.append(batch, durability: .synced)
        }
        try append(1)
        try link("current", to: "releases/7")
        if isNoticed { _ = try storage.externalChanges() }
        let other = try opened("current/settings.json")
        #expect(try other.lock(named: "default"))
        let error = #expect(throws: StorageError.self) { try append(2) }
        #expect(error?.code == .leaseLost)
        #expect(throws: StorageError.self) { try storage.renew(lease) }
        storage.unlock(lease)
        other.unlock(named: "default")
        #expect(try storage.lock(named: "default"))
        for storage in [storage, other] { storage.close() }
    }

    @Test(
        "If the path leads nowhere, the next synced append stores all values there",
        arguments: ["middle", "end", "removed", "folder"])
    func leadsNowhere(kind: String) throws {
        try write(#"{"a": 1}"#, to: "releases/6/settings.json")
        let path = kind == "middle" || kind == "folder" ? "current/settings.json" : "settings.json"
        let name = kind == "middle" ? "current" : "settings.json"
        if kind == "folder" {
            try write(#"{"a": 1}"#, to: "current/settings.json")
        } else {
            try link(name, to: kind == "middle" ? "releases/6" : "releases/6/settings.json")
        }
        let storage = try opened(path)
        switch kind {
        case "folder":
            try manager.moveItem(at: url("current"), to: url("old"))
            try link("current", to: "releases/7")
        case "middle":
            try manager.createDirectory(at: url("releases/7"), withIntermediateDirectories: true)
            try link("current", to: "releases/7")
        case "end": try link("settings.json", to: "elsewhere.json")
        default: try manager.removeItem(at: url("settings.json"))
        }
        // A look stores nothing yet: between the old link and the new one there may be none.
        _ = try storage.externalChanges()
        // A missing folder counts as a removal.
        #expect(kind == "folder" || !manager.fileExists(atPath: url(path).path))
        try storage.append(batch(1, ["b": .integer(2)]), durability: .synced)
        let expected: SettingValue.Entries = ["a": .integer(1), "b": .integer(2)]
        #expect(try FileStorage(at: url(path)).load() == intact(expected))
        #expect(try storage.checkpoint(SettingTree(expected), for: .closing))
        #expect(try text(path).contains("\"b\": 2"))
        #expect(try text("releases/6/settings.json") == #"{"a": 1}"#)
    }

    @Test(
        "A dangling link that appears before the file exists gets all values with the next synced append")
    func linkInPlaceOfNothing() throws {
        let storage = try opened("settings.json")
        try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        try link("settings.json", to: "other/settings.json")
        try storage.append(batch(2, ["b": .integer(2)]), durability: .synced)
        let expected: SettingValue.Entries = ["a": .integer(1), "b": .integer(2)]
        #expect(try FileStorage(at: url("settings.json")).load().tree == SettingTree(expected))
        #expect(try storage.checkpoint(SettingTree(expected), for: .closing))
        #expect(try text("other/settings.json").contains("\"b\": 2"))
        let other = try manager.destinationOfSymbolicLink(atPath: url("settings.json").path)
        #expect(other == "other/settings.json")
    }

    @Test("A path is resolved by the file system as far as it exists, and lexically beyond") func resolve() throws {
        let operations = FileOperations(POSIXSystemCalls())
        let root = try operations.resolve(FilePath(temporary.url.path)).resolved
        try manager.createDirectory(at: url("a/b"), withIntermediateDirectories: true)
        try link("x", to: "a/b")
        try link("y", to: root.appending("x").text)
        for (path, expected) in [
            ("x/c.json", "a/b/c.json"), ("y/c.json", "a/b/c.json"), ("x/../c.json", "a/c.json"),
            ("./a//b/./c", "a/b/c"),
            ("n/m/../c.json", "n/c.json"), ("x/\u{301}c.json", "a/b/\u{301}c.json"),
        ] {
            #expect(
                try operations.resolve(FilePath(url("").path + "/" + path)).resolved
                    == FilePath(root.text + "/" + expected))
        }
        #expect(try operations.resolve(root.appending("y")).links == [root.appending("y"), root.appending("x")])
        try link("l", to: "l")
        let error = #expect(throws: FileError.self) { try operations.resolve(root.appending("l")) }
        #expect(error?.cause == .tooManySymbolicLinks)
    }

    @Test("A load refuses a name that is too long for the files beside it, and names the limit")
    func longName() throws {
        let limit = FileNames.lengthLimit
        #expect(limit == 233)
        let longest = String(repeating: "ä", count: (limit - 5) / 2) + ".json"
        let storage = try opened(longest)
        try storage.save(batch(1, ["a": .integer(1)]))
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1)])
        let names = try manager.contentsOfDirectory(atPath: temporary.url.path)
        #expect(names.contains(longest) && names.contains(".\(longest).previous"))
        let error = #expect(throws: StorageError.self) { try opened("1" + longest) }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("the limit is 233") == true)
    }

    @Test("A file keeps its owner and group, and the files created beside it get them") func owner() throws {
        let disk = SimulatedDisk()
        let operations = FileOperations(disk)
        disk.makeStableFolder("/home")
        let path = FilePath("/home/settings.json")
        let owner = FileStatus.Owner(user: 1_000, group: 50)
        let file = try operations.open(path, .createNew(permissions: 0o600))
        try operations.write(Array(#"{"a": 1}"#.utf8), to: file, at: path)
        operations.keepOwner(owner, of: file, at: path)
        try operations.close(file, at: path)
        let names = FileNames(path)
        func isThere(_ name: FilePath) -> Bool { (try? operations.status(at: name)) != nil }
        func check() throws {
            for name in [path, names.journal, names.previous, names.lock(named: "default")]
            where isThere(name) || name != names.previous {
                #expect(try operations.status(at: name).owner == owner, "\(name)")
            }
        }
        let calls = FaultySystemCalls(disk)
        let storage = FileStorage(at: URL(filePath: path.text), calls: calls, journalLimit: 100)
        _ = try storage.load()
        var root: SettingValue.Entries = ["a": .integer(1)]
        #expect(try storage.lock(named: "default"))
        for number in 0..<4 {
            root["b"] = .string(String(repeating: "\(number)", count: 100))
            try storage.save(batch(1, ["b": root["b"]]), over: root)
            try check()
        }
        try operations.remove(path)
        try operations.remove(names.journal)
        try storage.append(batch(2, ["c": .integer(1)]), durability: .synced)
        try check()
        // Without permission to change the owner, a save tries the group alone, and succeeds all the same.
        calls.fail(every: .setOwner, with: .notPermitted)
        try storage.save(batch(3, ["c": .integer(2)]), over: root)
        #expect(calls.calls.count { $0.kind == .setOwner } >= 2)
    }
}
