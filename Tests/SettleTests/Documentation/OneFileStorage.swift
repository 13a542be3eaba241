import Foundation
import Settle

/// Keeps settings in one file, which each batch replaces.
actor OneFileStorage: Storage {
    let file: URL
    private var tree: SettingTree?
    private var lastBatch: StorageBatch.ID?
    private var isClosed = false

    init(at file: URL) { self.file = file }

    func load() throws(StorageError) -> StorageContents {
        guard !isClosed else { throw StorageError(.closed, "\(file.path) has been closed.") }
        tree = nil
        do {
            guard case .dictionary(let root) = try SettingValue(bytes: Data(contentsOf: file)) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            tree = SettingTree(root)
            return StorageContents(tree: SettingTree(root), outcome: .intact)
        } catch CocoaError.fileReadNoSuchFile {
            tree = SettingTree()
            return StorageContents(outcome: .absent)
        } catch {
            throw StorageError(.unreadable, "\(file.path) can't be read: \(error)")
        }
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        guard !isClosed else { throw StorageError(.closed, "\(file.path) has been closed.") }
        guard var new = tree else { throw StorageError(.unreadable, "\(file.path) has not been read.") }
        if !batch.values.isEmpty, batch.id != lastBatch {
            for case (let key, let value?) in batch.values { try check(value, at: key) }
            new.apply(batch.values)
            try replaceFile(with: new)
            (tree, lastBatch) = (new, batch.id)
        }
        return StorageReceipt(position: StoragePosition(batch.revision), durability: .synced)
    }

    func close() { isClosed = true }

    private func replaceFile(with tree: SettingTree) throws(StorageError) {
        var isReplaced = false
        do {
            try Data(SettingValue.dictionary(tree.root).bytes).write(to: file, options: .atomic)
            isReplaced = true
            try FileHandle(forReadingFrom: file.deletingLastPathComponent()).synchronize()
        } catch {
            throw StorageError(.writeFailed, "\(file.path) can't be saved: \(error)", isOutcomeUnknown: isReplaced)
        }
    }
}
