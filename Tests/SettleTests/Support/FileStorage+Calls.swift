import Settle
import Testing

/// Shorter calls, for a storage whose lease says nothing more and whose changes have no place but now.
extension FileStorage {
    func externalChanges() throws(StorageError) -> [ExternalChange] {
        try changes(after: StoragePosition(0)).changes
    }

    func lock() throws(StorageError) {
        _ = try lockForTransaction()
    }

    func unlock() {
        unlock(StorageLease(position: StoragePosition(0)))
    }

    /// - Returns: False if another storage holds the lock.
    func lock(named name: String) throws(StorageError) -> Bool {
        try tryLock(named: name) != nil
    }

    func unlock(named name: String) {
        unlock(StorageLease(name: name, position: StoragePosition(0)))
    }

    /// A checkpoint of a storage that has what it needs for it already.
    func checkpoint() throws(StorageError) {
        _ = try checkpoint(SettingTree(), for: .settled)
    }

    /// Appends a batch and writes the resting form, as a store does when changes have settled.
    func save(_ batch: StorageBatch, over root: SettingValue.Entries = [:]) throws {
        try append(batch, durability: .buffered)
        var tree = SettingTree(root)
        tree.apply(batch.values)
        #expect(try checkpoint(tree, for: .resting))
    }
}
