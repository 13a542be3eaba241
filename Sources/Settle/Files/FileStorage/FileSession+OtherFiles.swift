/// What else there is to see of earlier values.
extension FileSession {
    /// Writes values beside the file, for people, in place of those that stand there. Nothing reads them back.
    func keepVersion(_ tree: SettingTree) throws(StorageError) {
        let bytes = try spelling.encode(tree)
        var replacement = FileReplacement(operations, names: names, owner: file.owner)
        do throws(FileError) {
            try operations.makeFolders(names.folder)
            try replacement.run(bytes, at: names.beforeMigration)
        } catch {
            throw .notSaved(names.beforeMigration, error)
        }
    }

    /// Whether the file, the version before or the journal has a value at a key or within it, or has had one.
    func hasTraces(of key: SettingKey) throws(StorageError) -> Bool {
        for path in [names.file, names.previous, names.beforeMigration] {
            guard let reading = try operations.read(path), let tree = try? spelling.decode(reading.bytes) else {
                continue
            }
            if tree[key] != nil { return true }
        }
        do throws(FileError) {
            return try knownRecords().contains { $0.record.content.hasTraces(of: key) }
        } catch {
            throw .unreadable(journal.path, error)
        }
    }
}

extension JournalRecord.Content {
    fileprivate func hasTraces(of key: SettingKey) -> Bool {
        if case .base(let base) = self {
            return base.tree[key] != nil || base.mirrors.contains { $0.difference.contains { $0.hasTraces(of: key) } }
        }
        return batch?.entries.contains { $0.hasTraces(of: key) } == true
    }
}

extension JournalEntry {
    fileprivate func hasTraces(of other: SettingKey) -> Bool {
        var tree = SettingTree()
        tree[key] = value
        return tree[other] != nil
    }
}
