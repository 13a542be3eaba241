import Settle
import SettleTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct CommitTests {
    private let noSpace = StorageError(.noSpace, "There is no room.")

    private func syncs(_ calls: [StorageCall]) -> Int {
        calls.count { call in
            guard case .append(_, .synced) = call.operation else { return false }
            return true
        }
    }

    @Test("Commits that arrive together share appends and syncs, and each closure runs once")
    func shared() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.append)
        settings.name = "held"
        await hold.waitUntilReached()
        await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask { _ = try? await settings.commit { settings.count += 1 } }
            }
            // All commits wait for the persister's queue by the time a task has yielded this often.
            group.addTask {
                for _ in 0..<2_000 { await Task.yield() }
                hold.release()
            }
        }
        #expect(settings.count == 64 && store.revision == 65)
        let batches = recording.batches.map(\.values)
        #expect(batches.last?["count"] == .integer(64) && batches.count <= 4)
        #expect(syncs(recording.calls) <= 3)
        #expect("\(store.status)" == "saved")
    }

    @Test("Flushes that arrive together share one sync")
    func sharedFlushes() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.append)
        settings.count = 1
        await hold.waitUntilReached()
        // Each flush runs until it waits, so all have arrived when the append goes on.
        let flushes = (0..<16).map { _ in Task.immediate { try await store.flush() } }
        hold.release()
        for flush in flushes { try await flush.value }
        #expect(syncs(recording.calls) == 1)
    }

    @Test("A commit's sync stores nothing that was written after the commit's append")
    func laterWrite() async throws {
        let (store, clock, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.unlock)
        let commit = Task { try await settings.commit { settings.count = 1 } }
        await hold.waitUntilReached()
        settings.other = 2
        hold.release()
        try await commit.value
        let synced = recording.calls.compactMap { call -> StorageBatch? in
            if case .append(let batch, .synced) = call.operation { batch } else { nil }
        }
        #expect(synced.count == 1 && synced.allSatisfy(\.values.isEmpty))
        // After the pause that follows an append.
        clock.advance(by: .milliseconds(100))
        let batches = await recording.batches(atLeast: 2)
        #expect(batches.map(\.values) == [["count": .integer(1)], ["other": .integer(2)]])
        try await store.close()
    }

    @Test("A store's first batch has the store's identity, even that of a commit that changes nothing")
    func firstSync() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit {}
        try await settings.commit { settings.count = 1 }
        let stores = recording.calls.compactMap { call -> UInt64? in
            if case .append(let batch, _) = call.operation { batch.id.store } else { nil }
        }
        #expect(stores.count >= 2 && stores.first != 0 && Set(stores).count == 1)
        try await store.close()
    }

    @Test("A commit sees what other processes stored before it, and its closure runs once")
    func seesOthers() async throws {
        let memory = InMemoryStorage()
        let store = try await SettingsStore.open(storage: memory)
        let settings = try await store.group(CounterSettings.self)
        for round in 1...200 {
            memory.simulateExternalChange(["count": .integer(Int64(round * 10))], author: "other")
            let seen = try await settings.commit {
                let seen = settings.count
                settings.count += 1
                return seen
            }
            #expect(seen == round * 10 && memory.tree["count"] == .integer(Int64(round * 10 + 1)))
        }
    }

    @Test("A commit whose closure throws leaves nothing behind, not even the lock")
    func throwing() async throws {
        let memory = LockCountingStorage()
        let recording = RecordingStorage(memory)
        let store = try await SettingsStore.open(storage: recording)
        let settings = try await store.group(CounterSettings.self)
        await #expect(throws: TestFailure(number: 1)) {
            try await settings.commit {
                settings.count = 1
                throw TestFailure(number: 1)
            }
        }
        #expect(settings.count == 0 && recording.batches.isEmpty && !memory.isLocked)
        try await settings.commit { settings.count = 2 }
        #expect(recording.batches.map(\.values) == [["count": .integer(2)]] && !memory.isLocked)
    }

    @Test("If the storage can't be locked, a commit throws before its closure runs")
    func unlockable() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.lock, with: noSpace, count: 1)
        let ran = Flag()
        let unbegun = await #expect(throws: SettingsError.self) { try await settings.commit { ran.raise() } }
        #expect(unbegun?.code == .commitNotBegun && unbegun?.underlying as? StorageError == noSpace)
        #expect(unbegun?.description == "The commit could not begin, and nothing has changed: There is no room.")
        #expect(!ran.isRaised && settings.count == 0)
        try await settings.commit { ran.raise() }
        #expect(ran.isRaised)
        failing.fail(.append, with: noSpace, count: 1)
        let unsaved = await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 1 } }
        #expect(unsaved?.code == .storage)
    }

    @Test("The closure of an actor's commit runs on that actor")
    func isolated() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let owner = Owner(settings)
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { try await owner.commit() }
                group.addTask { try await settings.commit { settings.other += 1 } }
            }
            try await group.waitForAll()
        }
        #expect(await owner.count == 100 && settings.count == 100 && settings.other == 100)
        await #expect(throws: TestFailure(number: 2)) { try await owner.fail() }
        try await settings.commit { settings.other += 1 }
    }

    @Test("A commit waits for a writer, while flushes go ahead")
    func busyWriter() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let gate = Gate()
        async let update: Void = onThread { try? settings.update { gate.pass() } }
        await gate.waitUntilReached()
        async let commit: Void = settings.commit { settings.count = 1 }
        for _ in 0..<50 { try await onThread { Result { try store.flushAndWait() } }.get() }
        #expect(settings.count == 0)
        gate.open()
        await update
        try await commit
        #expect(settings.count == 1)
    }

    @Test("flushAndWait inside a write throws, because it would wait for itself")
    func flushInside() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let inUpdate = try settings.update { thrown { try store.flushAndWait() } as? SettingsError }
        #expect(inUpdate?.code == .flushInsideWrite)
        let inCommit = try await settings.commit { thrown { try store.flushAndWait() } as? SettingsError }
        #expect(inCommit?.code == .flushInsideWrite)
    }

    @Test("The status gives the exact time of the oldest unsaved change, even after failed saves")
    func age() async throws {
        let (store, clock, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let changes = ChangeRecorder(settings.changes)
        settings.count = 1
        let first = try #require(await changes.next()).time
        _ = await recording.batches(atLeast: 1)
        #expect(store.status.oldestUnsavedChange == first)
        clock.advance(by: .milliseconds(100))
        settings.count = 2
        let second = try #require(await changes.next()).time
        #expect(
            store.status.oldestUnsavedChange == first
                && store.status.age(at: second) == .seconds(second.timeIntervalSince(first)))
        #expect(store.status.age(at: first.addingTimeInterval(-5)) == .zero)
        failing.fail(.syncedAppend, with: noSpace)
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(store.status.oldestUnsavedChange == first)
        failing.heal()
        let hold = failing.hold(.syncedAppend)
        async let flush: Void = store.flush()
        await hold.waitUntilReached()
        clock.advance(by: .milliseconds(1))
        settings.count = 3
        let third = try #require(await changes.next()).time
        #expect(store.status.oldestUnsavedChange == first)
        hold.release()
        try await flush
        #expect(store.status.oldestUnsavedChange == third)
        try await store.flush()
        #expect(store.status.oldestUnsavedChange == nil && store.status.age() == .zero)
    }
}

private actor Owner {
    private let settings: CounterSettings
    private(set) var count = 0

    init(_ settings: CounterSettings) {
        self.settings = settings
    }

    func commit() async throws {
        try await settings.commit {
            count += 1
            settings.count += 1
        }
    }

    func fail() async throws {
        try await settings.commit { throw TestFailure(number: 2) }
    }
}

/// A storage that tells whether it is locked.
private final class LockCountingStorage: StorageWrapper {
    let base: any Storage = InMemoryStorage()
    private let locks = Atomic(0)

    var isLocked: Bool { locks.load(ordering: .acquiring) != 0 }

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        let lease = try await shared?.lockForTransaction()
        locks.add(1, ordering: .acquiringAndReleasing)
        return lease
    }

    func unlock(_ lease: StorageLease) async {
        locks.subtract(1, ordering: .acquiringAndReleasing)
        await shared?.unlock(lease)
    }
}
