import Settle
import Synchronization

/// A file storage that writes the whole file whenever it is asked to, also where it would rather wait.
final class EagerStorage: Storage {
    private let storage: FileStorage
    private let isEager = Atomic(false)
    private let count = Atomic(0)

    init(_ storage: FileStorage) {
        self.storage = storage
    }

    /// How often the file was written.
    var checkpoints: Int { count.load(ordering: .relaxed) }

    func becomeEager() {
        isEager.store(true, ordering: .relaxed)
    }

    func load() throws(StorageError) -> StorageContents { try storage.load() }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try storage.append(batch, durability: durability)
    }

    func checkpoint(_ tree: SettingTree, at moment: CheckpointMoment) throws(StorageError) -> Bool {
        guard isEager.load(ordering: .relaxed) else { return true }
        count.add(1, ordering: .relaxed)
        return try storage.checkpoint(tree, at: .closing)
    }

    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try storage.externalChanges(since: tree)
    }

    func watch(_ notify: @escaping @Sendable () -> Void) { storage.watch(notify) }
    func lock() throws(StorageError) { try storage.lock() }
    func unlock() { storage.unlock() }
    func close() { storage.close() }
}
