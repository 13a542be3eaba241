import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Stores whose files are removed while open.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RemovedFilesTests {
    private let temporary: TemporaryFolder
    private let file: URL

    init() throws {
        temporary = try TemporaryFolder()
        file = temporary.url.appending(path: "app/settings.json")
    }

    /// A store such as another process would have.
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

    /// In one step, because a store that watches would refill the folder during a recursive removal.
    private func removeFolder() throws {
        let away = temporary.url.appending(path: UUID().uuidString)
        try FileManager.default.moveItem(at: file.deletingLastPathComponent(), to: away)
        try FileManager.default.removeItem(at: away)
    }

    /// Saves a file that no store has open.
    private func save(count: Int, name: String = "") async throws {
        let (store, settings) = try await open()
        try await settings.commit {
            settings.count = count
            settings.name = name
        }
        try await store.close()
    }

    @Test("A flush restores removed files without any change to save, and so does flushAndWait")
    func flush() async throws {
        let (store, settings) = try await open()
        try await settings.commit { settings.count = 7 }
        try removeFolder()
        try await store.flush()
        #expect(try freshTree()["count"] == .integer(7))
        try removeFolder()
        // As on a termination signal.
        try store.flushAndWait()
        #expect(try freshTree()["count"] == .integer(7))
    }

    @Test("Closing restores removed files without any change to save") func close() async throws {
        try await save(count: 7)
        let (store, _) = try await open()
        try removeFolder()
        try await store.close()
        #expect(try FileFormat.json.decode(Array(Data(contentsOf: file))).root == ["count": .integer(7)])
    }

    @Test("Closing fails if removed files can't be restored, and the store stays open")
    func closeFails() async throws {
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

    @Test("A commit that has returned is complete on disk, whatever was removed before")
    func commit() async throws {
        let (_, settings) = try await open()
        try await settings.commit {
            settings.count = 7
            settings.name = "old"
        }
        try removeFolder()
        // The number is not a change, so only the removed files had it.
        try await settings.commit {
            settings.count = 7
            settings.name = "new"
        }
        #expect(try freshTree().root == ["count": .integer(7), "name": .string("new")])
    }

    @Test("A removal is noticed at once, reported, and the file is written again") func noticed() async throws {
        try await save(count: 7)
        let (store, _) = try await open(isWatched: true)
        try await store.flush()
        let issues = ChangeRecorder(store.issues)
        try removeFolder()
        let seen = await issues.until { !$0.isEmpty }
        #expect(seen.first?.description.contains("has been removed") == true)
        #expect(try freshTree()["count"] == .integer(7))
    }

    @Test("A process that opens what is left takes no value from a running one")
    func openedMeanwhile() async throws {
        try await save(count: 7, name: "old")
        let (store, settings) = try await open()
        // After this the store looks at its files only when told to.
        try await store.flush()
        try FileManager.default.removeItem(at: file)
        let (other, others) = try await open()
        try await others.commit { others.name = "new" }
        try await other.close()
        try await settings.commit { #expect(settings.count == 7 && settings.name == "new") }
        #expect(try freshTree().root == ["count": .integer(7), "name": .string("new")])
    }

    @Test("Two stores whose files are removed keep all values in force in either") func two() async throws {
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

    @Test("A store that has not heard of a value makes removed files without it; who has it stores it again")
    func behind() async throws {
        let (first, one) = try await open()
        try await one.commit { one.count = 1 }
        let (second, other) = try await open()
        for number in 2..<20 {
            try await one.commit { one.count = number }
            try removeFolder()
            if number.isMultiple(of: 2) { other.name = "\(number)" }
            try await second.flush()
            try await first.flush()
            #expect(one.count == number)
            #expect(try freshTree()["count"] == .integer(Int64(number)))
            try await second.commit { #expect(other.count == number) }
        }
        try await first.close()
        try await second.close()
    }
}
