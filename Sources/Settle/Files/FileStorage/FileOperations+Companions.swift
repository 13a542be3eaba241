/// Files beside a settings file.
extension FileOperations {
    /// Removes files that writers have left behind after a crash or failure.
    ///
    /// A writer of a file holds its lock, and the operating system releases the lock when the process ends. So a file
    /// that can be locked has no writer, with two exceptions: between making the file and locking it, and between
    /// closing it and renaming it. If the file is removed then, the writer's rename fails, and it saves again to
    /// another file.
    func removeAbandonedFiles(_ names: FileNames) {
        for folder in names.folders { removeAbandonedFiles(names, in: folder) }
    }

    private func removeAbandonedFiles(_ names: FileNames, in folder: FilePath) {
        guard let found = try? self.names(in: folder) else { return }
        for name in found where names.isTemporary(name) {
            let path = folder.appending(name)
            guard let file = try? open(path, .read) else { continue }
            do {
                try lock(file, at: path)
                try remove(path)
            } catch {
                // It has a writer, or may have one. Leave it alone.
            }
            try? close(file, at: path)
        }
    }

    /// Removes the earlier versions for good.
    func removeEarlierVersions(_ names: FileNames) throws(FileError) {
        for path in names.earlierVersions + [names.beforeMigration] {
            do {
                try remove(path)
            } catch {
                // A folder with the name of a version is not one.
                guard error.cause == .notFound || kindOfReplacement(of: path) != nil else { throw error }
            }
        }
        for folder in names.folders { try synchronizeFolder(folder) }
    }

    /// Returns the kind of what has the name of a file and is not one; `nil` for a file, or if nothing has the name.
    func kindOfReplacement(of path: FilePath) -> FileStatus.Kind? {
        guard let kind = try? status(at: path).kind, kind != .file, kind != .symbolicLink else { return nil }
        return kind
    }

    /// Moves the replaced file out of the configuration folder, or removes it if that fails. Nothing is lost then: the
    /// journal has everything.
    func keepDisplaced(_ names: FileNames) {
        // A folder that could not be set aside is not a version.
        guard names.isStateApart, kindOfReplacement(of: names.displaced) == nil else { return }
        do throws(FileError) {
            try rename(names.displaced, to: names.previous)
        } catch {
            // The folder is on another file system, or the file is another user's.
            try? remove(names.displaced)
        }
    }

    /// Returns the path of a file that can only exist if there was a settings file.
    func remnant(of names: FileNames) throws(StorageError) -> FilePath? {
        for remnant in names.earlierVersions + [names.corrupt(1), names.corruptJournal(1)] {
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
