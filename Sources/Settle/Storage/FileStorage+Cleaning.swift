extension FileStorage {
    /// Removes what writers that crashed have left behind.
    ///
    /// Who writes a file holds its lock, and the operating system takes the lock away when a process ends, so a file
    /// that can be locked has no writer. Between a writer's making of its file and its locking, and between its closing
    /// and its renaming, it has one nevertheless; that writer's rename fails then, and it saves again to another file.
    func removeAbandonedFiles(beside names: FileNames) {
        guard let found = try? operations.names(in: names.folder) else { return }
        for name in found where names.isTemporary(name) {
            let path = names.file.sibling(named: name)
            guard let file = try? operations.open(path, .read) else { continue }
            do {
                try operations.lock(file, at: path)
                try operations.remove(path)
            } catch {
                // It has a writer, or nobody can tell. It is left alone.
            }
            try? operations.close(file, at: path)
        }
    }
}
