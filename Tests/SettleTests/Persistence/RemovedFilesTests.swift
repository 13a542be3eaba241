import Foundation
import Settle
import SettleTesting
import Testing

/// Stores whose files are removed while they are open.
@Suite(.timeLimit(.minutes(10))) struct RemovedFilesTests {
    private let temporary: TemporaryFolder
    private let file: URL

    init() throws {
        temporary = try TemporaryFolder()
        file = temporary.url.appending(path: "app/settings.json")
    }

    /// A store as another process has it.
    private func open(
        isWatched: Bool = false
    ) async throws -> (store: SettingsStore, settings: CounterSettings) {
        let watching: any FileWatching = isWatched ? SystemFileWatching.shared : ManualFileWatching()
        let storage = FileStorage(at: file, calls: POSIXSystemCalls(), watching: watching)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        return (store, settings)
    }

    private func freshTree() throws -> SettingTree {
        let calls = FaultySystemCalls()
        defer { calls.endProcess() }
        return try FileStorage(at: file, calls: calls).load().tree
    }

    /// At once, or a store that follows would fill it again meanwhile.
    private func removeFolder() throws {
        let away = temporary.url.appending(path: UUID().uuidString)
        try FileManager.default.moveItem(at: file.deletingLastPathComponent(), to: away)
        try FileManager.default.removeItem(at: away)
    }

    /// A file with values, that nobody has open.
    private func save(count: Int, name: String = "") async throws {
        let (store, settings) = try await open()
        try await settings.commit {
            settings.count = count
            settings.name = name
        }
        try await store.close()
    }

    @Test("a flush stores again what was removed, although nothing has changed, with and without waiting")
    func flush() async throws {
        let (store, settings) = try await open()
        try await settings.commit { settings.count = 7 }
        try removeFolder()
        try await store.flush()
        #expect(try freshTree()["count"] == .integer(7))
        try removeFolder()
        // As when a termination signal comes.
        try store.flushAndWait()
        #expect(try freshTree()["count"] == .integer(7))
    }

    @Test("closing stores again what was removed, although nothing has changed") func close() async throws {
        try await save(count: 7)
        let (store, _) = try await open()
        try removeFolder()
        try await store.close()
        #expect(try FileFormat.json.decode(Array(Data(contentsOf: file))).root == ["count": .integer(7)])
    }

    @Test("closing fails if what was removed can't be stored again, and the store stays open") func closeFails()
        async throws
    {
        let (store, settings) = try await open()
        try await settings.commit { settings.count = 7 }
        let folder = file.deletingLastPathComponent()
        try removeFolder()
        try Data().write(to: folder)
        await #expect(throws: SettingsError.self) { try await store.close() }
        try FileManager.default.removeItem(at: folder)
        try await store.close()
        #expect(try freshTree()["count"] == .integer(7))
    }

    @Test("a commit that has returned is whole, whatever was removed before and whatever becomes of the process")
    func commit() async throws {
        let (_, settings) = try await open()
        try await settings.commit {
            settings.count = 7
            settings.name = "old"
        }
        try removeFolder()
        // The number is no change, so that only what was removed had it.
        try await settings.commit {
            settings.count = 7
            settings.name = "new"
        }
        #expect(try freshTree().root == ["count": .integer(7), "name": .string("new")])
    }

    @Test("a removal is found out at once, told, and the file is written again") func noticed() async throws {
        try await save(count: 7)
        let (store, _) = try await open(isWatched: true)
        try await store.flush()
        let issues = ChangeRecorder(store.issues)
        try removeFolder()
        let seen = await issues.until { !$0.isEmpty }
        #expect(seen.first?.description.contains("has been removed") == true)
        #expect(try freshTree()["count"] == .integer(7))
    }

    @Test("what a process that opens what is left makes of it takes nothing from one that runs") func openedMeanwhile()
        async throws
    {
        try await save(count: 7, name: "old")
        let (store, settings) = try await open()
        // By then it has looked for the last time before it is told to.
        try await store.flush()
        try FileManager.default.removeItem(at: file)
        let (other, others) = try await open()
        try await others.commit { others.name = "new" }
        try await other.close()
        try await settings.commit { #expect(settings.count == 7 && settings.name == "new") }
        #expect(try freshTree().root == ["count": .integer(7), "name": .string("new")])
    }

    @Test("two stores from under which everything is removed keep what is in force in each") func two() async throws {
        let (first, one) = try await open()
        try await one.commit { one.count = 7 }
        let (second, other) = try await open()
        for number in 0..<20 {
            try removeFolder()
            one.count = number
            other.name = "\(number)"
            try await first.flush()
            try await second.flush()
            try await first.commit { #expect(one.count == number && one.name == "\(number)") }
            try await second.commit { #expect(other.count == number && other.name == "\(number)") }
            #expect(try freshTree().root == ["count": .integer(Int64(number)), "name": .string("\(number)")])
        }
        try await first.close()
        try await second.close()
    }
}
