import Settle
import Synchronization

/// A storage at which something happens whenever it is locked.
struct InterruptedStorage: Storage {
    private let storage: InMemoryStorage
    private let interruption: @Sendable (_ isFirst: Bool) -> Void
    private let numbers = Numbers()

    init(_ storage: InMemoryStorage, _ interruption: @escaping @Sendable (_ isFirst: Bool) -> Void) {
        self.storage = storage
        self.interruption = interruption
    }

    func load() throws(StorageError) -> StorageContents { try storage.load() }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try storage.append(batch, durability: durability)
    }

    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try storage.externalChanges(since: tree)
    }

    func watch(_ notify: @escaping @Sendable () -> Void) { storage.watch(notify) }

    func lock() throws(StorageError) {
        interruption(numbers.next() == 1)
        try storage.lock()
    }

    func unlock() { storage.unlock() }

    func tryReserve(_ name: String) throws(StorageError) -> Bool { try storage.tryReserve(name) }

    func giveUp(_ name: String) { storage.giveUp(name) }

    func close() { storage.close() }
}
