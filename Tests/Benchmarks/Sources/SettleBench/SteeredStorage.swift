import Settle
import Synchronization

/// A file storage, with what a measurement needs: it writes the whole file when it is asked to, also where it would rather
/// wait, or not at all, and can be left alone by the watch.
final class SteeredStorage: Storage {
    private let storage: FileStorage
    private let isWatched: Bool
    private let isEager = Atomic(false)
    private let count = Atomic(0)

    init(_ storage: FileStorage, isWatched: Bool = true) {
        self.storage = storage
        self.isWatched = isWatched
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

    func checkpoint(_ tree: SettingTree, at moment: CheckpointReason) throws(StorageError) -> Bool {
        guard isEager.load(ordering: .relaxed) else { return true }
        count.add(1, ordering: .relaxed)
        return try storage.checkpoint(tree, at: .closing)
    }

    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try storage.externalChanges(since: tree)
    }

    func watch(_ notify: @escaping @Sendable () -> Void) {
        if isWatched { storage.watch(notify) }
    }

    func lock() throws(StorageError) { try storage.lock() }
    func unlock() { storage.unlock() }
    func close() { storage.close() }
}
