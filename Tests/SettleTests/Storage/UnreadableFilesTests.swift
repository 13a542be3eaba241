import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Files that can't be read any more, moved or made while a process has them open: whoever needs them says which one.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnreadableFilesTests {
    private let fixture: FileStorageFixture
    private let manager = FileManager.default
    private static let journal = ".settings.json.journal"

    init() throws { fixture = try FileStorageFixture() }

    /// Another process.
    private func other(_ calls: FaultySystemCalls? = nil, journalLimit: Int = 1) throws -> FileStorage {
        try FileStorage(
            at: fixture.file, calls: calls ?? FaultySystemCalls(synchronizes: false),
            lockTimeout: LockTimeout(limit: .zero), journalLimit: journalLimit
        ).loaded()
    }

    private func append(_ values: [SettingKey: SettingValue?], to storage: FileStorage) throws {
        try storage.append(batch(1, values), durability: .synced)
    }

    private func values(_ storage: FileStorage) -> SettingTree { storage.session.withLock { $0.inForce.tree } }

    // MARK: The journal

    enum Question: CaseIterable { case after, before, bound, secrets, traces }

    @Test("Whatever asks a journal that can't be read names it", arguments: Question.allCases)
    func unreadableJournal(_ question: Question) throws {
        let writer = try other()
        try writer.keepHistory(question == .bound ? .keep(bytes: 400) : .keep())
        var tokens: [ChangeToken] = []
        for number in 1...6 {
            let receipt = try writer.append(batch(1, ["a": .integer(Int64(number))]), durability: .synced)
            tokens.append(try #require(receipt.token))
            if number < 5 { _ = try writer.checkpoint(values(writer), for: .resting) }
        }
        let storage = try fixture.opened()
        fixture.calls.fail(every: .read, with: .inputOutput)
        let error = #expect(throws: StorageError.self) {
            switch question {
            case .after: _ = try storage.records(after: tokens[0], limit: 9)
            case .before, .bound: _ = try storage.records(before: nil, limit: 9)
            case .secrets: try storage.withhold(["a"])
            case .traces:
                fixture.calls.heal()
                fixture.calls.fail(everyCallAt: Self.journal, with: .inputOutput)
                _ = try storage.hasTraces(of: "b")
            }
        }
        #expect(error?.description.contains(Self.journal) == true, "\(String(describing: error))")
        fixture.calls.heal()
        #expect(try storage.records(before: nil, limit: 9).isEmpty == false)
    }

    @Test("Secrets that can't be withheld because of any failing call are withheld the next time") func failedSecrets()
        throws
    {
        var number = 0
        while true {
            let past = try KeptPast()
            let writer = try past.openKeeping()
            try past.write(["1", "2"], to: writer)
            try past.renewJournal(writer)
            writer.close()
            let calls = FaultySystemCalls(synchronizes: false)
            let storage = try past.open(calls)
            calls.fail(call: number, with: .error(.inputOutput), forGood: false)
            let isWithheld = (try? storage.withhold(["token"])) != nil
            let wasHit = calls.faultCount > 0
            calls.heal()
            if !isWithheld { try storage.withhold(["token"]) }
            let told = try FileStorage(at: past.fixture.file).loaded().records(before: nil, limit: 9)
            let values = told.flatMap(\.transactions).flatMap { $0.mutations ?? [] }.map(\.newValue)
            #expect(!values.isEmpty && values.allSatisfy { $0 == nil }, "call \(number): \(values)")
            guard wasHit else { break }
            number += 1
        }
        #expect(number > 5)
    }

    /// What others do.
    enum Others: CaseIterable { case renewTheJournal, copyTheJournal, recordRemoval }

    @Test(
        "A look at what others have done that fails at any call is made up for by the next one",
        arguments: Others.allCases)
    func failedLook(others: Others) throws {
        var number = 0
        while true {
            let fixture = try FileStorageFixture()
            let calls = FaultySystemCalls(synchronizes: false)
            let writer = FileStorage(at: fixture.file, calls: calls, journalLimit: 1)
            _ = try writer.load()
            try writer.save(batch(1, ["a": .integer(1)]))
            let reader = try fixture.opened()
            switch others {
            case .renewTheJournal:
                try writer.save(batch(2, ["b": .integer(2)]))
                #expect(try writer.checkpoint(SettingTree(), for: .erasing))
            case .copyTheJournal:
                let journal = fixture.folder.appending(path: Self.journal)
                let copy = try Data(contentsOf: journal)
                writer.close()
                try copy.write(to: journal, options: .atomic)
                let next = FileStorage(at: fixture.file)
                _ = try next.load()
                try next.append(batch(2, ["b": .integer(2)]), durability: .synced)
            case .recordRemoval:
                // A process that has not had it open finds the file removed, and records that.
                writer.close()
                try manager.removeItem(at: fixture.file)
                let finder = FileStorage(at: fixture.file)
                _ = try finder.load()
                try finder.append(batch(1, ["b": .integer(2)]), durability: .synced)
            }
            fixture.calls.fail(call: number, with: .error(.inputOutput), forGood: false)
            _ = try? reader.externalChanges()
            let wasHit = fixture.calls.faultCount > 0
            fixture.calls.heal()
            _ = try reader.externalChanges()
            let expected = SettingTree(["a": .integer(1), "b": .integer(2)])
            #expect(reader.session.withLock { $0.inForce.tree } == expected, "call \(number)")
            guard wasHit else { break }
            number += 1
        }
        #expect(number > 5)
    }

    @Test("What was stored behind a link that was switched reaches a journal that others begin meanwhile")
    func switchedLink() throws {
        let folder = fixture.folder
        for name in ["one", "two"] {
            try manager.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: false)
        }
        let files = ["one", "two"].map { folder.appending(path: $0).appending(path: "settings.json") }
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "one/settings.json")
        let storage = try other(journalLimit: FileStorage.journalLimit)
        try storage.save(batch(1, ["a": .integer(1)]))
        try append(["a": .integer(2)], to: storage)
        let second = FileStorage(at: files[1], calls: FaultySystemCalls(synchronizes: false), journalLimit: 1)
        _ = try second.load()
        try second.save(batch(1, ["b": .integer(5)]))
        try manager.removeItem(at: fixture.file)
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "two/settings.json")
        // Nothing can be told the journal there while another process holds its lock.
        let lease = try #require(try second.lockForTransaction())
        _ = try storage.externalChanges()
        #expect(values(storage).root == ["a": .integer(2), "b": .integer(5)])
        try second.save(batch(2, ["b": .integer(6)]))
        #expect(try second.checkpoint(SettingTree(), for: .erasing))
        second.unlock(lease)
        _ = try storage.externalChanges()
        #expect(values(storage).root == ["a": .integer(2), "b": .integer(6)])
        try append(["c": .integer(7)], to: storage)
        #expect(
            try FileStorage(at: files[1]).load().tree.root == ["a": .integer(2), "b": .integer(6), "c": .integer(7)])
    }

    @Test("What one has stored unseen is put beside a journal that others have begun and filled since")
    func filledJournal()
        throws
    {
        let one = try other(journalLimit: FileStorage.journalLimit)
        try one.save(batch(1, ["a": .integer(1)]))
        let two = try other()
        // In a journal that the other one has not opened.
        #expect(try one.checkpoint(SettingTree(), for: .erasing))
        try append(["x": .integer(1)], to: one)
        for name in [fixture.name, Self.journal] {
            try manager.removeItem(at: fixture.folder.appending(path: name))
        }
        var news: [SettingKey: SettingValue?] = [:]
        for number in 0...1_000 { news[SettingKey(name: "k\(number)")] = .integer(Int64(number)) }
        try append(news, to: two)
        #expect(try two.checkpoint(SettingTree(), for: .erasing))
        _ = try one.externalChanges()
        try append(["y": .integer(2)], to: one)
        let found = try fixture.freshLoad().tree
        #expect(found["a"] == .integer(1) && found["x"] == .integer(1) && found["y"] == .integer(2))
        #expect(found["k1000"] == .integer(1_000))
    }

    @Test("A process that takes back an edit beside a journal that has lost its base keeps the values it knows")
    func lostBase() throws {
        let writer = try other()
        try writer.save(batch(1, ["a": .integer(1), "c": .integer(1)]))
        try fixture.write(#"{"a": 2, "c": 1}"#)
        let reader = try other(journalLimit: FileStorage.journalLimit)
        try append(["b": .integer(3)], to: writer)
        let journal = fixture.folder.appending(path: Self.journal)
        let header = try Data(contentsOf: journal).withUnsafeBytes { try JournalHeader.decode($0) }
        let file = try FileHandle(forUpdating: journal)
        try file.seek(toOffset: UInt64(Int(header.base) + JournalRecordHeader.size + JournalKeySection.size))
        try file.write(contentsOf: Data([0xEE, 0xEE]))
        try file.close()
        _ = try? reader.externalChanges()
        #expect(values(reader).root == ["a": .integer(2), "b": .integer(3), "c": .integer(1)])
        try append(["d": .integer(4)], to: reader)
        #expect(
            try fixture.freshLoad().tree.root
                == ["a": .integer(2), "b": .integer(3), "c": .integer(1), "d": .integer(4)])
    }

    @Test("A file that comes back before anything is stored has the values in force again") func comesBack() throws {
        let first = try other()
        try first.save(batch(1, ["a": .integer(1)]))
        first.close()
        let text = try fixture.text()
        try manager.removeItem(at: fixture.file)
        let storage = try fixture.opened()
        #expect(values(storage).root.isEmpty)
        try fixture.write(text)
        _ = try storage.externalChanges()
        #expect(values(storage).root == ["a": .integer(1)])
        try append(["b": .integer(2)], to: storage)
        #expect(try fixture.freshLoad().tree.root == ["a": .integer(1), "b": .integer(2)])
    }

    // MARK: Other files

    @Test("What stands in the file's place and can't be moved away is named, and nothing is lost") func inTheWay()
        throws
    {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try manager.removeItem(at: fixture.file)
        try manager.createDirectory(at: fixture.file, withIntermediateDirectories: false)
        fixture.calls.fail(every: .rename, with: .permissionDenied)
        let found = try storage.externalChanges().compactMap { change in
            if case .unusable(let error) = change.content { error } else { nil }
        }
        #expect(
            found.contains {
                $0.description.contains(fixture.file.path) && $0.errno == SystemError.permissionDenied.number
            })
        fixture.calls.heal()
        #expect(try storage.checkpoint(values(storage), for: .resting))
        #expect(try fixture.text() == "{\n  \"a\": 1\n}\n")
        #expect(try fixture.names().contains("settings.json.corrupt-1"))
    }

    @Test("A file of state that is damaged and can't be set aside is named, and not written over") func stateInTheWay()
        throws
    {
        let storage = try fixture.opened()
        storage.keepApart(state: ["s"], from: [])
        try storage.save(batch(1, ["s": .integer(1), "a": .integer(1)]))
        try fixture.write("{", to: "settings.state.json")
        fixture.calls.fail(every: .rename, with: .permissionDenied)
        try append(["s": .integer(2)], to: storage)
        let error = #expect(throws: StorageError.self) { try storage.checkpoint(values(storage), for: .resting) }
        #expect(error?.description.contains("settings.state.json") == true, "\(String(describing: error))")
        #expect(try fixture.text(of: "settings.state.json") == "{")
        fixture.calls.heal()
        _ = try storage.checkpoint(values(storage), for: .resting)
        #expect(try fixture.freshLoad().tree.root == ["s": .integer(2), "a": .integer(1)])
        #expect(try fixture.text(of: "settings.state.json.corrupt-1") == "{")
    }

    @Test("A damaged file for which no name is left stays where it is, and the message says so") func noNameLeft()
        throws
    {
        try fixture.write("{")
        let names = FileNames(FilePath(fixture.file.path))
        for number in 1...999 { try fixture.write("", to: names.corrupt(number).name) }
        let aside = FilesPutAside(operations: FileOperations(fixture.calls), names: names)
        let identity = try FileOperations(fixture.calls).status(at: names.file).identity
        let error = #expect(throws: StorageError.self) { try aside.link(identity) }
        #expect(error?.description.contains("already 999 damaged versions") == true)
        #expect(try fixture.text() == "{")
    }

    @Test("A file whose name and text say no format is taken for JSON") func formatUnknown() throws {
        let spelling = FileSpelling(FilePath("/home/settings.conf"), chosen: nil)
        #expect(throws: (any Error).self) { try spelling.decode([]) }
        #expect(try spelling.decode([UInt8]("  {}".utf8)) == SettingTree())
    }

    // MARK: Named locks

    @Test("A lock whose folder has become something else is lost") func lockWithoutFolder() throws {
        let fixture = try FileStorageFixture("new/settings.json")
        let storage = try fixture.opened()
        let lease = try #require(try storage.tryLock(named: "default"))
        try manager.removeItem(at: fixture.folder.appending(path: "new"))
        try fixture.write("", to: "new")
        let error = #expect(throws: StorageError.self) { try storage.renew(lease) }
        #expect(error?.code == .leaseLost)
        storage.unlock(lease)
    }

    @Test("A lock whose file others make and remove again and again is an error in the end") func restlessLock() throws
    {
        let storage = try fixture.opened()
        fixture.calls.fail(every: .create, with: .alreadyExists)
        let error = #expect(throws: StorageError.self) { try storage.tryLock(named: "default") }
        #expect(error?.description.contains(".settings.json.default.lock") == true)
        #expect(fixture.calls.calls.count(where: { $0.kind == .create }) == 3)
        fixture.calls.heal()
        #expect(try storage.tryLock(named: "default") != nil)
    }

    @Test("A lock whose file is removed between opening and locking it is not to be had at once") func removedLock()
        throws
    {
        let storage = try fixture.opened()
        let lock = fixture.folder.appending(path: ".settings.json.default.lock")
        fixture.calls.beforeNext(.lock) { try? FileManager.default.removeItem(at: lock) }
        #expect(try storage.tryLock(named: "default") == nil)
        #expect(try storage.tryLock(named: "default") != nil)
    }
}

extension FileStorage {
    /// This one, with what is there.
    fileprivate func loaded() throws -> FileStorage {
        _ = try load()
        return self
    }
}
