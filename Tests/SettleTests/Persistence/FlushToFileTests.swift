import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Flushing to the file.
@Suite(.timeLimit(.minutes(10))) struct FlushToFileTests {
    @Test("flush(toFile:) returns once the readable file has everything; flush need not write it")
    func file() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let clock = ManualClock()
            let store = try await SettingsStore.open(at: file, configuration: .init(clock: clock))
            let settings = try await store.group(CounterSettings.self)
            // Larger than files that are written with every save.
            settings.name = String(repeating: "x", count: 20_000)
            try await store.flush()
            #expect(!FileManager.default.fileExists(atPath: file.path))
            for count in 1...3 {
                settings.count = count
                try await store.file.flush()
                #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("\"count\": \(count)"))
            }
            // Without a new value nothing is written.
            let before = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? UInt64
            try await store.file.flush()
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? UInt64 == before)
            try await store.close()
            await #expect(throws: SettingsError.self) { try await store.file.flush() }
        }
    }

    @Test("flush(toFile:) throws while the file has an unreadable edit, and leaves the edit alone")
    func edited() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let store = try await SettingsStore.open(at: file)
            let settings = try await store.group(CounterSettings.self)
            try await store.file.flush()
            settings.count = 1
            try Data("{ half".utf8).write(to: file)
            let error = await #expect(throws: SettingsError.self) { try await store.file.flush() }
            #expect(error?.description.contains("journal") == true)
            #expect(try Data(contentsOf: file) == Data("{ half".utf8))
            try Data("{}".utf8).write(to: file)
            try await store.file.flush()
            #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("\"count\": 1"))
            try await store.close()
        }
    }

    @Test("flush(toFile:) throws if its checkpoint fails, although the values are stable") func failing() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.checkpoint, with: StorageError(.noSpace, "There is no room."))
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.file.flush() }
        #expect(recording.batches.map(\.values) == [["count": .integer(1)]])
        failing.heal()
        try await store.file.flush()
        #expect(recording.calls.count { $0.operation == .checkpoint(.requested) } == 2)
    }

    @Test("flush(toFile:) waits for a commit in progress elsewhere and writes no part of it")
    func duringCommit() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let writer = SlowWriter()
        let gate = Gate()
        let committing = Task {
            try await writer.commit(settings) {
                settings.count = 1
                gate.pass()
                settings.other = 1
            }
        }
        await gate.waitUntilReached()
        let hasBegun = Flag()
        let flushing = Task {
            hasBegun.raise()
            try await store.file.flush()
        }
        try await eventually("the flush has begun") { hasBegun.isRaised }
        // Each flush goes through the same queue several times, so whatever does not wait has had its turn.
        for _ in 0..<20 { try await store.flush() }
        #expect(!recording.calls.contains { $0.operation == .checkpoint(.requested) })
        gate.open()
        try await committing.value
        try await flushing.value
        let operations = recording.calls.map(\.operation)
        #expect(operations.contains(.checkpoint(.requested)))
        let saved = recording.batches.reduce(into: SettingTree()) { $0.apply($1.values) }
        #expect(saved.root == ["count": .integer(1), "other": .integer(1)])
    }
}

/// Commits on its own thread, which may block.
private actor SlowWriter {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func commit(_ settings: CounterSettings, _ body: @Sendable () -> Void) async throws {
        try await settings.commit { body() }
    }
}
