import Foundation
import Settle

/// Keeps settings in a folder, with a file for each key at the outermost level.
actor FolderStorage: Storage {
    let folder: URL
    private var tree: SettingTree?
    private var lastBatch: StorageBatch.ID?
    private var isClosed = false

    init(at folder: URL) { self.folder = folder }

    func load() throws(StorageError) -> StorageContents {
        guard !isClosed else { throw StorageError(.closed, "\(folder.path) has been closed.") }
        tree = nil
        do {
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try sync(folder.deletingLastPathComponent())
            try finishBatch()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            var found = SettingTree()
            for name in names where name.hasSuffix(".value") {
                let key = name.dropLast(6).removingPercentEncoding ?? ""
                found.root[key] = try SettingValue(bytes: Data(contentsOf: file(of: key)))
            }
            tree = found
            return StorageContents(tree: found, outcome: names.isEmpty ? .absent : .intact)
        } catch {
            throw StorageError(.unreadable, "\(folder.path) can't be read: \(error)")
        }
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        guard !isClosed else { throw StorageError(.closed, "\(folder.path) has been closed.") }
        guard var new = tree else { throw StorageError(.unreadable, "\(folder.path) has not been read.") }
        for case (let key, let value?) in batch.values { try check(value, at: key) }
        do {
            try finishBatch()
            if !batch.values.isEmpty, batch.id != lastBatch {
                new.apply(batch.values)
                var changes = SettingValue.Entries()
                for name in batch.values.keys.map({ $0.components[0] }) where changes[name] == nil {
                    changes[name] = new.root[name].map { .data(Data($0.bytes)) } ?? .null
                }
                try Data(SettingValue.dictionary(changes).bytes).write(to: batchFile, options: .atomic)
                (tree, lastBatch) = (new, batch.id)
                try finishBatch()
            }
        } catch {
            throw StorageError(.writeFailed, "\(folder.path): \(error)", isOutcomeUnknown: batch.id == lastBatch)
        }
        return StorageReceipt(position: StoragePosition(batch.revision), durability: .synced)
    }

    nonisolated func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        try InMemoryStorage().check(value, at: key)  // What no storage can hold.
        guard file(of: key.components[0]).lastPathComponent.utf8.count <= 255 else {
            throw StorageError(.unsupportedValue, "“\(key)” is too long for the name of a file.")
        }
    }

    func close() { isClosed = true }

    /// Brings the files of the keys up to date with the last batch, which is in `batch` until they are.
    private func finishBatch() throws {
        let batch: Data
        do { batch = try Data(contentsOf: batchFile) } catch CocoaError.fileReadNoSuchFile { return }
        if batch.isEmpty { return }
        guard case .dictionary(let new) = try SettingValue(bytes: batch) else { throw CocoaError(.fileReadCorruptFile) }
        try sync(folder)
        for (name, change) in new {
            let file = file(of: name)
            if case .data(let bytes) = change {
                try bytes.write(to: file, options: .atomic)
            } else if FileManager.default.fileExists(atPath: file.path) {
                try FileManager.default.removeItem(at: file)
            }
        }
        try sync(folder)
        try Data().write(to: batchFile)
    }

    private func sync(_ folder: URL) throws { try FileHandle(forReadingFrom: folder).synchronize() }

    nonisolated private var batchFile: URL { folder.appending(component: "batch") }

    /// Capital letters are encoded too, since volumes that don't tell them from small ones are common.
    nonisolated private func file(of name: String) -> URL {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789")
        return folder.appending(component: "\(name.addingPercentEncoding(withAllowedCharacters: allowed)!).value")
    }
}
