import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// The outcome that a load reports for each way in which files can be damaged or missing.
@Suite(.timeLimit(.minutes(10))) struct FileStorageOutcomeTests {
    /// What can happen to a file while no process has it open.
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

    /// A file with `a` as 2, a previous version with `a` as 1, and a journal that also has `b`.
    private func fixture() throws -> FileStorageFixture {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1), "zebra": .bool(true)]))
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1), "zebra": .bool(true)])
        try storage.append(batch(3, ["b": .integer(3)]), durability: .synced)
        storage.close()
        return fixture
    }

    /// The same with a damaged file, and a journal that is damaged in its header or in a record.
    private func damagedFixture(isHeader: Bool) throws -> (fixture: FileStorageFixture, journal: Data) {
        let fixture = try fixture()
        if isHeader {
            try Trouble.flipped.happen(to: fixture.folder.appending(path: Self.journal))
        } else {
            try rot("zebra", in: fixture)
        }
        try Trouble.cut.happen(to: fixture.file)
        let journal = try Data(contentsOf: fixture.folder.appending(path: Self.journal))
        return (fixture, journal)
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
        "A damaged file is recovered completely if the journal is undamaged",
        arguments: [Trouble.cut, .emptied, .flipped])
    func damagedFile(trouble: Trouble) throws {
        try expect(.complete, Self.newest, after: [Self.file: trouble], in: fixture())
        // The journal has everything, so recovery needs no previous version.
        try expect(.complete, Self.newest, after: [Self.file: trouble, Self.previous: .removed], in: fixture())
        try expect(.complete, Self.newest, after: [Self.file: trouble, Self.previous: .cut], in: fixture())
    }

    @Test(
        "Without its journal, a damaged file is recovered incompletely",
        arguments: [Trouble.cut, .emptied, .flipped], [Trouble.emptied, .flipped, .removed])
    func damagedFileAndJournal(trouble: Trouble, journal: Trouble) throws {
        let troubles = [Self.file: trouble, Self.journal: journal]
        try expect(.incomplete, Self.earlier, after: troubles, in: fixture())
        // With nothing beside it, an empty file counts as new.
        let isNew = trouble == .emptied && journal == .removed
        try expect(
            isNew ? .absent : .incomplete, [:], after: troubles.merging([Self.previous: .removed]) { $1 }, in: fixture()
        )
    }

    @Test("With a journal that has lost a record, a damaged file is recovered incompletely")
    func damagedFileAndRecord() throws {
        let (one, other) = (try fixture(), try fixture())
        for fixture in [one, other] { try rot("zebra", in: fixture) }
        try expect(.incomplete, Self.newest, after: [Self.file: .cut], in: one)
        let rest: SettingValue.Entries = ["a": .integer(2), "b": .integer(3)]
        try expect(.incomplete, rest, after: [Self.file: .cut, Self.previous: .removed], in: other)
    }

    @Test("A damaged file and a damaged journal are both reported, and set aside by the first write")
    func bothDamaged() throws {
        for isHeader in [true, false] {
            let (fixture, journal) = try damagedFixture(isHeader: isHeader)
            let names = try fixture.names()
            let storage = fixture.storage()
            guard case .recovered(let description, false) = try storage.load().outcome else {
                Issue.record("It was to be recovered, and not completely.")
                continue
            }
            #expect(description.contains("The damaged file is set aside before it is written again."))
            #expect(description.contains("The journal “"))
            #expect(try fixture.names() == names)
            let root = isHeader ? Self.earlier : Self.newest
            try storage.append(batch(4, ["c": .integer(4)]), durability: .synced)
            #expect(try Data(contentsOf: fixture.folder.appending(path: "settings.json.journal.corrupt-1")) == journal)
            #expect(try fixture.names().contains("settings.json.corrupt-1"))
            try expect(.intact, root.merging(["c": .integer(4)]) { $1 }, after: [:], in: fixture)
            #expect(try !fixture.names().contains("settings.json.journal.corrupt-2"))
        }
    }

    @Test(
        "Recovering a damaged file and journal throws or succeeds, whichever call fails, and keeps the journal",
        arguments: CallTrouble.all, [true, false])
    func bothDamagedWithFaults(trouble: CallTrouble, isHeader: Bool) throws {
        var call = 0
        var wasHit = true
        while wasHit {
            let (fixture, journal) = try damagedFixture(isHeader: isHeader)
            let storage = fixture.storage()
            fixture.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
            var contents = try? storage.load()
            if contents != nil { _ = try? storage.append(batch(4, ["c": .integer(3)]), durability: .synced) }
            wasHit = fixture.calls.faultCount > 0
            fixture.calls.heal()
            if contents == nil { contents = try storage.load() }
            let comment: Comment = "call \(call), \(trouble)"
            let root = isHeader ? Self.earlier : Self.newest
            #expect(contents?.tree.root == root, comment)
            #expect(contents.map { Expected.incomplete.matches($0.outcome) } == true, comment)
            try storage.append(batch(5, ["c": .integer(4)]), durability: .synced)
            let kept = try fixture.names().filter { $0.hasPrefix("settings.json.journal.corrupt-") }.map { name in
                try Data(contentsOf: fixture.folder.appending(path: name))
            }
            #expect(kept.contains(journal), comment)
            let found = try fixture.freshLoad().tree.root
            #expect(found == root.merging(["c": .integer(4)]) { $1 }, comment)
            call += 1
        }
        #expect(trouble.fault == .short ? call >= 1 : call > 15)
    }

    @Test("A damaged journal that takes the place of the one in use is set aside and reported")
    func damagedWhileRunning() throws {
        let fixture = try fixture()
        let storage = try fixture.opened()
        let path = fixture.folder.appending(path: Self.journal)
        var bytes = try Data(contentsOf: path)
        bytes[20] ^= 1
        // As a new file, like a copy that is restored.
        try FileManager.default.removeItem(at: path)
        try bytes.write(to: path)
        try storage.append(batch(4, ["c": .integer(4)]), durability: .synced)
        let told = try storage.externalChanges().compactMap { change -> String? in
            guard case .unusable(let error) = change.content else { return nil }
            return error.description
        }
        #expect(told.count == 1 && told.first?.contains("damaged from its first byte on") == true, "\(told)")
        #expect(try Data(contentsOf: fixture.folder.appending(path: "settings.json.journal.corrupt-1")) == bytes)
        #expect(try fixture.freshLoad().tree.root == Self.newest.merging(["c": .integer(4)]) { $1 })
    }

    @Test("An older file beside a newer journal is an edit, and what only the journal had stays")
    func earlierFile() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        let earlier = try fixture.text()
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1)])
        try storage.append(batch(3, ["b": .integer(3)]), durability: .synced)
        storage.close()
        try fixture.write(earlier)
        try expect(.intact, ["a": .integer(1), "b": .integer(3)], after: [:], in: fixture)
    }

    @Test("An older file counts as an edit if the journal has nothing beyond the newest file")
    func earlierFileAlone() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        let earlier = try fixture.text()
        try storage.save(batch(2, ["a": .integer(2)]), over: ["a": .integer(1)])
        storage.close()
        try fixture.write(earlier)
        try expect(.intact, ["a": .integer(1)], after: [:], in: fixture)
    }

    @Test("With a journal that lacks its end, a damaged file is recovered incompletely")
    func journalWithoutEnd() throws {
        let fixture = try fixture()
        let path = fixture.folder.appending(path: Self.journal)
        var bytes = try Data(contentsOf: path)
        let end = try #require(bytes.lastIndex { $0 != 0 })
        bytes[end] ^= 1
        try bytes.write(to: path)
        try expect(.incomplete, Self.checkpointed, after: [Self.file: .cut], in: fixture)
    }

    @Test("A previous version that the journal does not know changes nothing")
    func unknownVersionBefore() throws {
        let fixture = try fixture()
        try Data(#"{"a": 7, "zebra": false}"#.utf8).write(to: fixture.folder.appending(path: Self.previous))
        try expect(.complete, Self.newest, after: [Self.file: .cut], in: fixture)
    }

    @Test("An edit of a file whose journal lacks its end is reported")
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
        #expect(description.contains("the end of its journal is missing"))
    }

    @Test("A damaged journal beside an intact file makes the recovery incomplete") func damagedJournal() throws {
        try expect(.incomplete, Self.checkpointed, after: [Self.journal: .flipped], in: fixture())
        let fixture = try fixture()
        // The file was written after what was lost.
        try rot("zebra", in: fixture)
        try expect(.complete, Self.newest, after: [:], in: fixture)
    }

    @Test(
        "A file without its journal or previous version looks at rest, so it loads as intact",
        arguments: [Trouble.emptied, .removed])
    func missingJournal(trouble: Trouble) throws {
        try expect(.intact, Self.checkpointed, after: [Self.journal: trouble], in: fixture())
        try expect(.intact, Self.newest, after: [Self.previous: .removed], in: fixture())
    }

    @Test("A removed file is not reported as absent while anything beside it shows that it existed")
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

    @Test("A removed file is not reported as intact even if the journal has values of its own")
    func removedFileWithValues() throws {
        try expect(.removed, ["b": .integer(3)], after: [Self.file: .removed], in: fixture())
        let troubles = [Self.file: Trouble.removed, Self.previous: .removed]
        try expect(.removed, ["b": .integer(3)], after: troubles, in: fixture())
    }

    @Test("The description of a removal names the file, the evidence and the keys that are left")
    func sentence() throws {
        let fixture = try fixture()
        try Trouble.removed.happen(to: fixture.file)
        let description =
            "“\(fixture.file.path)” has been removed: its journal shows that it existed. Every setting has its default, "
            + "except those in the journal (b)."
        #expect(try fixture.freshLoad().outcome == .removed(description: description))
        try Trouble.removed.happen(to: fixture.folder.appending(path: Self.journal))
        let other =
            "“\(fixture.file.path)” has been removed: “\(Self.previous)” is still there. Every setting has its default."
        #expect(try fixture.freshLoad().outcome == .removed(description: other))
    }

    @Test("Damage and a removal are reported until something is stored again") func told() throws {
        let damaged = try fixture()
        try Trouble.cut.happen(to: damaged.file)
        for _ in 0..<3 { try expect(.complete, Self.newest, after: [:], in: damaged) }
        try damaged.opened().append(batch(4, ["a": .integer(2)]), durability: .synced)
        try expect(.intact, Self.newest, after: [:], in: damaged)

        let removed = try FileStorageFixture()
        try removed.opened().save(batch(1, ["a": .integer(1)]))
        try Trouble.removed.happen(to: removed.file)
        for _ in 0..<3 { try expect(.removed, [:], after: [:], in: removed) }
        let storage = try removed.opened()
        try storage.append(batch(1, ["b": .integer(1)]), durability: .synced)
        // Even if the process is killed before it writes the file.
        try expect(.intact, ["b": .integer(1)], after: [:], in: removed)
        #expect(try storage.checkpoint(SettingTree(["b": .integer(1)]), for: .closing))
        try expect(.intact, ["b": .integer(1)], after: [:], in: removed)
    }

    @Test("An append by a process that has not noticed a removal does not hide it")
    func appendedAfterwards() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try Trouble.removed.happen(to: fixture.file)
        // The process has not noticed the removal, and is killed before it can write the file.
        try storage.append(batch(2, ["b": .integer(2)]), durability: .buffered)
        try expect(.removed, ["b": .integer(2)], after: [:], in: fixture)
        // A synced append notices it.
        try storage.append(batch(3, [:]), durability: .synced)
        try expect(.intact, ["a": .integer(1), "b": .integer(2)], after: [:], in: fixture)
    }

    @Test("Storing and removing a value before there is a file leaves an intact outcome, not an absent one")
    func emptied() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try storage.append(batch(2, ["a": nil]), durability: .synced)
        try expect(.intact, [:], after: [:], in: fixture)
    }

    @Test("A load throws rather than guess whether a missing file ever existed") func unreadableRemnant() throws {
        let fixture = try FileStorageFixture()
        fixture.calls.fail(every: .status, with: .inputOutput)
        let error = #expect(throws: StorageError.self) { try fixture.storage().load() }
        #expect(error?.code == .unreadable)
    }

    /// Flips a bit in the first record that names the key.
    private func rot(_ key: String, in fixture: FileStorageFixture) throws {
        let path = fixture.folder.appending(path: Self.journal)
        var bytes = try Data(contentsOf: path)
        let place = try #require(bytes.range(of: Data(key.utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: path)
    }
}
