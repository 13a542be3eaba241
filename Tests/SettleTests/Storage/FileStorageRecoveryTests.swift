import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileStorageRecoveryTests {
    private static let damaged = "{\n  \"a\": 3,\n  oops\n}"
    private static let previous = #"{"a": 2}"#

    private func fixture(hasPrevious: Bool, damaged: String = Self.damaged) throws -> FileStorageFixture {
        let fixture = try FileStorageFixture()
        try fixture.write(damaged)
        if hasPrevious { try fixture.write(Self.previous, to: ".settings.json.previous") }
        return fixture
    }

    private func description(_ contents: StorageContents) throws -> String {
        guard case .recovered(let description, _) = contents.outcome else {
            throw StorageError(.unreadable, "recovered was expected, found \(contents.outcome)")
        }
        return description
    }

    @Test("A load leaves a damaged file alone and uses the previous version, and the first write sets it aside")
    func usesPrevious() throws {
        let fixture = try fixture(hasPrevious: true)
        let storage = fixture.storage()
        let contents = try storage.load()
        #expect(contents.tree.root == ["a": .integer(2)])
        let text = try description(contents)
        #expect(text.hasPrefix("“\(fixture.file.path)” is damaged."))
        #expect(text.contains("3"), "the line is to be named: \(text)")
        #expect(
            text.hasSuffix(
                "The previous version is used, so settings that were saved only in the damaged one have their earlier "
                    + "values. The damaged file is set aside before it is written again."))
        #expect(try storage.externalChanges().isEmpty)
        #expect(try fixture.names() == [".settings.json.previous", "settings.json"])
        try storage.append(batch(1, ["b": .integer(1)]), durability: .buffered)
        #expect(try fixture.text(of: "settings.json.corrupt-1") == Self.damaged)
        let found = try fixture.freshLoad()
        #expect(found.tree.root == ["a": .integer(2), "b": .integer(1)])
        #expect(found.outcome == .intact)
        #expect(try fixture.names() == [".settings.json.journal", "settings.json", "settings.json.corrupt-1"])
    }

    @Test("The name that a damaged file is given is reported once") func name() throws {
        let fixture = try fixture(hasPrevious: false)
        try fixture.write("other", to: "settings.json.corrupt-1")
        let storage = try fixture.opened()
        try storage.append(batch(1, ["b": .integer(1)]), durability: .buffered)
        let issues = try storage.externalChanges().map(\.content)
        #expect(
            issues == [
                .unusable(
                    StorageError(
                        .unreadable,
                        "A version of “\(fixture.file.path)” that can't be used was set aside as "
                            + "“settings.json.corrupt-2”. Changes that only that version has are not in force."))
            ])
        #expect(try fixture.text(of: "settings.json.corrupt-2") == Self.damaged)
        #expect(try storage.externalChanges().isEmpty)
    }

    @Test("An edit with a typing error is not among the values that a load finds, and the load says so")
    func edit() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        storage.close()
        try fixture.write(Self.damaged)
        let contents = try fixture.freshLoad()
        #expect(contents.tree.root == ["a": .integer(1)])
        #expect(try description(contents).contains("Edits made only in the damaged file are not in force."))
        #expect(try fixture.text() == Self.damaged)
    }

    @Test("Without a previous version, an empty file takes the damaged one's place") func usesDefaults() throws {
        let fixture = try fixture(hasPrevious: false)
        let storage = fixture.storage()
        let contents = try storage.load()
        #expect(contents.tree.root.isEmpty)
        #expect(try description(contents).contains("There is no earlier version"))
        try storage.append(batch(1, ["b": .integer(1)]), durability: .synced)
        #expect(try fixture.freshLoad() == intact(["b": .integer(1)]))
        #expect(try fixture.text(of: "settings.json.corrupt-1") == Self.damaged)
    }

    @Test("A damaged previous version is not used") func damagedPrevious() throws {
        let fixture = try fixture(hasPrevious: true)
        try fixture.write("[", to: ".settings.json.previous")
        #expect(try description(fixture.storage().load()).contains("There is no earlier version"))
    }

    @Test("An empty file counts as damaged if anything shows that it had settings") func emptyFile() throws {
        let fixture = try fixture(hasPrevious: true, damaged: "")
        #expect(try fixture.storage().load().tree.root == ["a": .integer(2)])
        let journaled = try journaled()
        try FileManager.default.removeItem(at: journaled.folder.appending(path: ".settings.json.previous"))
        try journaled.write("")
        guard case .recovered(_, isComplete: true) = try journaled.storage().load().outcome else {
            Issue.record("the journal shows that it had settings")
            return
        }
    }

    @Test("An empty file counts as new if nothing shows that it had settings") func newFile() throws {
        let fixture = try fixture(hasPrevious: false, damaged: "")
        #expect(try fixture.freshLoad() == StorageContents(outcome: .absent))
        let (one, other) = (try fixture.opened(), try fixture.opened())
        #expect(try one.externalChanges().isEmpty)
        // Even once the journal has values that no file has had.
        try one.append(batch(1, ["a": .integer(1)]), durability: .synced)
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
        #expect(try other.externalChanges() == [ExternalChange(.values(["a": .integer(1)]))])
        #expect(try fixture.names() == [".settings.json.journal", "settings.json"])
        #expect(try other.checkpoint(SettingTree(["a": .integer(1)]), for: .closing))
        #expect(try FileFormat.json.decode(Array(Data(contentsOf: fixture.file))).root == ["a": .integer(1)])
        #expect(try one.externalChanges().isEmpty)
        // Once it has had settings, an empty file is damaged.
        try fixture.write("")
        guard case .recovered = try fixture.storage().load().outcome else {
            Issue.record("it had settings")
            return
        }
    }

    @Test("Writing into an empty file that a storage has open is an edit") func editedNewFile() throws {
        let fixture = try fixture(hasPrevious: false, damaged: "")
        let storage = try fixture.opened()
        try storage.append(batch(1, ["b": .integer(1)]), durability: .buffered)
        try fixture.write(#"{"a": 1}"#)
        #expect(
            try storage.externalChanges().first?.content
                == .values(["a": .integer(1)]))
        let all: SettingValue.Entries = ["a": .integer(1), "b": .integer(1)]
        #expect(try storage.checkpoint(SettingTree(all), for: .settled))
        #expect(try fixture.freshLoad() == intact(all))
    }

    @Test("A file that is set aside never replaces an earlier one", arguments: [true, false])
    func neverOverwrites(hasHardLinks: Bool) throws {
        let fixture = try FileStorageFixture()
        if !hasHardLinks { fixture.calls.fail(every: .link, with: .notPermitted) }
        for number in 1...4 {
            try fixture.write("damage \(number)")
            let storage = fixture.storage()
            _ = try description(storage.load())
            try storage.append(batch(1, ["a": .integer(Int64(number))]), durability: .buffered)
        }
        for number in 1...4 {
            #expect(try fixture.text(of: "settings.json.corrupt-\(number)") == "damage \(number)")
        }
    }

    @Test("Without hard links, a damaged file is moved aside") func noHardLinks() throws {
        let fixture = try fixture(hasPrevious: false)
        fixture.calls.fail(every: .link, with: .notSupported)
        let storage = fixture.storage()
        _ = try description(storage.load())
        try storage.append(batch(1, ["b": .integer(1)]), durability: .buffered)
        #expect(try fixture.freshLoad() == intact(["b": .integer(1)]))
        #expect(try fixture.text(of: "settings.json.corrupt-1") == Self.damaged)
    }

    @Test(
        "A damaged file that can't be set aside is left alone, and nothing is written",
        arguments: [SystemError.noSpace, .readOnlyFileSystem, .permissionDenied])
    func cannotPutAside(cause: SystemError) throws {
        let fixture = try fixture(hasPrevious: true)
        let storage = try fixture.opened()
        fixture.calls.fail(every: .link, with: cause)
        let error = #expect(throws: StorageError.self) {
            try storage.append(batch(1, ["a": .integer(9)]), durability: .synced)
        }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("can't be set aside") == true)
        #expect(try fixture.text() == Self.damaged)
        fixture.calls.heal()
        try storage.append(batch(1, ["a": .integer(9)]), durability: .synced)
        #expect(try fixture.freshLoad() == intact(["a": .integer(9)]))
        #expect(try fixture.text(of: "settings.json.corrupt-1") == Self.damaged)
    }

    @Test("A good file that replaces the damaged one is an edit") func replacedMeanwhile() throws {
        let fixture = try fixture(hasPrevious: true)
        let storage = try fixture.opened()
        let file = fixture.file
        fixture.calls.beforeNext(.link) { try? Data(#"{"new": 1}"#.utf8).write(to: file, options: .atomic) }
        try storage.append(batch(1, ["b": .integer(1)]), durability: .buffered)
        _ = try storage.externalChanges()
        #expect(try fixture.freshLoad().tree["new"] == .integer(1))
        #expect(try fixture.freshLoad().tree["b"] == .integer(1))
        #expect(try !fixture.names().contains("settings.json.corrupt-1"))
    }

    @Test(
        "Recovery throws or succeeds, whichever call fails, and loses neither version",
        arguments: CallTrouble.all)
    func everyCall(trouble: CallTrouble) throws {
        for hasPrevious in [true, false] { try recover(hasPrevious: hasPrevious, with: trouble) }
    }

    private func recover(hasPrevious: Bool, with trouble: CallTrouble) throws {
        var call = 0
        var wasHit = true
        while wasHit {
            let fixture = try fixture(hasPrevious: hasPrevious)
            let storage = fixture.storage()
            let comment: Comment = "call \(call), \(trouble), has previous: \(hasPrevious)"
            let expected: SettingValue.Entries = hasPrevious ? ["a": .integer(2)] : [:]
            fixture.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
            do {
                _ = try storage.load()
            } catch {
                #expect(error.code == .unreadable, comment)
                fixture.calls.heal()
                #expect(throws: StorageError.self, comment) { try storage.checkpoint(SettingTree(), for: .resting) }
                #expect(throws: Never.self, comment) { try description(storage.load()) }
            }
            // A new process finds the previous version, too.
            #expect(try FileStorage(at: fixture.file).load().tree.root == expected, comment)
            _ = try? storage.append(batch(1, ["b": .integer(1)]), durability: .synced)
            fixture.calls.heal()
            try storage.save(batch(2, ["b": .integer(2)]), over: expected)
            #expect(try fixture.freshLoad() == intact(expected.merging(["b": .integer(2)]) { $1 }), comment)
            #expect(try fixture.text(of: "settings.json.corrupt-1") == Self.damaged, comment)
            #expect(try !fixture.names().contains("settings.json.corrupt-2"), comment)
            #expect(try !fixture.names().contains { $0.hasSuffix(".tmp") }, comment)
            wasHit = fixture.calls.faultCount > 0
            call += 1
        }
        #expect(trouble.fault == .short ? call >= 1 : call > 10)
    }

    // MARK: With a journal

    /// A file saved with `a` as 1 and then as 2, and a journal that also has `b`.
    private func journaled() throws -> FileStorageFixture {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1), "z": .bool(true)]))
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1), "z": .bool(true)])
        try storage.append(batch(3, ["b": .integer(3)]), durability: .synced)
        storage.close()
        return fixture
    }

    private let newest: SettingValue.Entries = ["a": .integer(2), "b": .integer(3), "z": .bool(true)]

    @Test("The journal restores every newest value of a damaged file")
    func restoresNewest() throws {
        let fixture = try journaled()
        try fixture.write(Self.damaged)
        let contents = try fixture.storage().load()
        #expect(contents.tree.root == newest)
        #expect(try description(contents).contains("every setting has its newest value."))
        guard case .recovered(_, isComplete: true) = contents.outcome else {
            Issue.record("The journal has everything.")
            return
        }
    }

    @Test("A damaged file is restored even after a new journal has begun", arguments: [1, 2, 3])
    func restoresAfterRenewal(saves: Int) throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        var root: SettingValue.Entries = [:]
        for number in 1...saves {
            root["a"] = .string(String(repeating: "\(number)", count: 70_000))
            root["b\(number)"] = .integer(Int64(number))
            try storage.append(batch(UInt64(number), root.mapValues { $0 }), durability: .buffered)
            #expect(try storage.checkpoint(SettingTree(root), for: .resting))
        }
        storage.close()
        try fixture.write(Self.damaged)
        let contents = try fixture.storage().load()
        #expect(contents.tree.root == root)
        #expect(try description(contents).contains("every setting has its newest value."))
    }

    @Test("Without a previous version, a journal that began without a file restores everything")
    func restoresFromNothing() throws {
        let fixture = try journaled()
        try FileManager.default.removeItem(at: fixture.folder.appending(path: ".settings.json.previous"))
        try fixture.write(Self.damaged)
        #expect(try fixture.storage().load().tree.root == newest)
    }

    @Test("A journal of a newer version is unreadable and left alone") func newerJournal() throws {
        let fixture = try journaled()
        let path = fixture.folder.appending(path: ".settings.json.journal")
        var bytes = try Data(contentsOf: path)
        let header = try Array(bytes).withUnsafeBytes { try JournalHeader.decode($0) }
        bytes.replaceSubrange(..<JournalHeader.size, with: header.encoded(inVersion: 4))
        try bytes.write(to: path)
        let storage = fixture.storage()
        let error = #expect(throws: StorageError.self) { try storage.load() }
        #expect(error?.code == .unreadable && error?.description.contains("ersion 4") == true)
        #expect(throws: StorageError.self) { try storage.append(batch(1, ["a": .integer(9)]), durability: .synced) }
        #expect(try Data(contentsOf: path) == bytes)
    }

    @Test("A journal with a damaged header is set aside, and the file is used") func damagedHeader() throws {
        let fixture = try journaled()
        let path = fixture.folder.appending(path: ".settings.json.journal")
        var bytes = try Data(contentsOf: path)
        bytes[20] ^= 1
        try bytes.write(to: path)
        let storage = fixture.storage()
        let contents = try storage.load()
        #expect(contents.tree.root == ["a": .integer(2), "z": .bool(true)])
        #expect(try description(contents).contains("damaged from its first byte on"))
        #expect(try Data(contentsOf: path) == bytes)
        try storage.append(batch(3, ["b": .integer(4)]), durability: .synced)
        #expect(try Data(contentsOf: fixture.folder.appending(path: "settings.json.journal.corrupt-1")) == bytes)
        #expect(try fixture.freshLoad() == intact(["a": .integer(2), "b": .integer(4), "z": .bool(true)]))
    }

    @Test("A journal that ends within a record is cut there, and still loads as intact") func tornTail() throws {
        let fixture = try journaled()
        let path = fixture.folder.appending(path: ".settings.json.journal")
        var bytes = try Data(contentsOf: path)
        let end = try #require(bytes.lastIndex { $0 != 0 })
        bytes[end] ^= 1
        try bytes.write(to: path)
        let storage = fixture.storage()
        #expect(try storage.load() == intact(["a": .integer(2), "z": .bool(true)]))
        try storage.append(batch(3, ["c": .integer(4)]), durability: .synced)
        #expect(try fixture.freshLoad() == intact(["a": .integer(2), "c": .integer(4), "z": .bool(true)]))
    }

    @Test("A corrupt record is reported with its keys, and later records are used") func rot() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try storage.append(batch(2, ["rotten": .string("the value")]), durability: .synced)
        try storage.append(batch(3, ["later": .integer(3)]), durability: .synced)
        storage.close()
        let path = fixture.folder.appending(path: ".settings.json.journal")
        var bytes = try Data(contentsOf: path)
        let place = try #require(bytes.range(of: Data("the value".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: path)
        let again = fixture.storage()
        let contents = try again.load()
        #expect(contents.tree.root == ["a": .integer(1), "later": .integer(3)])
        #expect(try description(contents).contains("These keys have earlier values: rotten."))
        #expect(try Data(contentsOf: path) == bytes)
        try again.append(batch(4, ["b": .integer(4)]), durability: .synced)
        #expect(try Data(contentsOf: fixture.folder.appending(path: "settings.json.journal.corrupt-1")) == bytes)
        #expect(try fixture.freshLoad() == intact(["a": .integer(1), "b": .integer(4), "later": .integer(3)]))
    }
}
