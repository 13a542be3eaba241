import Settle
import Synchronization

/// A file storage controlled by a measurement: it writes the whole file on request, even when it would rather wait, or
/// never, and its watch can be turned off.
final class SteeredStorage: SharedStorage, CheckpointingStorage {
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

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        try storage.append(batch, durability: durability)
    }

    func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) throws(StorageError) -> Bool {
        guard isEager.load(ordering: .relaxed) else { return true }
        count.add(1, ordering: .relaxed)
        return try storage.checkpoint(tree, for: .closing)
    }

    var isAtRest: Bool { storage.isAtRest }

    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        storage.keptValues(forKey: key, insteadOf: stored)
    }

    func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) { try storage.keep(values) }
    func hasTraces(of key: SettingKey) throws(StorageError) -> Bool { try storage.hasTraces(of: key) }
    func keepPrivate() { storage.keepPrivate() }

    func changes(after position: StoragePosition) throws(StorageError) -> StorageChanges {
        try storage.changes(after: position)
    }

    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        if isWatched { storage.watch(handle) }
    }

    func lockForTransaction() throws(StorageError) -> StorageLease? { try storage.lockForTransaction() }
    func tryLock(named name: String) throws(StorageError) -> StorageLease? { try storage.tryLock(named: name) }
    func renew(_ lease: StorageLease) throws(StorageError) -> StorageLease { try storage.renew(lease) }
    func unlock(_ lease: StorageLease) { storage.unlock(lease) }
    func close() { storage.close() }
}
