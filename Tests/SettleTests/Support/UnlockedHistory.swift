import Settle
import SettleTesting

/// A storage that can't be locked, and that others change just before an append.
final class UnlockedHistory: StorageWrapper {
    let base: any Storage
    let beforeAppend = LockedValue<(@Sendable () -> Void)?>(nil)

    init(base: any Storage) { self.base = base }

    func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let action = beforeAppend.withLock { action in
            defer { if !batch.values.isEmpty { action = nil } }
            return batch.values.isEmpty ? nil : action
        }
        action?()
        return try await base.append(batch, durability: durability)
    }
}
