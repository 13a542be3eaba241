import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// While no checkpoint is possible, the journal stays short and every acknowledged value can be loaded.
@Suite(.timeLimit(.minutes(10))) struct FileStorageCompactionTests {
    private static let broken = "{\n  \"a\": 1,\n  oops\n}"
    private let fixture: FileStorageFixture
    private let root: SettingValue.Entries = ["a": .integer(1), "b": .integer(2), "c": .string("untouched")]

    init() throws {
        fixture = try FileStorageFixture()
    }

    private func storage(
        _ fixture: FileStorageFixture, limit: Int = 200, capacity: Int = FileStorage.journalCapacity
    ) throws -> FileStorage {
        let storage = FileStorage(
            at: fixture.file, calls: fixture.calls, lockTimeout: LockTimeout(limit: .zero), journalLimit: limit,
            journalCapacity: capacity)
        _ = try storage.load()
        return storage
    }

    private var journalSize: Int {
        get throws {
            try Data(contentsOf: fixture.folder.appending(path: ".settings.json.journal")).count
        }
    }

    /// Sets `b` to a number, expecting the number before it.
    private func set(_ number: Int, in storage: FileStorage, _ durability: StorageDurability = .buffered) throws {
        let batch = StorageBatch(
            revision: UInt64(number), values: ["b": .integer(Int64(number))],
            expectedValues: ["b": .integer(Int64(number - 1))])
        try storage.append(batch, durability: durability)
    }

    private func tree(_ number: Int) -> SettingTree {
        SettingTree(root.merging(["b": .integer(Int64(number))]) { $1 })
    }

    /// A storage whose file can't be parsed, so that its checkpoint has failed.
    private func broken(_ fixture: FileStorageFixture) throws -> FileStorage {
        let storage = try storage(fixture)
        try storage.save(batch(1, root.mapValues { $0 }))
        try fixture.write(Self.broken)
        _ = try storage.externalChanges()
        try set(3, in: storage)
        #expect(try !storage.checkpoint(tree(3), for: .settled))
        return storage
    }

    @Test("While the file has a syntax error, the journal stays short and a load finds every value")
    func bounded() throws {
        let storage = try broken(fixture)
        for number in 4...2_000 { try set(number, in: storage) }
        #expect(try journalSize < 50_000)
        storage.close()
        let contents = try fixture.freshLoad()
        #expect(contents.tree == tree(2_000))
        guard case .recovered(_, true) = contents.outcome else {
            Issue.record("It was to be recovered completely: \(contents.outcome)")
            return
        }
    }

    @Test("Once the syntax error is fixed, only edited keys are merged") func corrected() throws {
        let storage = try broken(fixture)
        for number in 4...500 { try set(number, in: storage) }
        try fixture.write(#"{"a": 5, "b": 2, "c": "untouched"}"#)
        #expect(
            try storage.externalChanges() == [ExternalChange(.values(["a": .integer(5)]))])
        var all = tree(500)
        all["a"] = .integer(5)
        #expect(try storage.checkpoint(all, for: .settled))
        #expect(try fixture.freshLoad() == intact(all.root))
    }

    @Test("An unedited key keeps its newest value even if no process knows what the file had")
    func correctedAfterOpening() throws {
        let first = try storage(fixture)
        try first.save(batch(1, root.mapValues { $0 }))
        try set(3, in: first, .synced)
        first.close()
        // Edited while no process has it open, then broken before anything is written.
        try fixture.write(#"{"a": 7, "b": 2, "c": "untouched"}"#)
        let storage = try storage(fixture)
        try fixture.write(Self.broken)
        _ = try storage.externalChanges()
        for number in 4...500 { try set(number, in: storage) }
        var known = tree(500)
        known["a"] = .integer(7)
        #expect(try !storage.checkpoint(known, for: .settled))
        for number in 501...1_000 { try set(number, in: storage) }
        #expect(try journalSize < 60_000)
        known["b"] = .integer(1_000)
        try fixture.write(#"{"a": 8, "b": 2, "c": "untouched"}"#)
        _ = try storage.externalChanges()
        known["a"] = .integer(8)
        #expect(try fixture.freshLoad().tree == known)
    }

    @Test("A process that follows the journal gets the newest values and never an older one") func followers() throws {
        let storage = try broken(fixture)
        let other = try self.storage(fixture, limit: FileStorage.journalLimit)
        _ = try other.externalChanges()
        var last = 3
        for number in 4...300 {
            try set(number, in: storage)
            guard number % 7 == 0 else { continue }
            for change in try other.externalChanges() {
                guard case .values(let values) = change.content, case .integer(let value)?? = values["b"] else {
                    continue
                }
                #expect(value >= last, "\(value) after \(last)")
                last = Int(value)
            }
            #expect(last == number)
        }
    }

    @Test(
        "In a read-only folder, appends are refused before the journal gets too long, and all earlier ones load")
    func fullJournal() throws {
        let storage = try storage(fixture, capacity: 20_000)
        try storage.save(batch(1, root.mapValues { $0 }))
        for kind in [SystemCall.Kind.create, .rename] { fixture.calls.fail(every: kind, with: .permissionDenied) }
        #expect(throws: StorageError.self) {
            try set(3, in: storage); _ = try storage.checkpoint(tree(3), for: .settled)
        }
        var acknowledged = 3
        var refusal: StorageError?
        for number in 4...1_000 where refusal == nil {
            do {
                try set(number, in: storage, .synced)
                acknowledged = number
            } catch {
                refusal = error as? StorageError
            }
        }
        #expect(refusal?.code == .noSpace || refusal?.code == .permissionDenied)
        #expect(try journalSize <= 20_000 + (80 << 10) && acknowledged > 50)
        #expect(try fixture.freshLoad().tree == tree(acknowledged))
        fixture.calls.heal()
        // The journal keeps room for the records of a checkpoint, which ends the need for more.
        #expect(try storage.checkpoint(tree(acknowledged), for: .settled))
        try set(acknowledged + 1, in: storage, .synced)
        #expect(try fixture.freshLoad().tree == tree(acknowledged + 1))
    }

    @Test("A full journal is compacted even if no checkpoint was attempted") func fullJournalBegunAnew() throws {
        let storage = try storage(fixture, limit: FileStorage.journalLimit, capacity: 20_000)
        try storage.save(batch(1, root.mapValues { $0 }))
        for number in 3...2_000 { try set(number, in: storage) }
        #expect(try fixture.freshLoad().tree == tree(2_000))
    }

    @Test("A value too large for the journal is refused, and others are stored") func tooLarge() throws {
        let storage = try storage(fixture, capacity: 20_000)
        try storage.save(batch(1, root.mapValues { $0 }))
        let error = #expect(throws: StorageError.self) {
            try storage.append(
                batch(2, ["large": .string(String(repeating: "x", count: 30_000))]), durability: .synced)
        }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.description.hasPrefix("“large” was not saved: its value needs 30004 bytes") == true)
        try set(3, in: storage, .synced)
        #expect(try fixture.freshLoad().tree == tree(3))
    }

    @Test(
        "An append that compacts the journal leaves the old or the new state, whichever system call fails",
        arguments: CallTrouble.all)
    func everyCall(trouble: CallTrouble) throws {
        // Which append begins the journal anew.
        let scratch = try FileStorageFixture()
        let first = try broken(scratch)
        let generation = try Self.generation(in: scratch)
        var due = 4
        try set(due, in: first)
        while try Self.generation(in: scratch) == generation {
            due += 1
            try set(due, in: first)
        }
        var call = 0
        var wasHit = true
        while wasHit {
            let fixture = try FileStorageFixture()
            let storage = try broken(fixture)
            for number in 4..<due { try set(number, in: storage) }
            let number = due
            let comment: Comment = "call \(call), \(trouble)"
            fixture.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
            let isStored = (try? set(number, in: storage, .synced)) != nil
            wasHit = fixture.calls.faultCount > 0
            fixture.calls.heal()
            let copy = try Self.copy(of: fixture)
            let found = try copy.freshLoad().tree
            #expect(found == tree(number) || (!isStored && found == tree(number - 1)), comment)
            if !isStored { try set(number, in: storage, .synced) }
            try set(number + 1, in: storage, .synced)
            #expect(try Self.copy(of: fixture).freshLoad().tree == tree(number + 1), comment)
            storage.close()
            #expect(fixture.calls.openFiles.isEmpty, comment)
            call += 1
        }
        #expect(trouble.fault == .short ? call >= 1 : call > 8)
    }

    private static func generation(in fixture: FileStorageFixture) throws -> UInt64 {
        let journal = try Data(contentsOf: fixture.folder.appending(path: ".settings.json.journal"))
        return try Array(journal).withUnsafeBytes { try JournalHeader.decode($0).generation }
    }

    /// A copy to load, so that both may be written to.
    private static func copy(of fixture: FileStorageFixture) throws -> FileStorageFixture {
        let copy = try FileStorageFixture()
        for name in try fixture.names() {
            try FileManager.default.copyItem(
                at: fixture.folder.appending(path: name), to: copy.folder.appending(path: name))
        }
        return copy
    }

    @Test("Values that only a hand-written file had survive when that file is broken") func secured() throws {
        try fixture.write(#"{"a": 1, "b": 2, "c": "untouched"}"#)
        let storage = try storage(fixture)
        try fixture.write(Self.broken)
        _ = try storage.externalChanges()
        try set(3, in: storage)
        storage.close()
        let contents = try Self.copy(of: fixture).freshLoad()
        #expect(contents.tree == tree(3))
        guard case .recovered(_, true) = contents.outcome else {
            Issue.record("It was to be recovered completely: \(contents.outcome)")
            return
        }
        // Fixed before any process opens it, the file is an edit like any other.
        try fixture.write(#"{"a": 5, "b": 2, "c": "untouched"}"#)
        #expect(try fixture.freshLoad() == intact(["a": .integer(5), "b": .integer(3), "c": .string("untouched")]))
    }
}
