import Settle
import SettleTesting
import Testing

/// Rounds of commits on a storage without a lock, whose answers are lost while others store something.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnansweredRoundTests {
    private let place = InMemoryStorage()
    private let failing: FailingStorage
    private static let lost = StorageError(.unavailable, "There is no connection.", isOutcomeUnknown: true)

    init() { failing = FailingStorage(LocklessStorage(InMemoryStorage(sharing: place))) }

    /// Commits that run in one round, in this order.
    private func commitTogether(_ bodies: [@Sendable () -> Void], in store: SettingsStore) async -> [Task<
        Void, any Error
    >] {
        let hold = failing.hold(.lock)
        let queue = QueueOfTasks()
        var commits: [Task<Void, any Error>] = []
        for body in bodies {
            commits.append(Task(executorPreference: queue) { try await store.commit { body() } })
            await queue.waitUntilIdle()
            if commits.count == 1 { await hold.waitUntilReached() }
        }
        hold.release()
        return commits
    }

    @Test("A batch that is repeated behind others is not the newest: the next commit of its round runs again")
    func repeatedBehindOthers() async throws {
        let (store, settings) = try await CounterSettings.open(
            on: NarrowStorage(DeafStorage(base: failing), StorageLimits(keys: 1)), clock: ContinuousClock())
        failing.fail(.append, with: Self.lost, count: 1, moment: .after)
        let (first, second) = (failing.hold(.append), failing.hold(.append))
        let (runs, read) = (LockedValue(0), LockedValue<[String]>([]))
        let commits = await commitTogether(
            [
                {
                    runs.withLock { $0 += 1 }
                    settings.count += 1
                },
                {
                    read.withLock { $0.append(settings.name) }
                    settings.other += 1
                },
            ], in: store)
        await first.waitUntilReached()
        first.release()
        await second.waitUntilReached()
        place.simulateExternalChange(["name": .string("new")])
        second.release()
        for commit in commits { try await commit.value }
        #expect(runs.withLock { $0 } == 1 && read.withLock { $0 } == ["", "new"])
        #expect(settings.count == 1 && place.tree["count"] == .integer(1) && place.tree["other"] == .integer(1))
        try await store.close()
    }

    @Test("A commit that was left open is given up once its batch turns out to be refused") func refused() async throws
    {
        let (store, settings) = try await CounterSettings.open(on: DeafStorage(base: failing), clock: ContinuousClock())
        failing.fail(.append, with: Self.lost)
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        failing.heal()
        let hold = failing.hold(.append)
        let commit = Task { try await settings.commit { settings.other = settings.count } }
        await hold.waitUntilReached()
        place.simulateExternalChange(["count": .integer(5)])
        hold.release()
        try await commit.value
        #expect(place.tree["count"] == .integer(5) && place.tree["other"] == .integer(5))
        #expect(settings.count == 5 && settings.other == 5)
        try await store.close()
    }

    @Test("A flush that finds it so saves the rest, and says what was given up")
    func refusedWhileFlushing() async throws {
        let (store, settings) = try await CounterSettings.open(on: DeafStorage(base: failing), clock: ContinuousClock())
        failing.fail(.append, with: Self.lost)
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        settings.name = "kept"
        failing.heal()
        let hold = failing.hold(.append)
        let flush = Task { try await store.flush() }
        await hold.waitUntilReached()
        place.simulateExternalChange(["other": .integer(5)])
        hold.release()
        let error = await #expect(throws: SettingsError.self) { try await flush.value }
        #expect(error?.code == .superseded && error?.key == "count" && store.status == .saved)
        #expect(place.tree == SettingTree(["other": .integer(5), "name": .string("kept")]))
        try await store.close()
    }

    @Test("A commit that changes nothing does not take the write before it along, whatever becomes of it")
    func reading() async throws {
        let (store, settings) = try await CounterSettings.open(on: DeafStorage(base: failing), clock: ContinuousClock())
        failing.fail(.append, with: Self.lost)
        settings.name = "kept"
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { _ = settings.count } }
        #expect((error?.underlying as? StorageError)?.isOutcomeUnknown == true)
        place.simulateExternalChange(["other": .integer(5)])
        failing.heal()
        try await settings.commit { _ = settings.count }
        #expect(settings.name == "kept" && place.tree["name"] == .string("kept") && settings.other == 5)
        try await store.close()
    }

    @Test("A first commit that changes nothing does not leave open what others in its round have written")
    func readingFirst() async throws {
        let (store, settings) = try await CounterSettings.open(on: DeafStorage(base: failing), clock: ContinuousClock())
        // What it looks for when it is opened has been looked for.
        try await store.flush()
        place.simulateExternalChange(["count": .integer(5)])
        for commit in await commitTogether([{ _ = settings.count }, { settings.count += 1 }], in: store) {
            try await commit.value
        }
        #expect(place.tree["count"] == .integer(6))
        try await store.close()
    }

    @Test("A value that can't be saved fails its own commit, not the others of its round") func unencodable()
        async throws
    {
        let store = try await SettingsStore.open(storage: failing)
        let settings = try await store.group(PickySettings.self)
        let commits = await commitTogether(
            [{ settings.plain = 1 }, { settings.picky = 13 }, { _ = settings.plain }], in: store)
        try await commits[0].value
        let error = await #expect(throws: SettingsError.self) { try await commits[1].value }
        #expect(error?.code == .encodingFailed && error?.key == "picky")
        try await commits[2].value
        #expect(place.tree["plain"] == .integer(1))
        settings.picky = 1
        try await store.close()
    }
}

/// A storage that takes only so much at once.
private struct NarrowStorage: StorageWrapper {
    let base: any Storage
    let limits: StorageLimits

    init(_ base: any Storage, _ limits: StorageLimits) { (self.base, self.limits) = (base, limits) }
}
