/// Replaces a file's contents atomically: every reader, even after a crash, sees the old contents or the new ones.
///
///     make a new file beside it ▶ write ▶ sync ▶ keep the previous version ▶ rename ▶ sync the folder
///
/// A failure before the rename leaves the old file as it was and removes the new one. A failure after it leaves the new
/// contents in place, but perhaps not on stable storage. Then only another replacement with another new file helps,
/// since a sync that failed once may succeed the second time without having written anything.
package struct FileReplacement: Sendable {
    /// What becomes of the replaced version.
    package enum Previous: Sendable, Hashable {
        /// It is removed.
        case drop
        /// It is kept as ``FileNames/previous``. Its bytes are on stable storage.
        case keep
        /// As `keep`, but its bytes may not be on stable storage, so they are synced first. Otherwise the one version
        /// known to be safe could be given up for one that is not.
        case syncAndKeep
    }

    package let operations: FileOperations
    package let names: FileNames
    package let previous: Previous
    /// Whether only the user may read the new contents, whatever the old permissions.
    package let isPrivate: Bool
    /// The owner of the new file, if it replaces none.
    package let owner: FileStatus.Owner?
    /// Whether the new contents are at the file's path.
    package private(set) var isInPlace = false

    /// Whether the replaced version is at ``FileNames/previous``.
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

    /// Readable and writable by the user only.
    private static let privatePermissions: UInt16 = 0o600

    /// - Parameters:
    ///   - path: What the new contents replace; by default the file.
    ///   - isStillWanted: Called when everything is ready for the rename.
    /// - Returns: False if the replacement was no longer wanted. The old file is unchanged then.
    package mutating func run(
        _ bytes: [UInt8], at path: FilePath? = nil, isStillWanted: () -> Bool = { true }
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
            try keepPrevious()
            try operations.rename(new, to: path ?? names.file)
        } catch {
            // If removal fails, a later load finds the file by its name and removes it.
            try? operations.remove(new)
            throw error
        }
        isInPlace = true
        if hasKeptPrevious, current?.permissions != Self.privatePermissions {
            // Not before the rename: until then this was the current file, which others may read.
            try? operations.setPermissions(at: names.previous, to: Self.privatePermissions)
        }
        try operations.synchronizeFolder(names.folder)
        return true
    }

    /// The status of the file to be replaced; `nil` if there is none or it can't be read.
    private var currentStatus: FileStatus? {
        guard let status = try? operations.status(at: names.file), status.kind == .file else { return nil }
        return status
    }

    private func write(
        _ bytes: [UInt8], to file: FileDescriptor, at path: FilePath, _ permissions: UInt16?
    ) throws(FileError) {
        do {
            // The lock marks the file as in use. Without locks, other processes don't remove it either.
            try? operations.lock(file, at: path)
            // The process's umask may have removed permissions that the user needs.
            try operations.setPermissions(of: file, at: path, to: permissions ?? Self.privatePermissions)
            try operations.write(bytes, to: file, at: path)
            try operations.synchronize(file, at: path)
        } catch {
            try? operations.close(file, at: path)
            throw error
        }
        // Close before the rename: some file systems report a failed write only here.
        try operations.close(file, at: path)
    }

    /// Errors are ignored, since the previous version matters only once the file is damaged. A refusal is not: somebody
    /// else has put something in its place.
    private mutating func keepPrevious() throws(FileError) {
        guard previous != .drop else { return }
        do throws(FileError) {
            if previous == .syncAndKeep { try synchronizeCurrent() }
            do {
                try operations.remove(names.previous)
            } catch {
                guard error.cause == .notFound else { throw error }
            }
            try operations.link(names.file, to: names.previous)
            hasKeptPrevious = true
        } catch {
            if error.cause.rule != nil { throw error }
        }
    }

    private func synchronizeCurrent() throws(FileError) {
        let current = try operations.open(names.file, .read)
        defer { try? operations.close(current, at: names.file) }
        try operations.synchronize(current, at: names.file)
    }
}
