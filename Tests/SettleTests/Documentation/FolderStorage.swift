import Foundation
import Settle

/// Keeps settings in a folder: each version in a folder of its own, with a file for each key.
actor FolderStorage: Storage {
    let folder: URL
    private var state = StorageState()

    init(at folder: URL) { self.folder = folder }

    func load() throws(StorageError) -> StorageContents {
        try state.load {
            guard let newest = try versions().last else { return nil }
            var tree = SettingTree()
            for name in try FileManager.default.contentsOfDirectory(atPath: place(newest).path) {
                let file = try Data(contentsOf: place(newest).appending(component: name))
                for (key, value) in try SettingTree(bytes: file).root { tree.root[key] = value }
            }
            return tree
        }
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        try state.append(batch) { tree in
            let (old, new) = (try versions(), folder.appending(component: "new"))
            try? FileManager.default.removeItem(at: new)
            try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
            for (number, (key, value)) in tree.root.enumerated() {
                let file = new.appending(component: "\(number)")
                try Data(SettingTree([key: value]).bytes).write(to: file, options: .atomic)
            }
            try sync(new)
            try FileManager.default.moveItem(at: new, to: place((old.last ?? 0) + 1))
            do {
                for folder in [folder, folder.deletingLastPathComponent()] { try sync(folder) }
            } catch {
                throw StorageError(.writeFailed, "\(folder.path): \(error)", isOutcomeUnknown: true)
            }
            for version in old { try? FileManager.default.removeItem(at: place(version)) }
        }
    }

    func close() { state.close() }

    private func versions() throws -> [Int] {
        guard (try? folder.checkResourceIsReachable()) == true else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap { Int($0) }.sorted()
    }

    private func place(_ version: Int) -> URL { folder.appending(component: "\(version)") }

    private func sync(_ folder: URL) throws { try FileHandle(forReadingFrom: folder).synchronize() }
}
