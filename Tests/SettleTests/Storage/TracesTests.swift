import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What a store still knows of settings that were edited away.
@Suite(.timeLimit(.minutes(10))) struct TracesTests {
    private let fixture: FileStorageFixture

    init() throws {
        fixture = try FileStorageFixture()
    }

    private func open() async throws -> SettingsStore {
        try await SettingsStore.open(storage: FileStorage(at: fixture.file, calls: fixture.calls))
    }

    private func traces(in store: SettingsStore, of paths: String...) async throws -> [Bool] {
        var found: [Bool] = []
        for path in paths { found.append(try await store.file.hasTraces(at: path)) }
        return found
    }

    /// Stores a value in a group, and closes the store.
    private func stored() async throws {
        let store = try await open()
        let settings = try await store.group(CounterSettings.self, at: "lock")
        try await settings.commit { settings.count = 1 }
        try await store.close()
    }

    @Test("A new store has no traces, and one with a value has") func newStoreTraces() async throws {
        let store = try await open()
        let settings = try await store.group(CounterSettings.self, at: "lock")
        #expect(try await traces(in: store, of: "lock") == [false])
        settings.other = 1
        #expect(try await traces(in: store, of: "lock", "lock.other") == [true, true])
        #expect(try await traces(in: store, of: "lock.count", "loc") == [false, false])
        try await store.close()
        await #expect(throws: SettingsError.self) { try await store.file.hasTraces(at: "lock") }
    }

    @Test("Settings that were edited away have traces", arguments: ["{}", #"{"x": 1}"#, #"{"lock": {}}"#, ""])
    func editedAway(text: String) async throws {
        try await stored()
        try fixture.write(text)
        let store = try await open()
        #expect(try await traces(in: store, of: "lock", "lock.count") == [true, true])
        #expect(try await traces(in: store, of: "x.y", "lock.other") == [false, false])
        try await store.close()
    }

    @Test(
        "Either of the files beside the readable one is enough",
        arguments: [".settings.json.journal", ".settings.json.previous"])
    func oneFile(gone: String) async throws {
        try await stored()
        try await stored(in: "other")
        try fixture.write(#"{"x": 1}"#)
        try FileManager.default.removeItem(at: fixture.folder.appending(path: gone))
        let store = try await open()
        #expect(try await traces(in: store, of: "lock") == [true])
        try await store.close()
    }

    /// Another value, after which there is a version before the last one.
    private func stored(in path: String) async throws {
        let store = try await open()
        let settings = try await store.group(CounterSettings.self, at: path)
        try await settings.commit { settings.count = 1 }
        try await store.file.flush()
        try await store.close()
    }

    @Test("What was edited away while the store was open has traces until they are erased")
    func editedAwayWhile() async throws {
        let store = try await open()
        let settings = try await store.group(CounterSettings.self, at: "lock")
        try await settings.commit { settings.count = 1 }
        try await store.file.flush()
        try fixture.write(#"{"x": 1}"#)
        try await settings.commit {}
        #expect(settings.count == 0)
        #expect(try await traces(in: store, of: "lock") == [true])
        try await store.file.eraseEarlierValues()
        #expect(try await traces(in: store, of: "lock", "x") == [false, true])
        try await store.close()
    }

    @Test("A storage that can't be read throws") func storageReadThrows() async throws {
        try await stored()
        try fixture.write(#"{"x": 1}"#)
        let store = try await open()
        fixture.calls.fail(every: .read, with: .inputOutput)
        await #expect(throws: SettingsError.self) { try await store.file.hasTraces(at: "lock") }
        fixture.calls.heal()
        #expect(try await traces(in: store, of: "lock") == [true])
    }

    @Test("A storage in memory shows what it has") func storageMemoryShows() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(SettingTree(["a": .integer(1)])))
        #expect(try await traces(in: store, of: "a", "b") == [true, false])
    }
}
