import Settle
import SettleTesting
import Testing

/// What a commit whose answer was lost leaves behind.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct LostAnswerTests {
    private func opened(
        _ tree: SettingTree = SettingTree()
    ) async throws -> (base: InMemoryStorage, storage: TellingStorage, store: SettingsStore, settings: CounterSettings)
    {
        let base = InMemoryStorage(tree)
        let storage = TellingStorage(base)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        return (base, storage, store, try await store.group(CounterSettings.self))
    }

    @Test("A commit whose answer was lost stands if its repetition does not reach the storage")
    func unreachable() async throws {
        let base = InMemoryStorage()
        let storage = DroppedConnection(base)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        storage.failures.withLock { $0 = 2 }
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 1 } }
        #expect(base.tree["count"] == .integer(1))
        #expect(settings.count == 1)
        try await store.flush()
        #expect(settings.count == 1)
        #expect(base.tree["count"] == .integer(1))
    }

    @Test("A commit whose answer was lost is not appended again once the storage tells that it is stored")
    func told() async throws {
        let (base, storage, store, settings) = try await opened()
        storage.loseAnswer()
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 1 } }
        storage.tell(["count": .integer(1)])
        settings.name = "later"
        try await store.flush()
        #expect(settings.count == 1 && settings.name == "later")
        #expect(storage.stored.withLock { $0 } == [["count": .integer(1)], ["name": .string("later")]])
        #expect(base.tree == SettingTree(["count": .integer(1), "name": .string("later")]))
        try await store.close()
    }

    @Test("What is written over a commit whose answer was lost stands when that turns out to be stored")
    func overwritten() async throws {
        let (base, storage, store, settings) = try await opened()
        storage.loseAnswer()
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 1 } }
        storage.tell(["count": .integer(1)])
        settings.count = 2
        try await store.flush()
        #expect(settings.count == 2)
        #expect(base.tree == SettingTree(["count": .integer(2)]))
        try await store.close()
    }

    @Test("What others have stored before a batch whose answer was lost is not newer than what was written since")
    func ordered() async throws {
        let (base, storage, store, settings) = try await opened()
        storage.loseAnswer(refusingMore: true)
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.flush() }
        settings.count = 2
        await #expect(throws: SettingsError.self) { try await store.flush() }
        storage.tell(["count": .integer(1)], after: ["count": .integer(5)])
        storage.refuse(false)
        try await store.flush()
        #expect(settings.count == 2)
        #expect(base.tree == SettingTree(["count": .integer(2)]))
        try await store.close()
    }

    @Test("A commit behind one whose answer was lost is not refused, since it is not undone")
    func behind() async throws {
        let (base, storage, store, settings) = try await opened()
        storage.loseAnswer(isStored: false)
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 1 } }
        storage.refuse(true)
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { settings.name = "next" } }
        #expect((error?.underlying as? StorageError)?.isOutcomeUnknown == true)
        storage.refuse(false)
        try await store.flush()
        #expect(settings.name == "next")
        #expect(base.tree == SettingTree(["count": .integer(1), "name": .string("next")]))
        try await store.close()
    }

    @Test("Without a lock, nothing is written over what others have stored after a commit whose answer was lost")
    func contested() async throws {
        let (base, storage, store, settings) = try await opened(SettingTree(["other": .integer(1)]))
        storage.loseAnswer()
        await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.count = 1
                settings.other = 2
            }
        }
        storage.tell(["count": .integer(1), "other": .integer(2)])
        base.simulateExternalChange(["count": .integer(7)])
        try await store.flush()
        #expect(settings.count == 7)
        #expect(settings.other == 2)
        #expect(storage.stored.withLock { $0.count } == 1)
        #expect(base.tree == SettingTree(["count": .integer(7), "other": .integer(2)]))
        try await store.close()
    }

    @Test(
        "Without a lock, a commit that is given up after its answer was lost is not written back",
        arguments: [false, true])
    func givenUp(isStored: Bool) async throws {
        let (base, storage, store, settings) = try await opened(SettingTree(["other": .integer(1)]))
        storage.loseAnswer(isStored: isStored)
        await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.count = 1
                settings.other = 2
            }
        }
        base.simulateExternalChange(["count": .integer(7)])
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded)
        #expect(settings.count == 7 && settings.other == 1)
        // Now the storage finds out.
        if isStored { storage.tell(["other": .integer(2)]) }
        base.simulateExternalChange(["name": .string("next")])
        try await store.flush()
        #expect(settings.other == (isStored ? 2 : 1) && settings.name == "next")
        #expect(storage.stored.withLock { $0.count } == (isStored ? 1 : 0))
        #expect(base.tree["other"] == .integer(isStored ? 2 : 1))
        try await store.close()
    }
}

