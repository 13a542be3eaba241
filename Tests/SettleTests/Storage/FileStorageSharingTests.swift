import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Several storages on one file, as in several processes.
@Suite(.timeLimit(.minutes(10))) struct FileStorageSharingTests {
    private let fixture: FileStorageFixture

    init() throws {
        fixture = try FileStorageFixture()
    }

    /// Another storage of the file, which has read all changes and watches for more.
    private func follower() throws -> (storage: FileStorage, watching: ManualFileWatching) {
        let watching = ManualFileWatching()
        let other = FileStorage(at: fixture.file, calls: fixture.calls, watching: watching)
        _ = try other.load()
        other.watch { _ in }
        _ = try changes(other)
        return (other, watching)
    }

    private func changes(_ storage: FileStorage, since root: SettingValue.Entries = [:]) throws -> [ExternalChange] {
        try storage.externalChanges()
    }

    @Test("Each storage reports what the other has appended, and only that") func append() throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        #expect(try changes(other) == [ExternalChange(.values(["a": .integer(1)]))])
        #expect(try changes(other).isEmpty && changes(one).isEmpty)
        try other.append(batch(1, ["b": .integer(2)]), durability: .buffered)
        try one.append(batch(2, ["c": .integer(3), "a": nil]), durability: .buffered)
        #expect(try changes(one) == [ExternalChange(.values(["b": .integer(2)]))])
        #expect(try changes(other) == [ExternalChange(.values(["a": nil, "c": .integer(3)]))])
        #expect(try fixture.freshLoad() == intact(["b": .integer(2), "c": .integer(3)]))
    }

    @Test("The later append wins, in both storages and on disk") func order() throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try other.append(batch(1, ["a": .integer(2)]), durability: .buffered)
        // An earlier change is reported as it is under the storage's own batch.
        #expect(try changes(other) == [ExternalChange(.values(["a": .integer(2)]))])
        #expect(try changes(one) == [ExternalChange(.values(["a": .integer(2)]))])
        #expect(try fixture.freshLoad() == intact(["a": .integer(2)]))
    }

    @Test("A checkpoint by one storage includes what the other has appended") func checkpoint() throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try other.append(batch(1, ["b": .integer(2)]), durability: .buffered)
        #expect(try one.checkpoint(SettingTree(["a": .integer(1)]), for: .settled))
        let file = try FileFormat.json.decode(Array(Data(contentsOf: fixture.file)))
        #expect(file.root == ["a": .integer(1), "b": .integer(2)])
        #expect(try changes(one) == [ExternalChange(.values(["b": .integer(2)]))])
        #expect(try changes(other, since: file.root) == [ExternalChange(.values(["a": .integer(1)]))])
        #expect(try fixture.freshLoad() == intact(file.root))
    }

    @Test("While one storage holds the lock, the other can't append") func lock() throws {
        let one = try fixture.opened()
        let other = FileStorage(at: fixture.file, calls: POSIXSystemCalls(), lockTimeout: LockTimeout(limit: .zero))
        _ = try other.load()
        try one.lock()
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        let error = #expect(throws: StorageError.self) {
            try other.append(batch(1, ["a": .integer(2)]), durability: .buffered)
        }
        #expect(error?.code == .locked)
        one.unlock()
        try other.append(batch(1, ["a": .integer(2)]), durability: .buffered)
        #expect(try fixture.freshLoad() == intact(["a": .integer(2)]))
    }

    @Test("Closing a storage releases its lock") func closing() throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        try one.lock()
        one.close()
        try other.append(batch(1, ["a": .integer(2)]), durability: .buffered)
    }

    @Test(
        "A storage that follows another one goes over to its new journal, and looks at the file once for it",
        arguments: [false, true])
    func newJournal(appends: Bool) throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        var root: SettingValue.Entries = ["big": .string(String(repeating: "x", count: 80_000))]
        try one.append(batch(1, root.mapValues { $0 }), durability: .buffered)
        #expect(try changes(other).count == 1)
        #expect(try one.checkpoint(SettingTree(root), for: .settled))
        root["a"] = .integer(1)
        try one.append(batch(2, ["a": .integer(1)]), durability: .buffered)
        fixture.calls.forget()
        if appends {
            try other.append(batch(1, ["b": .integer(2)]), durability: .buffered)
            #expect(fixture.callTexts.count { $0 == "open settings.json" } == 1)
            fixture.calls.forget()
        }
        let found = try changes(other, since: root)
        #expect(fixture.callTexts.count { $0 == "open settings.json" } == 1)
        #expect(found.last == ExternalChange(.values(["a": .integer(1)])))
        if !appends { try other.append(batch(1, ["b": .integer(2)]), durability: .buffered) }
        #expect(try changes(one) == [ExternalChange(.values(["b": .integer(2)]))])
        root["b"] = .integer(2)
        #expect(try fixture.freshLoad() == intact(root))
    }

    @Test("A storage that missed a whole journal gets all values") func missedJournal() throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        try other.append(batch(1, ["b": .integer(2)]), durability: .buffered)
        var root: SettingValue.Entries = [:]
        for number in 0..<3 {
            root["big"] = .string(String(repeating: "\(number)", count: 80_000))
            root["n"] = .integer(Int64(number))
            try one.append(batch(1, root.mapValues { $0 }), durability: .buffered)
            #expect(try one.checkpoint(SettingTree(root), for: .resting))
        }
        root["b"] = .integer(2)
        var known = SettingTree(["b": .integer(2)])
        for change in try changes(other) { change.apply(to: &known) }
        #expect(known.root == root)
        try other.append(batch(2, ["n": .integer(9)]), durability: .buffered)
        root["n"] = .integer(9)
        #expect(try fixture.freshLoad() == intact(root))
    }

    @Test("A storage that missed a whole journal gets all values even while the file can't be read")
    func missedJournalOfBrokenFile() throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        var root: SettingValue.Entries = ["a": .integer(1), "b": .integer(2)]
        try one.save(batch(1, root.mapValues { $0 }))
        _ = try changes(other)
        for number in 3...4 {
            root = ["a": .integer(Int64(number))]
            try one.append(batch(1, ["a": root["a"], "b": nil]), durability: .buffered)
            for name in ["settings.json", ".settings.json.previous"] {
                try? FileManager.default.removeItem(at: fixture.folder.appending(path: name))
            }
            _ = try changes(one, since: root)
        }
        try fixture.write("{")
        var known = SettingTree(["a": .integer(1), "b": .integer(2)])
        for change in try changes(other, since: known.root) { change.apply(to: &known) }
        #expect(known.root == root)
        // The record says that `b` was absent before, so an edit of another key does not remove it.
        try other.append(
            StorageBatch(revision: 2, values: ["b": .integer(5)], expectedValues: known["b"].map { ["b": $0] } ?? [:]),
            durability: .buffered)
        try fixture.write(#"{"a": 6}"#)
        #expect(try fixture.freshLoad().tree.root == ["a": .integer(6), "b": .integer(5)])
    }

    @Test("Removing the journal loses no value") func removedJournal() throws {
        let (one, other) = (try fixture.opened(), try fixture.opened())
        try one.append(batch(1, ["a": .integer(1)]), durability: .synced)
        _ = try changes(other)
        try FileManager.default.removeItem(at: fixture.folder.appending(path: ".settings.json.journal"))
        try other.append(batch(1, ["b": .integer(2)]), durability: .buffered)
        try one.append(batch(2, ["c": .integer(3)]), durability: .buffered)
        let expected: SettingValue.Entries = ["a": .integer(1), "b": .integer(2), "c": .integer(3)]
        #expect(try fixture.freshLoad() == intact(expected))
    }

    @Test("A process without permission to write follows the others") func readOnly() throws {
        let one = try fixture.opened()
        try one.save(batch(1, ["a": .integer(1)]))
        let calls = FaultySystemCalls()
        calls.fail(every: .update, with: .permissionDenied)
        let reader = FileStorage(at: fixture.file, calls: calls)
        #expect(try reader.load() == intact(["a": .integer(1)]))
        try one.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        #expect(try changes(reader) == [ExternalChange(.values(["a": .integer(2)]))])
    }

    @Test("A process that finds values only in the journal brings the file to rest, unless it may not write")
    func rest() throws {
        let one = try fixture.opened()
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        #expect(!one.isAtRest)
        let other = try fixture.opened()
        #expect(!other.isAtRest)
        let calls = FaultySystemCalls()
        calls.fail(every: .update, with: .permissionDenied)
        let reader = FileStorage(at: fixture.file, calls: calls)
        _ = try reader.load()
        #expect(reader.isAtRest)
        #expect(try other.checkpoint(SettingTree(["a": .integer(1)]), for: .settled) && other.isAtRest)
        #expect(try fixture.text().contains("\"a\": 1"))
    }

    @Test("What is small is read as soon as the watch tells of it, and reported by the next call") func ahead() throws {
        let one = try fixture.opened()
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        let (other, watching) = try follower()
        try one.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        watching.tell([.contents])
        #expect(other.token == one.token)
        fixture.calls.forget()
        #expect(try changes(other) == [ExternalChange(.values(["a": .integer(2)]))])
        #expect(fixture.callTexts == [])
        let large = SettingValue.string(String(repeating: "x", count: 10_000))
        try one.append(batch(3, ["a": large]), durability: .buffered)
        watching.tell([.contents])
        #expect(other.token != one.token)
        #expect(try changes(other) == [ExternalChange(.values(["a": large]))])
        try one.append(batch(4, ["a": nil]), durability: .buffered)
        other.close()
        watching.tell([.contents])
        #expect(other.token != one.token)
    }

    @Test("A watch reports only what comes later: the next call finds what came before it") func beforeWatch() throws {
        let (one, watching, events) = (try fixture.opened(), ManualFileWatching(), LockedValue(0))
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        let other = FileStorage(at: fixture.file, calls: fixture.calls, watching: watching)
        _ = try other.load()
        try one.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        other.watch { _ in events.withLock { $0 += 1 } }
        #expect(events.withLock { $0 } == 0)
        #expect(try changes(other) == [ExternalChange(.values(["a": .integer(2)]))])
        try one.append(batch(3, ["a": .integer(3)]), durability: .buffered)
        watching.tell([.contents])
        #expect(events.withLock { $0 } == 1)
        #expect(try changes(other) == [ExternalChange(.values(["a": .integer(3)]))])
    }

    @Test("Records of another process are reported to the watch as foreign changes, those of its own are not")
    func foreignChanges() throws {
        let (one, watching) = (try fixture.opened(), ManualFileWatching())
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        let other = FileStorage(at: fixture.file, calls: fixture.calls, watching: watching)
        _ = try other.load()
        other.watch { _ in }
        _ = try changes(other)
        for number in 2...3 {
            try other.append(batch(UInt64(number), ["b": .integer(Int64(number))]), durability: .buffered)
            watching.tell([.contents])
        }
        #expect(watching.foreignChangeCount == 0)
        try one.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        watching.tell([.contents])
        #expect(watching.foreignChangeCount == 1)
    }

    @Test("With a named lock, the changes of its last holder are found, although no event has told of them")
    func behindLock() throws {
        let one = try fixture.opened()
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        let other = FileStorage(at: fixture.file, calls: fixture.calls, watching: ManualFileWatching())
        _ = try other.load()
        other.watch { _ in }
        _ = try changes(other)
        try one.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        #expect(try changes(other) == [])
        let lease = try #require(try other.tryLock(named: "x"))
        #expect(try changes(other) == [ExternalChange(.values(["a": .integer(2)]))])
        other.unlock(lease)
    }

    @Test(
        "What follows a removal that another process took for a wish is merged, although only the journal was watched")
    func behindRemoval() throws {
        let watching = ManualFileWatching()
        let running = FileStorage(at: fixture.file, calls: fixture.calls, watching: watching)
        _ = try running.load()
        try running.append(batch(1, ["a": .integer(1)]), durability: .synced)
        #expect(try running.checkpoint(SettingTree(["a": .integer(1)]), for: .resting))
        running.watch { _ in }
        _ = try changes(running)
        try FileManager.default.removeItem(at: fixture.file)
        let other = try fixture.opened()
        for number in 1...2 {
            try other.append(batch(1, ["b": .integer(Int64(number))]), durability: .buffered)
            watching.tell([.contents])
            let told = try changes(running).filter { $0.content == .values(["b": .integer(Int64(number))]) }
            #expect(told.count == 1, "\(number)")
        }
        let values = SettingTree(["a": .integer(1), "b": .integer(2)])
        #expect(try fixture.freshLoad().tree == values && changes(other) != [])
    }

    @Test("However much there is, and wherever the watch stops to read, all of it is reported") func farAhead() throws {
        let one = FileStorage(at: fixture.file, calls: fixture.calls, journalLimit: 1 << 20)
        _ = try one.load()
        try one.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        let (other, watching) = try follower()
        var revision: UInt64 = 1
        for length in stride(from: 0, through: 640, by: 8) {
            for count in [1, 2, 9] {
                for number in 1...count {
                    revision += 1
                    let text = String(repeating: "x", count: length) + "\(number)"
                    try one.append(batch(revision, ["a": .string(text)]), durability: .buffered)
                }
                watching.tell([.contents])
                let told = try changes(other)
                #expect(
                    told.last
                        == ExternalChange(.values(["a": .string(String(repeating: "x", count: length) + "\(count)")])))
                #expect(other.token == one.token, "\(count) of \(length)")
            }
        }
    }
}
