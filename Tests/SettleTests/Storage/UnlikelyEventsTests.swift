import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// What seldom happens to a settings file and its journal, each thing by itself.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnlikelyEventsTests {
    let fixture: FileStorageFixture
    let manager = FileManager.default
    static let journal = ".settings.json.journal"

    init() throws { fixture = try FileStorageFixture() }

    /// Another process.
    func other(_ calls: FaultySystemCalls? = nil, journalLimit: Int = 1) throws -> FileStorage {
        let storage = FileStorage(
            at: fixture.file, calls: calls ?? FaultySystemCalls(synchronizes: false), journalLimit: journalLimit)
        _ = try storage.load()
        return storage
    }

    func url(_ name: String) -> URL { fixture.folder.appending(path: name) }

    func append(_ values: [SettingKey: SettingValue?], to storage: FileStorage) throws {
        try storage.append(batch(1, values), durability: .synced)
    }

    /// What a storage has been told of, one after another.
    func told(_ storage: FileStorage) throws -> [ExternalChange.Content] {
        try storage.externalChanges().map(\.content)
    }

    func values(_ storage: FileStorage) -> SettingTree { storage.session.withLock { $0.inForce.tree } }

    /// Writes into the file that has a name, which stays the same one.
    func overwrite(_ name: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try FileHandle(forUpdating: url(name))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes))
    }

    // MARK: The file

    @Test("Nothing is erased while the file is being edited, and all of it once that is done") func editedErase() throws
    {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .string("old-text")]))
        try append(["a": .string("new-text")], to: storage)
        try fixture.write("{")
        #expect(try !storage.checkpoint(SettingTree(), for: .erasing))
        try fixture.write(#"{"a": "new-text"}"#)
        #expect(try storage.checkpoint(SettingTree(), for: .erasing))
        for name in try fixture.names() { #expect(try !fixture.text(of: name).contains("old-text")) }
    }

    @Test("A damaged file that was corrected after the load counts as an edit, and is not set aside") func corrected()
        throws
    {
        let first = try fixture.opened()
        try first.save(batch(1, ["a": .integer(1)]))
        first.close()
        try fixture.write("{")
        let storage = fixture.storage()
        guard case .recovered = try storage.load().outcome else {
            Issue.record("no damage was found")
            return
        }
        try fixture.write(#"{"a": 5}"#)
        try append(["b": .integer(2)], to: storage)
        #expect(values(storage).root == ["a": .integer(5), "b": .integer(2)])
        #expect(try !fixture.names().contains { $0.contains("corrupt") })
        #expect(try fixture.freshLoad().tree.root == ["a": .integer(5), "b": .integer(2)])
    }

    @Test("A journal that another process has begun after a removal is not replaced by a renewal of the removed one")
    func renewal() throws {
        let calls = FaultySystemCalls(synchronizes: false)
        let first = try other(calls)
        try append(["a": .integer(1)], to: first)
        #expect(try first.checkpoint(values(first), for: .resting))
        try append(["b": .integer(1)], to: first)
        let second = fixture.storage()
        calls.beforeNext(.exchange) { [journal = url(Self.journal)] in
            try? FileManager.default.removeItem(at: journal)
            _ = try? second.load()
            _ = try? second.append(batch(1, ["a": .integer(2)]), durability: .synced)
        }
        _ = try first.checkpoint(values(first), for: .resting)
        for storage in [first, second, first] { _ = try storage.externalChanges() }
        let tree = try fixture.freshLoad().tree
        #expect(tree.root == ["a": .integer(2), "b": .integer(1)])
        #expect(values(first) == tree && values(second) == tree)
    }

    @Test("A file that vanishes while a version of it is undecided is stored again") func undecided() throws {
        let calls = FaultySystemCalls(synchronizes: false)
        let first = try other(calls, journalLimit: FileStorage.journalLimit)
        try first.save(batch(1, ["a": .integer(1)]))
        try append(["a": .integer(2)], to: first)
        // The journal says that a version is about to be there, and then the process ends.
        calls.beforeNext(.exchange) { calls.fail(call: 0, with: .error(.inputOutput), forGood: true) }
        calls.beforeNext(.rename) { calls.fail(call: 0, with: .error(.inputOutput), forGood: true) }
        _ = try? first.checkpoint(SettingTree(["a": .integer(2)]), for: .resting)
        #expect(calls.faultCount > 0)
        calls.endProcess()
        let second = try other()
        #expect(second.session.withLock { $0.state.hasBegun })
        try manager.removeItem(at: fixture.file)
        try append(["b": .integer(3)], to: second)
        #expect(try second.checkpoint(SettingTree(), for: .resting))
        #expect(try fixture.freshLoad() == intact(["a": .integer(2), "b": .integer(3)]))
    }

    @Test("A temporary file that can't be opened stays, and nothing fails because of it") func foreignTemporary() throws
    {
        let name = ".settings.json.0123456789abcdef.tmp"
        try fixture.write("x", to: name)
        let storage = try fixture.opened()
        fixture.calls.fail(everyCallAt: name, with: .permissionDenied)
        try storage.save(batch(1, ["a": .integer(1)]))
        #expect(try fixture.names().contains(name))
        fixture.calls.heal()
    }

    // MARK: What is put aside

    @Test("Without hard links, a damaged file that can't be moved stays where it is", arguments: [true, false])
    func immovable(isReserved: Bool) throws {
        try fixture.write("{")
        let names = FileNames(FilePath(fixture.file.path))
        let aside = FilesPutAside(operations: FileOperations(fixture.calls), names: names)
        let identity = try FileOperations(fixture.calls).status(at: names.file).identity
        fixture.calls.fail(every: .link, with: .notSupported)
        fixture.calls.fail(every: isReserved ? .rename : .create, with: .permissionDenied)
        let error = #expect(throws: StorageError.self) { try aside.link(identity) }
        #expect(error?.errno == SystemError.permissionDenied.number)
        #expect(try fixture.names() == ["settings.json"])
    }

    @Test("Nothing is moved to a name of which it is not known whether it is free, or if none is") func noName() throws
    {
        try fixture.write("x")
        let path = FilePath(fixture.file.path)
        let aside = FilesPutAside(operations: FileOperations(fixture.calls), names: FileNames(path))
        let error = #expect(throws: FileError.self) { try aside.move(path) { _ in path } }
        #expect(error?.cause == .alreadyExists)
        fixture.calls.fail(every: .status, with: .inputOutput)
        #expect(throws: FileError.self) { try aside.move(path) { _ in path.sibling(named: "free") } }
        #expect(try fixture.names() == ["settings.json"])
    }

    // MARK: The history

    @Test("Without a history, or with a token of another one, there is nothing before a place") func noHistory() throws
    {
        let storage = try fixture.opened()
        try storage.forgetHistory(of: "a")
        #expect(try fixture.names() == [])
        #expect(try storage.records(before: nil, limit: 9).isEmpty)
        try storage.keepHistory(.keep())
        try append(["a": .integer(1)], to: storage)
        let foreign = ChangeToken(history: 1, position: 9, checksum: 9)
        #expect(try storage.records(before: foreign, limit: 9).isEmpty)
        #expect(try storage.records(before: nil, limit: 9).count == 1)
    }

    @Test("Secrets of a history that others have just ended are not recorded in it") func endedHistory() throws {
        let (one, other) = (try fixture.opened(), try other())
        try one.keepHistory(.keep())
        try append(["a": .integer(1)], to: one)
        _ = try other.externalChanges()
        try one.keepHistory(.none)
        #expect(other.keepsHistory)
        try other.withhold(["a"])
        #expect(!other.keepsHistory && other.withheldKeys() == ["a"])
    }

    @Test("A past that can't be read costs only itself when the journal must be replaced") func unreadablePast() throws
    {
        var (number, gaps) = (0, 0)
        while true {
            let past = try KeptPast()
            let first = try past.openKeeping()
            try past.write(["1", "2"], to: first)
            try past.renewJournal(first)
            try past.write(["3", "4"], to: first)
            first.close()
            let calls = FaultySystemCalls(synchronizes: false)
            let storage = try past.open(calls)
            calls.fail(every: .synchronizeData, with: .inputOutput)
            #expect(throws: StorageError.self) { try past.write(["5"], to: storage) }
            calls.heal()
            calls.forget()
            calls.fail(call: number, with: .error(.inputOutput), forGood: false)
            let isSaved = (try? append(["b": .integer(6)], to: storage)) != nil
            let wasHit = calls.faultCount > 0
            calls.heal()
            let errors = try told(storage).filter { if case .unusable = $0 { true } else { false } }
            if isSaved {
                #expect(try past.fixture.freshLoad().tree["b"] == .integer(6), "call \(number)")
                gaps += errors.count
            }
            #expect(try past.fixture.freshLoad().tree["token"] == .string("5"), "call \(number)")
            guard wasHit else { break }
            number += 1
        }
        #expect(number > 5 && gaps > 0, "\(number) calls, \(gaps) gaps")
    }

    // MARK: The journal

    @Test("A journal that is full of small values says so") func full() throws {
        let storage = FileStorage(at: fixture.file, calls: fixture.calls, journalCapacity: 3_000)
        _ = try storage.load()
        let error = #expect(throws: StorageError.self) {
            for number in 0..<200 {
                try append(
                    [SettingKey(name: "key\(number)"): .string("some value"), "other": .integer(1)], to: storage)
            }
        }
        #expect(error?.code == .noSpace)
        #expect(error?.description.contains("limit of 3000 bytes") == true, "\(String(describing: error))")
    }

    @Test("A journal that has lost everything has no traces of anything") func noTraces() throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        #expect(try storage.hasTraces(of: "a") && !storage.hasTraces(of: "b"))
        try overwrite(Self.journal, at: 0, with: [UInt8](repeating: 0xEE, count: JournalHeader.size))
        #expect(try storage.hasTraces(of: "a") && !storage.hasTraces(of: "b"))
        try manager.removeItem(at: fixture.file)
        #expect(try !storage.hasTraces(of: "a"))
    }

    @Test("What the file of state has had is a trace, as the journal says") func tracesOfState() throws {
        let storage = try other(fixture.calls)
        storage.keepApart(state: ["s", "t"], from: [])
        try storage.save(batch(1, ["s": .integer(1), "t": .integer(1)]))
        for number in 2...6 { try append(["s": .integer(Int64(number))], to: storage) }
        try append(["s": nil, "a": .string(String(repeating: "x", count: 2_000))], to: storage)
        try append(["a": .integer(1)], to: storage)
        try manager.removeItem(at: url("settings.state.json"))
        #expect(try storage.hasTraces(of: "s") && !storage.hasTraces(of: "u"))
    }

    @Test("A journal that is replaced again and again is given up, and a load reads what there is") func replaced()
        throws
    {
        let setup = try fixture.opened()
        try setup.save(batch(1, ["a": .integer(1)]))
        setup.close()
        let reader = fixture.storage()
        try fixture.write(#"{"a": 5}"#)
        let replacing = Replacing(calls: fixture.calls, url(Self.journal))
        replacing.arm()
        #expect(try reader.load().tree.root == ["a": .integer(5)])
        #expect(replacing.count.withLock { $0 } >= FileSession.replacementLimit)
        let error = #expect(throws: StorageError.self) { try append(["b": .integer(1)], to: reader) }
        #expect(error?.code == .locked, "\(String(describing: error))")
        replacing.disarm()
        try append(["b": .integer(2)], to: reader)
        #expect(try fixture.freshLoad().tree.root == ["a": .integer(5), "b": .integer(2)])
    }

    /// Puts a copy of the journal in its place before each attempt to lock it.
    private final class Replacing: Sendable {
        let count = LockedValue(0)
        private let calls: FaultySystemCalls
        private let url: URL

        init(calls: FaultySystemCalls, _ url: URL) { (self.calls, self.url) = (calls, url) }

        func arm() {
            calls.beforeNext(.lock) { [self] in
                count.withLock { $0 += 1 }
                if let data = try? Data(contentsOf: url) { try? data.write(to: url, options: .atomic) }
                arm()
            }
        }

        func disarm() { calls.beforeNext(.lock) {} }
    }

    @Test("Whether a journal has more that can't be read is found out later") func noNews() throws {
        let storage = try fixture.opened()
        try append(["a": .integer(1)], to: storage)
        #expect(storage.session.withLock { $0.hasNews() } == false)
        fixture.calls.fail(every: .read, with: .inputOutput)
        #expect(storage.session.withLock { $0.hasNews() })
        fixture.calls.heal()
    }

    // MARK: Named locks

    @Test("A named lock of which nothing is known stays as it is") func namedLocks() throws {
        let storage = try fixture.opened()
        storage.unlock(named: "never")
        #expect(try storage.lock(named: "x"))
        let lease = StorageLease(name: "x", position: StoragePosition(0))
        _ = try storage.renew(lease)
        let name = try #require(fixture.names().first { $0.hasSuffix(".x.lock") })
        // The open file has its status still, and what stands at the path can't be seen.
        let names = FileNames(FilePath(fixture.file.path))
        #expect(names.lock(named: "x").name == name)
        fixture.calls.beforeNext(.status) { [calls = fixture.calls] in
            calls.fail(call: 1, with: .error(.inputOutput), forGood: false)
        }
        _ = try? storage.renew(lease)
        fixture.calls.heal()
        _ = try storage.renew(lease)
        storage.session.withLock { _ in #expect(storage.holder(ofLockNamed: "x") == nil) }
        storage.unlock(named: "x")
    }

    @Test("The folder of a named lock is made, and a name that leads nowhere is an error") func lockFolders() throws {
        let fixture = try FileStorageFixture("one/two/settings.json")
        let storage = try fixture.opened()
        #expect(try storage.lock(named: "x"))
        storage.unlock(named: "x")
        let path = FileNames(FilePath(fixture.file.path)).lock(named: "y")
        try manager.createSymbolicLink(atPath: path.text, withDestinationPath: "nowhere/at/all")
        #expect(throws: StorageError.self) { try storage.lock(named: "y") }
    }
}
