import Settle
import SettleTesting
import Testing

/// What a commit whose answer was lost leaves behind.
@Suite(.timeLimit(.minutes(10))) struct LostAnswerTests {
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
