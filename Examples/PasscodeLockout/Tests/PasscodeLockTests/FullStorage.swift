import Settle
import SettleTesting
import Synchronization

/// A storage on a disk without room: what needs none, such as a sync, succeeds.
final class FullStorage: StorageWrapper {
    let base: any Storage
    private let isFull = Atomic(false)

    init(_ storage: any Storage) {
        base = storage
    }

    func fill() { isFull.store(true, ordering: .sequentiallyConsistent) }

    func makeRoom() { isFull.store(false, ordering: .sequentiallyConsistent) }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        guard batch.values.isEmpty || !isFull.load(ordering: .sequentiallyConsistent) else {
            throw StorageError(.noSpace, "The disk of this test is full.")
        }
        return try await base.append(batch, durability: durability)
    }
}