/// Stores a batch and loses the answer. Then nothing reaches it for a while, which it knows.
private final class DroppedConnection: StorageWrapper {
    let base: any Storage
    let failures = LockedValue(0)

    init(_ base: any Storage) { self.base = base }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let left = failures.withLock { left in
            defer { left = max(0, left - 1) }
            return left
        }
        if left == 1 { throw StorageError(.unavailable, "There is no connection, nothing was sent.") }
        let receipt = try await base.append(batch, durability: durability)
        if left == 2 { throw StorageError(.unavailable, "The connection was lost.", isOutcomeUnknown: true) }
        return receipt
    }
}

/// A storage without a lock that loses the answer of a batch, and tells later that it was stored.
private final class TellingStorage: StorageWrapper {
    private struct State {
        /// How many more appends fail.
        var failures = 0
        var isStored = true
        /// Whether all that come after these are refused.
        var refusesMore = false
        /// Whether appends surely store nothing.
        var isRefused = false
        var lost: StorageBatch?
        var news: [ExternalChange] = []
    }

    let base: any Storage
    /// The values of the batches, in their order.
    let stored = LockedValue<[[SettingKey: SettingValue?]]>([])
    private let state = LockedValue(State())

    init(_ base: InMemoryStorage) { self.base = base }

    func loseAnswer(isStored: Bool = true, refusingMore refusesMore: Bool = false) {
        state.withLock { $0 = State(failures: 2, isStored: isStored, refusesMore: refusesMore) }
    }

    func refuse(_ isRefused: Bool) { state.withLock { $0.isRefused = isRefused } }

    /// The next changes begin with what the lost batch has stored.
    ///
    /// - Parameter others: What others have stored before.
    func tell(_ values: [SettingKey: SettingValue?], after others: [SettingKey: SettingValue?] = [:]) {
        state.withLock { state in
            state.news = [ExternalChange(.values(values), batch: state.lost?.id)]
            if !others.isEmpty { state.news.insert(ExternalChange(.values(others)), at: 0) }
        }
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let (failures, isStored) = state.withLock { state in
            defer { state.failures = max(0, state.failures - 1) }
            if state.failures == 2 { state.lost = batch }
            if state.failures == 0, state.refusesMore { (state.isRefused, state.refusesMore) = (true, false) }
            return (state.failures, state.isStored)
        }
        if state.withLock({ $0.isRefused }) { throw StorageError(.unavailable, "The connection was refused.") }
        let lost = StorageError(.unavailable, "The connection was lost.", isOutcomeUnknown: true)
        if failures == 1 || failures == 2 && !isStored { throw lost }
        let receipt = try await base.append(batch, durability: durability)
        if !batch.values.isEmpty { stored.withLock { $0.append(batch.values) } }
        if failures == 2 { throw lost }
        return receipt
    }

    func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        guard let shared else { return StorageChanges([], position: position) }
        var found = try await shared.changes(after: position)
        found.changes =
            state.withLock { state in
                defer { state.news = [] }
                return state.news
            } + found.changes
        return found
    }
}
