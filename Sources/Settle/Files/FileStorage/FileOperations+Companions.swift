/// Files beside a settings file.
extension FileOperations {
    /// Removes what writers that crashed or failed have left behind.
    ///
    /// A writer of a file holds its lock, and the operating system takes the lock away when its process ends, so a file
    /// that can be locked has no writer. Between a writer's making of its file and its locking, and between its closing
    /// and its renaming, it has one nevertheless; that writer's rename fails then, and it saves again to another file.
    func removeAbandonedFiles(_ names: FileNames) {
        guard let found = try? self.names(in: names.folder) else { return }
        for name in found where names.isTemporary(name) {
            let path = names.file.sibling(named: name)
            guard let file = try? open(path, .read) else { continue }
            do {
                try lock(file, at: path)
                try remove(path)
            } catch {
                // It has a writer, or may have one. It is left alone.
            }
            try? close(file, at: path)
        }
    }

    /// Removes the versions before, for good.
    func removeEarlierVersions(_ names: FileNames) throws(FileError) {
        for path in [names.previous, names.beforeMigration] {
            do {
                try remove(path)
            } catch {
                guard error.cause == .notFound else { throw error }
            }
        }
        try synchronizeFolder(names.folder)
    }

    /// What is there only if there was a settings file.
    func remnant(of names: FileNames) throws(StorageError) -> FilePath? {
        for remnant in [names.previous, names.corrupt(1), names.corruptJournal(1)] {
            do {
                _ = try status(at: remnant)
                return remnant
            } catch {
                guard error.cause == .notFound else { throw .unreadable(remnant, error) }
            }
        }
        return nil
    }
}
