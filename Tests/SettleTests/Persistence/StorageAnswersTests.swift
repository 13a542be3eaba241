import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What the store makes of each answer that a storage may give.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StorageAnswersTests {
    private let memory = InMemoryStorage(SettingTree(["count": .integer(10)]))
    private let failing: FailingStorage
    private let recording: RecordingStorage

    init() {
        failing = FailingStorage(memory)
        recording = RecordingStorage(failing)
    }

    private static let noRoom = StorageError(.noSpace, "There is no room.")
    private static let lost = StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true)

    // MARK: Surely not stored

    @Test("A commit that was surely not stored is undone and throws", arguments: [false, true])
    func undone(isVisit: Bool) async throws {
        let (store, settings) = try await CounterSettings.open(on: recording)
        failing.fail(.append, with: Self.noRoom)
        let error = await #expect(throws: SettingsError.self) {
            if isVisit {
                try await settings.commitOnMainActor { $0.count += 1 }
            } else {
                try await settings.commit {
                    settings.count += 1
                    settings.name = "new"
                }
            }
        }
        #expect(error?.code == .storage && settings.count == 10 && settings.name == CounterSettings().name)
        failing.heal()
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(10)] && store.status == .saved)
        #expect(store.statistics.supersededValues == 0)
        try await settings.commit { settings.count += 1 }
        #expect(memory.tree["count"] == .integer(11))
    }

    @Test("An undone commit leaves what was written before it, which is saved later") func keepsEarlierWrites()
        async throws
    {
        let (store, settings) = try await CounterSettings.open(on: recording)
        failing.fail(.append, with: Self.noRoom)
        settings.count = 20
        settings.other = 2
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        #expect(settings.count == 20 && settings.other == 2)
        failing.heal()
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(20), "other": .integer(2)])
    }

    @Test("A commit that can't be undone at once, because another thread writes, is undone when that ends")
    func undoneLater() async throws {
        let (store, settings) = try await CounterSettings.open(on: recording)
        failing.fail(.append, with: Self.noRoom)
        settings.other = 2
        settings.count = 20
        let (ran, held) = (Flag(), LockedValue<StorageHold?>(nil))
        let commit = Task {
            try await settings.commit {
                held.withLock { $0 = failing.hold(.append) }
                ran.raise()
                settings.count += 1
                settings.other += 1
                settings.name = "new"
            }
        }
        try await eventually("the closure has run") { ran.isRaised }
        let hold = try #require(held.withLock { $0 })
        await hold.waitUntilReached()
        let gate = Gate()
        let writing = Task {
            await onThread {
                try? settings.update {
                    gate.pass()
                    settings.other = 70
                }
            }
        }
        await gate.waitUntilReached()
        hold.release()
        await #expect(throws: SettingsError.self) { try await commit.value }
        gate.open()
        await writing.value
        failing.heal()
        try await store.flush()
        #expect(settings.count == 20 && settings.other == 70 && settings.name == CounterSettings().name)
        #expect(memory.tree.root == ["count": .integer(20), "other": .integer(70)])
    }

    @Test("An undone commit leaves what was written over it") func keepsLaterWrites() async throws {
        let (store, settings) = try await CounterSettings.open(on: recording)
        failing.fail(.append, with: Self.noRoom)
        let hold = failing.hold(.append)
        let commit = Task {
            try await settings.commit {
                settings.count += 1
                settings.other = 2
            }
        }
        await hold.waitUntilReached()
        settings.count = 50
        hold.release()
        await #expect(throws: SettingsError.self) { try await commit.value }
        #expect(settings.count == 50 && settings.other == 0)
        failing.heal()
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(50)])
    }

    @Test("A subscriber sees an undone commit come and go, and no durable change of it") func seesTheUndoing()
        async throws
    {
        let (store, settings) = try await CounterSettings.open(on: recording)
        let (all, durable) = (ChangeRecorder(store.changes), ChangeRecorder(store.changes(.every, durableOnly: true)))
        failing.fail(.append, with: Self.noRoom)
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        failing.heal()
        settings.name = "end"
        try await store.flush()
        let seen = await all.until { $0.last?.mutations.last?.key == "name" }
        #expect(seen.map { $0.mutations.map(\.key) } == [["count"], ["count"], ["name"]])
        let kept = await durable.until { $0.last?.mutations.last?.key == "name" }
        #expect(!kept.contains { $0.mutations.contains { $0.newValue as? Int == 11 } })
    }

    // MARK: Unknown

    @Test("A batch whose answer was lost is repeated at once, as the same batch") func repeated() async throws {
        let (_, settings) = try await CounterSettings.open(on: recording)
        failing.fail(.append, with: Self.lost, count: 1, moment: .after)
        try await settings.commit { settings.count += 1 }
        let batches = recording.calls.compactMap(\.batch).filter { !$0.values.isEmpty }
        #expect(batches.count == 2 && batches[0].id == batches[1].id)
        #expect(memory.tree["count"] == .integer(11) && settings.count == 11)
    }

    @Test("A commit whose answers are lost stands, and the same batch comes first when saving works again")
    func stands() async throws {
        let (store, settings) = try await CounterSettings.open(on: recording)
        failing.fail(.append, with: Self.lost)
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        #expect(settings.count == 11)
        settings.other = 2
        failing.heal()
        try await store.flush()
        let batches = recording.calls.compactMap(\.batch).filter { !$0.values.isEmpty }
        let first = try #require(batches.first)
        let repeated = batches.filter { $0.id == first.id }
        #expect(repeated.count >= 2 && repeated.allSatisfy { $0 == first })
        let later = batches.filter { $0.id != first.id }
        #expect(
            later.allSatisfy { $0.values["count"] == nil }, "What the first batch has is not appended a second time.")
        #expect(memory.tree.root == ["count": .integer(11), "other": .integer(2)])
    }

    // MARK: Cost

    @Test("A commit on a remote storage costs three calls: lock, append, unlock") func threeCalls() async throws {
        let recording = RecordingStorage(RemoteStorage(memory))
        let (store, settings) = try await CounterSettings.open(on: recording)
        try await store.flush()
        let before = recording.calls.count
        try await settings.commit { settings.count += 1 }
        let calls = recording.calls.dropFirst(before).map(\.operation)
        #expect(calls.count == 3)
        guard calls.count == 3, case .lockForTransaction = calls[0], case .append(let batch, _) = calls[1],
            case .unlock = calls[2]
        else {
            Issue.record("\(calls)")
            return
        }
        #expect(batch.values == ["count": .integer(11)])
    }

    @Test("A commit on a remote storage without a lock costs one call") func oneCall() async throws {
        let recording = RecordingStorage(LocklessStorage(RemoteStorage(memory)))
        let (store, settings) = try await CounterSettings.open(on: recording)
        try await store.flush()
        let before = recording.calls.count
        try await settings.commit { settings.count += 1 }
        #expect(recording.calls.dropFirst(before).count { $0.batch != nil } == 1)
        #expect(recording.calls.dropFirst(before).filter { !$0.isSave && $0.operation != .lockForTransaction }.isEmpty)
    }

    @Test("While a storage call takes its time, reading, writing and the status do not wait") func nothingWaits()
        async throws
    {
        let (store, settings) = try await CounterSettings.open(on: recording)
        let hold = failing.hold(.append)
        async let commit: Void = settings.commit { settings.count += 1 }
        await hold.waitUntilReached()
        settings.name = "written meanwhile"
        try settings.update { settings.other = 3 }
        #expect(settings.count == 11 && settings.name == "written meanwhile" && store.status != .saved)
        hold.release()
        try await commit
        try await store.flush()
        #expect(
            memory.tree.root == ["count": .integer(11), "name": .string("written meanwhile"), "other": .integer(3)])
    }
}

extension StorageCall {
    fileprivate var batch: StorageBatch? {
        if case .append(let batch, _) = operation { batch } else { nil }
    }
}
