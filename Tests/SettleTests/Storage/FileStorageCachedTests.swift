import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Loading without waiting.
///
/// Whether a file is in memory is up to the system, so each test allows that nothing is loaded at once.
@Suite(.timeLimit(.minutes(10))) struct FileStorageCachedTests {
    /// - Returns: The storage, and what it has loaded at once.
    private func load(
        _ fixture: FileStorageFixture, isReader: Bool = false
    ) -> (storage: FileStorage, contents: StorageContents?) {
        let storage = FileStorage(at: fixture.file)
        let calls = CachedSystemCalls()
        let contents = calls.place(of: FilePath(fixture.file)).flatMap { place in
            storage.loadAtOnce(place, by: calls, isReader: isReader)
        }
        return (storage, contents)
    }

    /// Stores and closes settings, so that the system has the files in memory.
    private func saved(_ values: [SettingKey: SettingValue?]) throws -> FileStorageFixture {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, values))
        storage.close()
        _ = try fixture.freshLoad()
        return fixture
    }

    @Test("What is loaded at once is what a load finds, and can be written like it", arguments: [false, true])
    func agreement(hasJournal: Bool) throws {
        let fixture = try hasJournal ? saved(["a": .integer(1)]) : FileStorageFixture()
        if !hasJournal { try fixture.write("{\"a\": 1}") }
        _ = try fixture.freshLoad()
        let (storage, contents) = load(fixture)
        let found = try contents ?? storage.load()
        #expect(found == intact(["a": .integer(1)]))
        try storage.append(batch(1, ["b": .integer(2)]), durability: .synced)
        #expect(try fixture.freshLoad() == intact(["a": .integer(1), "b": .integer(2)]))
        storage.close()
    }

    @Test("A load at once follows later changes of others") func following() throws {
        let fixture = try saved(["a": .integer(1)])
        let (storage, contents) = load(fixture, isReader: true)
        if contents == nil { _ = try storage.load() }
        let other = try fixture.opened()
        try other.append(batch(1, ["a": .integer(3)]), durability: .synced)
        let found = try storage.changes(after: StoragePosition(0))
        #expect(found.changes.contains { $0.content == .values(["a": .integer(3)]) })
    }

    @Test("A file with something to report is not loaded at once", arguments: ["{\"a\": ", "{\"a\": 2}", nil])
    func reports(edit: String?) throws {
        let fixture = try saved(["a": .integer(1)])
        if let edit { try fixture.write(edit) } else { try FileManager.default.removeItem(at: fixture.file) }
        let (storage, contents) = load(fixture)
        #expect(contents == nil)
        #expect(try storage.load() == fixture.freshLoad())
    }

    @Test("A refused load at once leaves no file open, and the storage can be loaded") func refusal() throws {
        let fixture = try saved(["a": .string(String(repeating: "a", count: CachedSystemCalls.partLimit))])
        let (storage, contents) = load(fixture)
        #expect(contents == nil)
        #expect(throws: StorageError.self) { try storage.append(batch(1, ["b": .integer(2)]), durability: .synced) }
        #expect(try storage.load() == fixture.freshLoad())
    }

    @Test("A storage that is closed stays closed") func closed() throws {
        let fixture = try saved(["a": .integer(1)])
        let storage = FileStorage(at: fixture.file)
        storage.close()
        let calls = CachedSystemCalls()
        if let place = calls.place(of: FilePath(fixture.file)) {
            #expect(storage.loadAtOnce(place, by: calls) == nil)
        }
        let error = #expect(throws: StorageError.self) { try storage.load() }
        #expect(error?.code == .closed)
    }
}
