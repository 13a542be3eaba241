import Dispatch
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// A storage that blocks the thread on which it is called, as one may.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct BlockingStorageTests {
    private let memory = InMemoryStorage()
    private let clock = ManualClock()

    @Test("A blocked append is cancelled at the limit, and the queue goes on")
    func blockedAppendCancelled() async throws {
        let storage = BlockingStorage(memory, limit: .seconds(1))
        let (_, settings, store) = try await open(storage)
        storage.block()
        let commit = Task { try await settings.commit { settings.count = 1 } }
        // The batch is appended twice.
        for round in 1...2 {
            try await storage.blocked(round)
            await clock.deadlines { $0.contains { $0.sinceStart == .seconds(round) } }
            clock.advance(by: .seconds(1))
        }
        let error = await #expect(throws: SettingsError.self) { try await commit.value }
        #expect(error?.description.hasPrefix("The commit may have been stored, so it stays in force: ") == true)
        #expect(storage.cancellations == 2 && settings.count == 1)
        storage.unblock()
        try await store.flush()
        #expect(memory.tree["count"] == .integer(1))
        try await store.close()
    }

    @Test("A lease is renewed while an append blocks") func leaseRenewedWhile() async throws {
        let storage = BlockingStorage(memory, timeToLive: .seconds(9))
        let (_, settings, store) = try await open(storage)
        try await store.withLock(named: "work") {
            storage.block()
            async let commit: Void = settings.commit { settings.count = 1 }
            try await storage.blocked(1)
            for round in 1...5 {
                await clock.deadlines { $0.contains { $0.sinceStart <= .seconds(3 * round) } }
                clock.advance(by: .seconds(3))
                try await eventually("renewal \(round) has come") { storage.renewals >= round }
            }
            storage.unblock()
            try await commit
        }
        #expect(memory.tree["count"] == .integer(1))
        try await store.close()
    }

    private func open(_ storage: BlockingStorage) async throws -> (any Storage, CounterSettings, SettingsStore) {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        return (storage, try await store.group(CounterSettings.self), store)
    }
}

/// Its appends block their thread until they are cancelled, or may go on.
private final class BlockingStorage: StorageWrapper {
    private struct State {
        var isBlocking = false
        var blocked = 0
        var cancellations = 0
        var renewals = 0
    }

    private let memory: InMemoryStorage
    private let limit: Duration?
    private let timeToLive: Duration?
    private let state = LockedValue(State())
    private let end = DispatchSemaphore(value: 0)

    init(_ memory: InMemoryStorage, limit: Duration? = nil, timeToLive: Duration? = nil) {
        self.memory = memory
        self.limit = limit
        self.timeToLive = timeToLive
    }

    var base: any Storage { memory }
    var limits: StorageLimits { StorageLimits(time: limit) }
    var cancellations: Int { state.withLock { $0.cancellations } }
    var renewals: Int { state.withLock { $0.renewals } }

    func block() { state.withLock { $0.isBlocking = true } }

    func unblock() {
        state.withLock { $0.isBlocking = false }
        end.signal()
    }

    /// Returns once so many appends have been blocked.
    func blocked(_ count: Int) async throws {
        try await eventually("\(count) appends are blocked") { state.withLock { $0.blocked >= count } }
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let isBlocked = state.withLock { state in
            if state.isBlocking { state.blocked += 1 }
            return state.isBlocking
        }
        if isBlocked {
            let isCancelled = await withTaskCancellationHandler {
                wait()
                return state.withLock { $0.isBlocking }
            } onCancel: {
                state.withLock { $0.cancellations += 1 }
                end.signal()
            }
            if isCancelled { throw StorageError(.unavailable, "No answer.", isOutcomeUnknown: true) }
        }
        return try await memory.append(batch, durability: durability)
    }

    private func wait() { end.wait() }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        var lease = try memory.tryLock(named: name)
        lease?.timeToLive = timeToLive
        return lease
    }

    func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        state.withLock { $0.renewals += 1 }
        return lease
    }
}
