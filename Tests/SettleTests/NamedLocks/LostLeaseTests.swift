import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Commits under several named locks that are stored together, while one of the locks is lost.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct LostLeaseTests {
    @Test(
        "Only the commit whose lock is lost fails; the others run again", arguments: [false, true], [false, true])
    func innocent(isLockless: Bool, isVisit: Bool) async throws {
        let place = InMemoryStorage()
        let names = LosingStorage(place)
        let failing = FailingStorage(isLockless ? LocklessStorage(names) : names)
        let (store, settings) = try await CounterSettings.open(on: failing)
        let queue = QueueOfTasks()
        let (held, gates) = (LockedValue(0), (0..<3).map { _ in AsyncStream<Void>.makeStream() })
        let runs = LockedValue(0)
        let commit = { @Sendable (name: String?, gate: AsyncStream<Void>) in
            let work = { @Sendable in
                held.withLock { $0 += 1 }
                for await _ in gate {}
                let add = { @Sendable (settings: CounterSettings) in
                    runs.withLock { $0 += 1 }
                    if name == "lost" { settings.other += 1 } else { settings.count += 1 }
                }
                if isVisit {
                    try await settings.commitOnMainActor { add($0) }
                } else {
                    try await settings.commit { add(settings) }
                }
            }
            guard let name else { return try await work() }
            try await store.withLock(named: name, work)
        }
        let tasks = zip(["lost", "kept", nil], gates).map { name, gate in
            Task(executorPreference: queue) { try await commit(name, gate.stream) }
        }
        try await eventually("three tasks hold their locks") { held.withLock { $0 >= 3 } }
        // While the storage is busy, all of them arrive.
        let hold = failing.hold(.append)
        settings.name = "first"
        let flush = Task { try await store.flush() }
        await hold.waitUntilReached()
        for gate in gates { gate.continuation.finish() }
        await queue.waitUntilIdle()
        names.lose("lost")
        hold.release()
        try await flush.value
        let error = await #expect(throws: SettingsError.self) { try await tasks[0].value }
        #expect(error?.code == .lockLost && error?.description.contains("“lost”") == true)
        for task in tasks[1...] { try await task.value }
        #expect(settings.count == 2 && settings.other == 0)
        #expect(place.tree["count"] == .integer(2) && place.tree["other"] == nil)
        if !isVisit { #expect(names.largestRound == 2 && runs.withLock { $0 } == 5, "They were not stored together.") }
        try await store.close()
    }
}

/// Frees a named lock behind the back of its holder.
private final class LosingStorage: StorageWrapper {
    private struct State {
        var leases: [String: StorageLease] = [:]
        /// The most leases that a batch was stored under.
        var largestRound = 0
    }

    private let memory: InMemoryStorage
    private let state = LockedValue(State())

    init(_ memory: InMemoryStorage) { self.memory = memory }

    var base: any Storage { memory }
    var largestRound: Int { state.withLock { $0.largestRound } }

    func lose(_ name: String) {
        if let lease = state.withLock({ $0.leases[name] }) { memory.unlock(lease) }
    }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        let lease = try memory.tryLock(named: name)
        state.withLock { $0.leases[name] = lease }
        return lease
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let count = batch.conditions.count { if case .under(let lease) = $0 { lease.name != nil } else { false } }
        state.withLock { $0.largestRound = max($0.largestRound, count) }
        return try await memory.append(batch, durability: durability)
    }
}
