/// What the files still show of earlier values.
extension FileSession {
    /// Whether the file, the version before or the journal has a value at a key or within it, or has had one.
    func hasTraces(of key: SettingKey) throws(StorageError) -> Bool {
        for path in [names.file, names.previous, names.beforeMigration] {
            guard let reading = try read(path), let tree = try? decode(reading.bytes) else { continue }
            if tree[key] != nil { return true }
        }
        do throws(FileError) {
            return try knownRecords().contains { $0.record.content.batch?.hasTraces(of: key) == true }
        } catch {
            throw .unreadable(journal.path, error)
        }
    }
}

extension JournalBatch {
    fileprivate func hasTraces(of key: SettingKey) -> Bool {
        if tree?[key] != nil { return true }
        return entries.contains { entry in
            var values = [entry.value]
            if case .value(let before) = entry.before { values.append(before) }
            return values.contains { value in
                guard let value else { return false }
                var tree = SettingTree()
                tree[entry.key] = value
                return tree[key] != nil
            }
        }
    }
}
