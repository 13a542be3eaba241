import SettleTesting
import Testing

@testable import Settle

/// What becomes of values that could not be saved when others have stored something by the time in which they can be.
@Suite(.timeLimit(.minutes(10))) struct FailedSavesTests {
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

    /// Lets all appends fail, runs a commit or a write, and has it fail.
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

    @Test("A failed commit that is tried again does not undo what others have committed since then")
    func commit() async throws {
        let (store, settings) = try await open()
        let issues = ChangeRecorder(store.issues)
        await fail(store) { try await settings.commit { settings.count += 1 } }
        #expect(settings.count == 11)
        for count in 11...15 { base.simulateExternalChange(["count": .integer(Int64(count))], by: "B") }
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

    @Test("A failed commit is tried again as it is if others have changed nothing")
    func alone() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        try await store.flush()
        #expect(settings.count == 11 && value("count") == .integer(11) && store.statistics.supersededValues == 0)
    }

    @Test("The next commit builds on what others have stored, not on one that has failed", arguments: [false, true])
    func nextCommit(isVisit: Bool) async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        settings.name = "kept"
        base.simulateExternalChange(["count": .integer(15)], by: "B")
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

    @Test("A write on top of a failed commit goes with it")
    func onTop() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["count": .integer(15)], by: "B")
        settings.count += 1
        try await settings.commit { settings.other += 1 }
        #expect(settings.count == 15 && value("count") == .integer(15) && value("other") == .integer(2))
    }

    @Test(
        "The closure of a failed commit may have looked at anything, so it is given up if others have changed anything",
        arguments: [FailingStorage.Moment.before, .after])
    func anything(moment: FailingStorage.Moment) async throws {
        let (store, settings) = try await open()
        await fail(store, moment) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["other": .integer(7)], by: "B")
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded)
        // An append that throws may have been done, so that the value is written back.
        #expect(settings.count == 10 && value("count") == .integer(10) && settings.other == 7)
        #expect(recording.batches.last?.values == ["count": .integer(10)])
    }

    @Test("flushAndWait tells of what was given up too, once")
    func toldWithoutWaiting() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["count": .integer(15)], by: "B")
        let error = #expect(throws: SettingsError.self) { try store.flushAndWait() }
        #expect(error?.code == .superseded && error?.key == "count")
        try store.flushAndWait()
        #expect(settings.count == 15)
    }

    @Test("A plain value that was pending beside a failed commit does not go with it")
    func beside() async throws {
        let (store, settings) = try await open()
        await fail(store) {
            settings.name = "mine"
            try await settings.commit { settings.count += 1 }
        }
        base.simulateExternalChange(["other": .integer(7)], by: "B")
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "count")
        #expect(settings.count == 10 && settings.name == "mine" && value("name") == .string("mine"))
    }

    @Test("A failed commit is tried again if a storage tells everything that it has, and nothing of it is new")
    func nothingNew() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(base.tree)
        try await store.flush()
        #expect(settings.count == 11 && value("count") == .integer(11))
    }

    @Test("A value that could not be written back yet is not once others have stored another one")
    func notWrittenBack() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        base.simulateExternalChange(["other": .integer(7)], by: "B")
        failing.fail(.append, with: lost)
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.count == 10)
        base.simulateExternalChange(["count": .integer(15)], by: "B")
        failing.heal()
        // Once the loss has been told.
        _ = try? await store.flush()
        try await store.flush()
        #expect(settings.count == 15 && value("count") == .integer(15))
        #expect(recording.batches.allSatisfy { $0.values["count"] == nil })
    }

    @Test("A plain value that could not be saved is saved if others have changed other keys, and only then")
    func plain() async throws {
        let (store, settings) = try await open()
        await fail(store) {
            settings.count = 11
            settings.other = 2
        }
        base.simulateExternalChange(["count": .integer(15), "name": .string("theirs")], by: "B")
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "count")
        #expect(settings.count == 15 && settings.other == 2 && settings.name == "theirs")
        #expect(value("count") == .integer(15) && value("other") == .integer(2))
    }

    @Test("Values that were written together are saved together or not at all")
    func together() async throws {
        let store = try await SettingsStore.open(storage: recording, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(BalanceSettings.self)
        await fail(store, .after) {
            try settings.update {
                settings.left -= 100
                settings.right += 100
            }
        }
        base.simulateExternalChange(["left": .integer(300), "right": .integer(700)], by: "B")
        base.simulateExternalChange(["left": .integer(200), "right": .integer(800)], by: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.left == 200 && settings.right == 800)
        await fail(store) {
            try settings.update {
                settings.left -= 100
                settings.right += 100
            }
        }
        base.simulateExternalChange(["left": .integer(201)], by: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.left == 201 && settings.right == 800 && value("right") == .integer(800))
        try await store.close()
    }

    @Test("While the storage can't tell what others have stored, nothing is tried again")
    func blind() async throws {
        let (store, settings) = try await open()
        await fail(store) { try await settings.commit { settings.count += 1 } }
        failing.fail(.changes, with: lost)
        base.simulateExternalChange(["count": .integer(14)], by: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        base.simulateExternalChange(["count": .integer(15)], by: "B")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(recording.batches.isEmpty)
        failing.heal()
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(settings.count == 15 && value("count") == .integer(15))
    }

    // MARK: The rule by itself

    @Test("What was written together, however often and in which order, is one")
    func units() {
        var saves = FailedSaves()
        saves.take(["a", "b", "c", "d", "e"], writtenTogether: [["a", "b"], ["c", "d"], ["e"]])
        saves.appendFailed()
        saves.take(["b", "c"], writtenTogether: [["b", "c"]])
        saves.changedOutside(["a"])
        #expect(saves.lost == ["a", "b", "c", "d"] && saves.isReplaced("a") && !saves.isReplaced("b"))
        saves.gaveUp(saves.lost)
        #expect(saves.lost.isEmpty)
        saves.changedOutside(["b"])
        #expect(saves.lost == ["b"])
        saves.handedOver()
        #expect(!saves.isRetry && saves.lost.isEmpty)
    }

    @Test("What a failed commit has written is lost with any change, until something else writes it")
    func commits() {
        var saves = FailedSaves()
        saves.take(["a", "b"], writtenTogether: [])
        saves.appendFailed()
        saves.commitFailed(["a"])
        saves.changedOutside([])
        #expect(saves.lost == ["a"] && saves.isCommitted("a"))
        saves = FailedSaves()
        saves.appendFailed()
        saves.commitFailed(["a"])
        saves.take(["a"], writtenTogether: [])
        saves.changedOutside([])
        #expect(saves.lost.isEmpty)
    }
}
