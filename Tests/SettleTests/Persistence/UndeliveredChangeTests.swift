import Settle
import SettleTesting
import Testing

/// External changes that arrive while the store can't merge them, because a writer is at work or it is closing.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UndeliveredChangeTests {
    private let fixture: FileStorageFixture
    private let failing: FailingStorage
    private let recording: RecordingStorage
    private let clock = ManualClock()
    private let other: FileStorage

    init() throws {
        fixture = try FileStorageFixture()
        failing = FailingStorage(fixture.storage())
        recording = RecordingStorage(failing)
        other = try fixture.opened()
    }

    private func open() async throws -> (SettingsStore, CounterSettings) {
        let store = try await SettingsStore.open(storage: recording, configuration: .init(clock: clock))
        return (store, try await store.group(CounterSettings.self))
    }

    private var file: SettingTree {
        get throws { try FileFormat.json.decode(Array(fixture.text().utf8)) }
    }

    @Test("An external change that arrives while a store closes is in the file that it writes")
    func closing() async throws {
        let (store, settings) = try await open()
        let hold = failing.hold(.append)
        settings.count = 1
        async let closing: Void = store.close()
        await hold.waitUntilReached()
        try other.append(batch(1, ["name": .string("theirs")]), durability: .synced)
        hold.release()
        try await closing
        #expect(recording.calls.contains { $0.operation == .checkpoint(.closing) })
        #expect(try file.root == ["count": .integer(1), "name": .string("theirs")])
        #expect(try fixture.freshLoad() == intact(["count": .integer(1), "name": .string("theirs")]))
    }

    @Test("An external change that arrives while a writer is at work is in the file written meanwhile")
    func writing() async throws {
        let (store, settings) = try await open()
        let recorder = ChangeRecorder(store.changes)
        let (append, gate) = (failing.hold(.append), Gate())
        settings.count = 1
        await append.waitUntilReached()
        // The other process's values are in the file before this store's next append.
        try other.save(batch(1, ["name": .string("theirs"), "other": .integer(1)]))
        async let writer: Void = onThread {
            settings.other = 2
            try? settings.update { gate.pass() }
        }
        await gate.waitUntilReached()
        append.release()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(20))
        let batches = await recording.batches(atLeast: 2)
        #expect(
            batches.last?.values == ["other": .integer(2)] && batches.last?.expectedValues == ["other": .integer(1)])
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        _ = await recording.calls { $0.contains { $0.operation == .checkpoint(.settled) } }
        let expected: SettingValue.Entries = ["count": .integer(1), "name": .string("theirs"), "other": .integer(2)]
        #expect(try file.root == expected)
        #expect(settings.name != "theirs")
        gate.open()
        await writer
        await recorder.until { $0.last?.origin == .external }
        #expect(settings.name == "theirs" && settings.other == 2)
        try await store.close()
        #expect(try fixture.freshLoad() == intact(expected))
    }

    @Test("A value that failed to save is not treated as stored when the file is edited")
    func unsaved() async throws {
        let (store, settings) = try await open()
        settings.count = 1
        try await store.flush()
        try other.save(batch(1, ["other": .integer(1)]), over: ["count": .integer(1)])
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.count = 2
        await #expect(throws: SettingsError.self) { try await store.flush() }
        _ = try other.externalChanges()
        try fixture.write(#"{"count": 1, "other": 1, "name": "edited"}"#)
        await #expect(throws: SettingsError.self) { try await store.commit { settings.list = [1] } }
        let told = try other.externalChanges()
        #expect(told == [ExternalChange(.values(["name": .string("edited")]))])
        #expect(settings.count == 2 && settings.name == "edited")
        failing.heal()
        try await store.close()
        #expect(try file["count"] == .integer(2) && file["name"] == .string("edited") && file["other"] == .integer(1))
    }
}
