import Foundation
import Settle
import SettleTesting
import Testing

/// What a load says about what it has found, for each way in which files may be damaged or gone.
@Suite struct FileStorageOutcomeTests {
    /// Something that has happened to a file while no process had it open.
    enum Trouble: Sendable {
        case cut, emptied, flipped, removed

        func happen(to file: URL) throws {
            var bytes = try Data(contentsOf: file)
            switch self {
            case .cut: bytes = bytes.prefix(bytes.count / 2)
            case .emptied: bytes = Data()
            case .flipped: bytes[bytes.startIndex] ^= 1
            case .removed: return try FileManager.default.removeItem(at: file)
            }
            try bytes.write(to: file)
        }
    }

    enum Expected: Sendable {
        case absent, intact, complete, incomplete, removed

        func matches(_ outcome: StorageContents.Outcome) -> Bool {
            switch (self, outcome) {
            case (.absent, .absent), (.intact, .intact), (.removed, .removed): true
            case (.complete, .recovered(_, let isComplete)): isComplete
            case (.incomplete, .recovered(_, let isComplete)): !isComplete
            default: false
            }
        }
    }

    private static let file = "settings.json"
    private static let journal = ".settings.json.journal"
    private static let previous = ".settings.json.previous"

    /// A file with `a` as 2, a version before it with `a` as 1, and a journal that has `b` beyond the file.
    private func fixture() throws -> FileStorageFixture {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1), "zebra": .bool(true)]))
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1), "zebra": .bool(true)])
        try storage.append(batch(3, ["b": .integer(3)]), durability: .synced)
        storage.close()
        return fixture
    }

    private static let newest: SettingValue.Entries = ["a": .integer(2), "b": .integer(3), "zebra": .bool(true)]
    private static let checkpointed: SettingValue.Entries = ["a": .integer(2), "zebra": .bool(true)]
    private static let earlier: SettingValue.Entries = ["a": .integer(1), "zebra": .bool(true)]

    private func expect(
        _ expected: Expected, _ root: SettingValue.Entries, after troubles: [String: Trouble],
        in fixture: FileStorageFixture
    ) throws {
        for (name, trouble) in troubles { try trouble.happen(to: fixture.folder.appending(path: name)) }
        let contents = try fixture.storage().load()
        #expect(expected.matches(contents.outcome), "\(contents.outcome) after \(troubles)")
        #expect(contents.tree.root == root, "after \(troubles)")
    }

    @Test("An undamaged file and journal are reported as intact") func nothing() throws {
        try expect(.intact, Self.newest, after: [:], in: fixture())
    }

    @Test(
        "a damaged file is recovered completely, if the journal is as it was",
        arguments: [Trouble.cut, .emptied, .flipped])
    func damagedFile(trouble: Trouble) throws {
        try expect(.complete, Self.newest, after: [Self.file: trouble], in: fixture())
        // The journal has begun with no file, so it needs no version before.
        try expect(.complete, Self.newest, after: [Self.file: trouble, Self.previous: .removed], in: fixture())
        try expect(.complete, Self.newest, after: [Self.file: trouble, Self.previous: .cut], in: fixture())
    }

    @Test(
        "a damaged file is not recovered completely without its journal",
        arguments: [Trouble.cut, .emptied, .flipped], [Trouble.emptied, .flipped, .removed])
    func damagedFileAndJournal(trouble: Trouble, journal: Trouble) throws {
        let troubles = [Self.file: trouble, Self.journal: journal]
        try expect(.incomplete, Self.earlier, after: troubles, in: fixture())
        // With nothing beside it, an empty file is one that somebody has made.
        let isNew = trouble == .emptied && journal == .removed
        try expect(
            isNew ? .absent : .incomplete, [:], after: troubles.merging([Self.previous: .removed]) { $1 }, in: fixture()
        )
    }

    @Test("a damaged file is not recovered completely with a journal that has lost a record")
    func damagedFileAndRecord() throws {
        let fixture = try fixture()
        try rot("zebra", in: fixture)
        try expect(.incomplete, Self.newest, after: [Self.file: .cut], in: fixture)
    }

    @Test("if file and journal are damaged, both are put aside and told of at the opening that finds it, and once")
    func bothDamaged() throws {
        for isHeader in [true, false] {
            let fixture = try fixture()
            if isHeader {
                try Trouble.flipped.happen(to: fixture.folder.appending(path: Self.journal))
            } else {
                try rot("zebra", in: fixture)
            }
            try Trouble.cut.happen(to: fixture.file)
            let journal = try Data(contentsOf: fixture.folder.appending(path: Self.journal))
            guard case .recovered(let description, false) = try fixture.storage().load().outcome else {
                Issue.record("It was to be recovered, and not completely.")
                continue
            }
            #expect(description.contains("put aside as \"settings.json.corrupt-1\""))
            #expect(description.contains("put aside as \"settings.json.journal.corrupt-1\""))
            #expect(try Data(contentsOf: fixture.folder.appending(path: "settings.json.journal.corrupt-1")) == journal)
            try expect(.intact, isHeader ? Self.earlier : Self.newest, after: [:], in: fixture)
            #expect(try !fixture.names().contains("settings.json.journal.corrupt-2"))
        }
    }

    @Test(
        "a recovery from two kinds of damage in which any call goes wrong throws or recovers, and loses no evidence",
        arguments: FileStorageFaultTests.Trouble.all, [true, false])
    func bothDamagedWithFaults(trouble: FileStorageFaultTests.Trouble, isHeader: Bool) throws {
        var call = 0
        var wasHit = true
        while wasHit {
            let fixture = try fixture()
            if isHeader {
                try Trouble.flipped.happen(to: fixture.folder.appending(path: Self.journal))
            } else {
                try rot("zebra", in: fixture)
            }
            try Trouble.cut.happen(to: fixture.file)
            let journal = try Data(contentsOf: fixture.folder.appending(path: Self.journal))
            let storage = fixture.storage()
            fixture.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
            var contents = try? storage.load()
            wasHit = fixture.calls.faultCount > 0
            fixture.calls.heal()
            if contents == nil { contents = try storage.load() }
            let comment: Comment = "call \(call), \(trouble)"
            let root = isHeader ? Self.earlier : Self.newest
            #expect(contents?.tree.root == root, comment)
            #expect(contents.map { Expected.incomplete.matches($0.outcome) } == true, comment)
            try storage.append(batch(4, ["c": .integer(4)]), durability: .synced)
            let kept = try fixture.names().filter { $0.hasPrefix("settings.json.journal.corrupt-") }.map { name in
                try Data(contentsOf: fixture.folder.appending(path: name))
            }
            #expect(kept.contains(journal), comment)
            #expect(try fixture.freshLoad().tree.root == root.merging(["c": .integer(4)]) { $1 }, comment)
            call += 1
        }
        #expect(trouble.fault == .short ? call >= 1 : call > 15)
    }

    @Test("a damaged journal that a running program goes over to is put aside and told of")
    func damagedWhileRunning() throws {
        let fixture = try fixture()
        let storage = try fixture.opened()
        let path = fixture.folder.appending(path: Self.journal)
        var bytes = try Data(contentsOf: path)
        bytes[20] ^= 1
        // In another file, as a copy is put back.
        try FileManager.default.removeItem(at: path)
        try bytes.write(to: path)
        try storage.append(batch(4, ["c": .integer(4)]), durability: .synced)
        let told = try storage.externalChanges().compactMap { change -> String? in
            guard case .unusable(let error) = change.content else { return nil }
            return error.description
        }
        #expect(told.count == 1 && told.first?.contains("settings.json.journal.corrupt-1") == true, "\(told)")
        #expect(try Data(contentsOf: fixture.folder.appending(path: "settings.json.journal.corrupt-1")) == bytes)
        #expect(try fixture.freshLoad().tree.root == Self.newest.merging(["c": .integer(4)]) { $1 })
    }

    @Test("an earlier file in the place of the newest, with a journal that goes on, is told as two moments")
    func earlierFile() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        let earlier = try fixture.text()
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1)])
        try storage.append(batch(3, ["b": .integer(3)]), durability: .synced)
        storage.close()
        try fixture.write(earlier)
        guard case .recovered(let description, false) = try fixture.storage().load().outcome else {
            Issue.record("It was to be told.")
            return
        }
        #expect(
            description
                == "\"\(fixture.file.path)\" and its journal are of two moments: it is an earlier version than the last that its "
                + "journal tells of. The file is used, but these keys have the values of the journal: b. If both come from a "
                + "copy, check them.")
        #expect(try fixture.freshLoad().tree.root == ["a": .integer(1), "b": .integer(3)])
    }

    @Test("an earlier file whose journal has nothing beyond it is an edit") func earlierFileAlone() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        let earlier = try fixture.text()
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1)])
        storage.close()
        try fixture.write(earlier)
        try expect(.intact, ["a": .integer(1)], after: [:], in: fixture)
    }

    @Test("a recovery with a journal that lacks its end is not complete, and says what is of two moments")
    func journalWithoutEnd() throws {
        let fixture = try fixture()
        let path = fixture.folder.appending(path: Self.journal)
        var bytes = try Data(contentsOf: path)
        let end = try #require(bytes.lastIndex { $0 != 0 })
        bytes[end] ^= 1
        try bytes.write(to: path)
        try expect(.incomplete, Self.checkpointed, after: [Self.file: .cut], in: fixture)
    }

    @Test("a version before that the journal does not know, with the journal's values over it, is told as two moments")
    func unknownVersionBefore() throws {
        let fixture = try fixture()
        try Data(#"{"a": 7, "zebra": false}"#.utf8).write(to: fixture.folder.appending(path: Self.previous))
        try Trouble.cut.happen(to: fixture.file)
        let contents = try fixture.storage().load()
        #expect(contents.tree.root == ["a": .integer(7), "b": .integer(3), "zebra": .bool(false)])
        guard case .recovered(let description, false) = contents.outcome else {
            Issue.record("It was to be recovered, and not completely.")
            return
        }
        #expect(
            description.hasSuffix(
                "and these keys have the values that the journal has beyond the damaged one: b. So the values are of two moments."
            ))
    }

    @Test("a file that its journal does not know, if the journal lacks its end, is told as of two moments")
    func unknownFileWithoutEnd() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1), "b": .integer(1)]))
        for number in 2...3 {
            try storage.append(
                StorageBatch(
                    revision: UInt64(number), values: ["b": .integer(Int64(number))],
                    expectedValues: ["b": .integer(Int64(number - 1))]), durability: .synced)
        }
        storage.close()
        let path = fixture.folder.appending(path: Self.journal)
        var bytes = try Data(contentsOf: path)
        let end = try #require(bytes.lastIndex { $0 != 0 })
        bytes[end] ^= 1
        try bytes.write(to: path)
        try fixture.write(#"{"a": 7, "b": 1}"#)
        let contents = try fixture.storage().load()
        #expect(contents.tree.root == ["a": .integer(7), "b": .integer(2)])
        guard case .recovered(let description, false) = contents.outcome else {
            Issue.record("It was to be told: \(contents.outcome)")
            return
        }
        #expect(description.contains("the journal's end is missing"))
        #expect(description.contains("have the values of the journal: b."))
    }

    @Test("a damaged journal beside an intact file is not complete") func damagedJournal() throws {
        try expect(.incomplete, Self.checkpointed, after: [Self.journal: .flipped], in: fixture())
        let fixture = try fixture()
        try rot("zebra", in: fixture)
        try expect(.incomplete, Self.newest, after: [:], in: fixture)
    }

    @Test(
        "what nobody can tell from a store at rest is intact, with the file's values",
        arguments: [Trouble.emptied, .removed])
    func missingJournal(trouble: Trouble) throws {
        try expect(.intact, Self.checkpointed, after: [Self.journal: trouble], in: fixture())
        try expect(.intact, Self.newest, after: [Self.previous: .removed], in: fixture())
    }

    @Test("a removed file is not absent while anything beside it shows that it was there")
    func removedFile() throws {
        let file = [Self.file: Trouble.removed]
        try expect(.removed, [:], after: file.merging([Self.journal: .removed]) { $1 }, in: fixture())
        try expect(.removed, [:], after: file.merging([Self.journal: .emptied]) { $1 }, in: fixture())
        try expect(
            .absent, [:], after: file.merging([Self.journal: .removed, Self.previous: .removed]) { $1 }, in: fixture())
        try expect(.incomplete, [:], after: file.merging([Self.journal: .flipped]) { $1 }, in: fixture())
        for remnant in ["settings.json.corrupt-1", "settings.json.journal.corrupt-1"] {
            let fixture = try FileStorageFixture()
            try fixture.write("{", to: remnant)
            try expect(.removed, [:], after: [:], in: fixture)
        }
    }

    @Test("a removed file is not intact either, although the journal has values that no file had")
    func removedFileWithValues() throws {
        try expect(.removed, ["b": .integer(3)], after: [Self.file: .removed], in: fixture())
        let troubles = [Self.file: Trouble.removed, Self.previous: .removed]
        try expect(.removed, ["b": .integer(3)], after: troubles, in: fixture())
    }

    @Test("the sentence about a removed file names it, what shows that it was there, and what is left") func sentence()
        throws
    {
        let fixture = try fixture()
        try Trouble.removed.happen(to: fixture.file)
        let description =
            "\"\(fixture.file.path)\" has been removed: its journal tells of it. Every setting has its default, but for those "
            + "that the journal has (b)."
        #expect(try fixture.freshLoad().outcome == .removed(description: description))
        try Trouble.removed.happen(to: fixture.folder.appending(path: Self.journal))
        let other =
            "\"\(fixture.file.path)\" has been removed: \"\(Self.previous)\" is still there. Every setting has its default."
        #expect(try fixture.freshLoad().outcome == .removed(description: other))
    }

    @Test("damage is told once; a removal is told until something has been stored anew") func toldOnce() throws {
        let damaged = try fixture()
        try Trouble.cut.happen(to: damaged.file)
        try expect(.complete, Self.newest, after: [:], in: damaged)
        try expect(.intact, Self.newest, after: [:], in: damaged)

        let removed = try FileStorageFixture()
        try removed.opened().save(batch(1, ["a": .integer(1)]))
        try Trouble.removed.happen(to: removed.file)
        for _ in 0..<3 { try expect(.removed, [:], after: [:], in: removed) }
        let storage = try removed.opened()
        try storage.append(batch(1, ["b": .integer(1)]), durability: .synced)
        // Also before the file is written, as after a kill.
        try expect(.intact, ["b": .integer(1)], after: [:], in: removed)
        #expect(try storage.checkpoint(SettingTree(["b": .integer(1)]), for: .closing))
        try expect(.intact, ["b": .integer(1)], after: [:], in: removed)
    }

    @Test("what a store has appended to a removed file's journal does not hide the removal, before it has found out")
    func appendedAfterwards() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try Trouble.removed.happen(to: fixture.file)
        // It does not know, and is killed before it could write the file.
        try storage.append(batch(2, ["b": .integer(2)]), durability: .buffered)
        try expect(.removed, ["b": .integer(2)], after: [:], in: fixture)
        // What promises a disk finds out.
        try storage.append(batch(3, [:]), durability: .synced)
        try expect(.intact, ["a": .integer(1), "b": .integer(2)], after: [:], in: fixture)
    }

    @Test("what was stored and taken back before there was a file is intact, not absent") func emptied() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try storage.append(batch(2, ["a": nil]), durability: .synced)
        try expect(.intact, [:], after: [:], in: fixture)
    }

    @Test("whether a missing file was there is not guessed") func unreadableRemnant() throws {
        let fixture = try FileStorageFixture()
        fixture.calls.fail(every: .status, with: .inputOutput)
        let error = #expect(throws: StorageError.self) { try fixture.storage().load() }
        #expect(error?.code == .unreadable)
    }

    /// Changes a byte of the first record that names a key.
    private func rot(_ key: String, in fixture: FileStorageFixture) throws {
        let path = fixture.folder.appending(path: Self.journal)
        var bytes = try Data(contentsOf: path)
        let place = try #require(bytes.range(of: Data(key.utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: path)
    }
}
