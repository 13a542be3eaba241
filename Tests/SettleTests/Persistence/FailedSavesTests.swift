import SettleTesting
import Testing

@testable import Settle

/// Failed saves, and what becomes of their values once other processes have stored something.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct FailedSavesTests {
    private let lost = StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true)
    private let base = InMemoryStorage(
        SettingTree(["count": .integer(10), "other": .integer(1), "left": .integer(500), "right": .integer(500)]))
    private let failing: FailingStorage
    private let recording: RecordingStorage

    init() {
        failing = FailingStorage(base)
        recording = RecordingStorage(failing)
    }

    private func open() async throws -> (SettingsStore, CounterSettings) {
        let store = try await SettingsStore.open(storage: recording, configuration: .init(clock: ManualClock()))
        return (store, try await store.group(CounterSettings.self))
    }

    /// Makes all appends fail, performs a write or a commit, and flushes in vain.
    private func fail(
        _ store: SettingsStore, _ moment: FailingStorage.Moment = .before, _ write: () async throws -> Void
    )
        async
    {
        failing.fail(.append, with: lost, moment: moment)
        _ = try? await write()
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .storage)
        failing.heal()
    }

    private func value(_ key: SettingKey) -> SettingValue? { base.tree[key] }

    @Test("A commit that was appended but not synced stays in force, and is not appended again", arguments: [1, 2])
    func unsynced(number: Int) async throws {
        let (store, settings) = try await open()
        failing.fail(.syncedAppend, with: StorageError(.noSpace, "There is no room."), count: 1)
        let commits = (0..<number).map { _ in Task { try await settings.commit { settings.count += 1 } } }
        for commit in commits { _ = await commit.result }
        #expect(settings.count == 10 + number)
        try await store.flush()
        #expect(store.status == .saved && value("count") == .integer(Int64(10 + number)))
        let counts = recording.batches.compactMap { $0.values["count"] }
        #expect(Set(counts).count == counts.count, "each value is appended once")
        try await store.close()
    }

    @Test("Retrying a failed commit does not undo what other processes have committed since")
    func commit() async throws {
        let (store, settings) = try await open()
        let issues = ChangeRecorder(store.issues)
        await fail(store) { try await settings.commit { settings.count += 1 } }
        #expect(settings.count == 11)
        for count in 11...15 { base.simulateExternalChange(["count": .integer(Int64(count))], author: "B") }
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "count")
        #expect(settings.count == 15 && value("count") == .integer(15))
        #expect(recording.batches.allSatisfy { $0.values["count"] == nil })
        let seen = await issues.until { $0.contains { $0.code == .superseded } }
        #expect(seen.last?.description.contains("the commit that wrote it failed") == true)
        #expect(store.statistics.supersededValues == 1)
        try await store.flush()
        #expect(store.status == .saved)
    }

    @Test("A cancelled flush leaves the report of a value that was given up to the next flush")
    func cancelled() async throws {
        let (store, settings) = try await open()
        await fail(store) { settings.count += 1 }
        base.simulateExternalChange(["count": .integer(15)])
        let hold = failing.hold(.lock)
        let flush = Task { try await store.flush() }
        await hold.waitUntilReached()
        flush.cancel()
        await #expect(throws: CancellationError.self) { try await flush.value }
        hold.release()
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "count")
        try await store.flush()
        try await store.close()
    }

    @Test("A failed commit is retried unchanged if other processes have changed nothing")
    func alone() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        try await store.flush()
        #expect(settings.count == 11 && value("count") == .integer(11) && store.statistics.supersededValues == 0)
    }

    @Test("A commit builds on what other processes stored, not on a failed commit before it", arguments: [false, true])
    func nextCommit(isVisit: Bool) async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        settings.name = "kept"
        base.simulateExternalChange(["count": .integer(15)], author: "B")
        if isVisit {
            try await Self.increment(settings)
        } else {
            try await settings.commit { settings.count += 1 }
        }
        #expect(settings.count == 16 && value("count") == .integer(16) && value("name") == .string("kept"))
    }

    @MainActor private static func increment(_ settings: CounterSettings) async throws {
        try await settings.commit { settings.count += 1 }
    }

    @Test("A write on top of a failed commit is given up with it")
    func onTop() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["count": .integer(15)], author: "B")
        settings.count += 1
        try await settings.commit { settings.other += 1 }
        #expect(settings.count == 15 && value("count") == .integer(15) && value("other") == .integer(2))
    }

    @Test(
        "A failed commit is given up if other processes have changed anything at all",
        arguments: [FailingStorage.Moment.before, .after])
    func anything(moment: FailingStorage.Moment) async throws {
        let (store, settings) = try await open()
        await fail(store, moment) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["other": .integer(7)], author: "B")
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded)
        // An append that throws may still have stored its values, so the old value is written back.
        #expect(settings.count == 10 && value("count") == .integer(10) && settings.other == 7)
        #expect(recording.batches.last?.values == ["count": .integer(10)])
    }

    @Test("flushAndWait reports given-up values too, once")
    func toldWithoutWaiting() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["count": .integer(15)], author: "B")
        let error = #expect(throws: SettingsError.self) { try store.flushAndWait() }
        #expect(error?.code == .superseded && error?.key == "count")
        try store.flushAndWait()
        #expect(settings.count == 15)
    }

    @Test("A plain write pending beside a failed commit is not given up with it")
    func beside() async throws {
        let (store, settings) = try await open()
        await fail(store) {
            settings.name = "mine"
            try await settings.commit { settings.count += 1 }
        }
        base.simulateExternalChange(["other": .integer(7)], author: "B")
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "count")
        #expect(settings.count == 10 && settings.name == "mine" && value("name") == .string("mine"))
    }

    @Test("A failed commit is retried if the storage reports all its values and none of them is new")
    func nothingNew() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(base.tree)
        try await store.flush()
        #expect(settings.count == 11 && value("count") == .integer(11))
    }

    @Test("A write-back that failed is dropped once other processes have stored another value")
    func notWrittenBack() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["other": .integer(7)], author: "B")
        failing.fail(.append, with: lost)
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.count == 10)
        base.simulateExternalChange(["count": .integer(15)], author: "B")
        failing.heal()
        // The first flush reports the loss.
        _ = try? await store.flush()
        try await store.flush()
        #expect(settings.count == 15 && value("count") == .integer(15))
        #expect(recording.batches.allSatisfy { $0.values["count"] == nil })
    }

    @Test("A failed plain write is saved if other processes changed only other keys, and given up otherwise")
    func plain() async throws {
        let (store, settings) = try await open()
        await fail(store) {
            settings.count = 11
            settings.other = 2
        }
        base.simulateExternalChange(["count": .integer(15), "name": .string("theirs")], author: "B")
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "count")
        #expect(settings.count == 15 && settings.other == 2 && settings.name == "theirs")
        #expect(value("count") == .integer(15) && value("other") == .integer(2))
    }

    @Test("Values written together are saved together or not at all")
    func together() async throws {
        let store = try await SettingsStore.open(storage: recording, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(BalanceSettings.self)
        await fail(store, .after) {
            try settings.update {
                settings.left -= 100
                settings.right += 100
            }
        }
        base.simulateExternalChange(["left": .integer(300), "right": .integer(700)], author: "B")
        base.simulateExternalChange(["left": .integer(200), "right": .integer(800)], author: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.left == 200 && settings.right == 800)
        await fail(store) {
            try settings.update {
                settings.left -= 100
                settings.right += 100
            }
        }
        base.simulateExternalChange(["left": .integer(201)], author: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.left == 201 && settings.right == 800 && value("right") == .integer(800))
        try await store.close()
    }

    @Test("Nothing is retried while the storage can't tell what other processes have stored")
    func blind() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        failing.fail(.changes, with: lost)
        base.simulateExternalChange(["count": .integer(14)], author: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        base.simulateExternalChange(["count": .integer(15)], author: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(recording.batches.isEmpty)
        failing.heal()
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.count == 15 && value("count") == .integer(15))
    }
}
