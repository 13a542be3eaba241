/// Puts new contents in a file's place so that every reader, also one after a crash, sees the old or the new.
///
///     make a new file beside it ▶ write ▶ sync ▶ keep the previous version ▶ rename ▶ sync the folder
///
/// A failure before the rename leaves the old file as it was and removes
/// the new one. A failure after it leaves the new contents in place, but perhaps not on stable storage; then the only
/// way on is another replacement with another new file, since a sync that failed once may succeed the second time
/// without having written anything.
package struct FileReplacement: Sendable {
    /// What becomes of the version that is replaced.
    package enum Previous: Sendable, Hashable {
        /// It is gone.
        case drop
        /// It gets the name ``FileNames/previous``: its bytes are on stable storage.
        case keep
        /// The same, but nobody knows whether its bytes are on stable storage: they are synced first. Otherwise the
        /// one version that is known to be safe could be given up for one that is not.
        case syncAndKeep
    }

    package let operations: FileOperations
    package let names: FileNames
    package let previous: Previous
    /// Whether nobody but the user may read the new contents, whoever could read the old ones.
    package let isPrivate: Bool
    /// Whom the new file is for, if there is none that it replaces.
    package let owner: FileStatus.Owner?
    /// Whether the new contents stand at the file's path.
    package private(set) var isInPlace = false

    /// Whether the version that was replaced stands at ``FileNames/previous``.
    package private(set) var hasKeptPrevious = false

    package init(
        _ operations: FileOperations, names: FileNames, previous: Previous, isPrivate: Bool = true,
        owner: FileStatus.Owner? = nil
    ) {
        self.operations = operations
        self.names = names
        self.previous = previous
        self.isPrivate = isPrivate
        self.owner = owner
    }

    /// What nobody but the user may read.
    private static let privatePermissions: UInt16 = 0o600

    /// - Parameter isStillWanted: Asked when everything is ready for the rename.
    /// - Returns: False if it was not wanted any more. The old file is as it was then.
    package mutating func run(
        _ bytes: [UInt8], isStillWanted: () -> Bool = { true }
    ) throws(FileError) -> Bool {
        let current = currentStatus
        let new = names.newTemporary()
        let file = try operations.open(new, .createNew(permissions: Self.privatePermissions))
        do {
            operations.keepOwner(current?.owner ?? owner, of: file, at: new)
            try write(bytes, to: file, at: new, isPrivate ? nil : current?.permissions)
            guard isStillWanted() else {
                try operations.remove(new)
                return false
            }
            keepPrevious()
            try operations.rename(new, to: names.file)
        } catch {
            // What can't be removed now is found by its name and removed by a later load.
            try? operations.remove(new)
            throw error
        }
        isInPlace = true
        if hasKeptPrevious, current?.permissions != Self.privatePermissions {
            // Not earlier, because until now it was the file itself, which others may read.
            try? operations.setPermissions(at: names.previous, to: Self.privatePermissions)
        }
        try operations.synchronizeFolder(names.folder)
        return true
    }

    /// That of the file that is to be replaced; `nil` if there is none, or nobody can tell.
    private var currentStatus: FileStatus? {
        guard let status = try? operations.status(at: names.file), status.kind == .file else { return nil }
        return status
    }

    private func write(
        _ bytes: [UInt8], to file: FileDescriptor, at path: FilePath, _ permissions: UInt16?
    ) throws(FileError) {
        do {
            // Tells others that the file has an owner. Without locks nobody removes it either.
            try? operations.lock(file, at: path)
            // The process's mask may have taken away permissions that the user needs.
            try operations.setPermissions(of: file, at: path, to: permissions ?? Self.privatePermissions)
            try operations.writeAll(bytes, to: file, at: path)
            try operations.synchronize(file, at: path)
        } catch {
            try? operations.close(file, at: path)
            throw error
        }
        // Before the rename, because some file systems report a failed write only here.
        try operations.close(file, at: path)
    }

    /// Nothing depends on the previous version until the file is damaged, so a failure here is no failure of the save.
    private mutating func keepPrevious() {
        guard previous != .drop else { return }
        do {
            if previous == .syncAndKeep { try synchronizeCurrent() }
            do {
                try operations.remove(names.previous)
            } catch {
                guard error.cause == .notFound else { throw error }
            }
            try operations.link(names.file, to: names.previous)
            hasKeptPrevious = true
        } catch {}
    }

    private func synchronizeCurrent() throws(FileError) {
        let current = try operations.open(names.file, .read)
        defer { try? operations.close(current, at: names.file) }
        try operations.synchronize(current, at: names.file)
    }
}
