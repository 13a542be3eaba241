/// Replaces a file's contents atomically: every reader, even after a crash, sees the old contents or the new ones.
///
///     make a new file beside it ▶ write ▶ sync ▶ rename to .previous ▶ exchange with the file ▶ sync the folder
///
/// So a file at the path is never overwritten: whatever it is, it has the other name afterwards. A failure before the
/// exchange leaves the old file as it was and removes the new one. A failure after it leaves the new contents at the
/// path, but perhaps not on stable storage. Then only another replacement with another new file helps, because a sync
/// that failed once may succeed the second time without having written anything.
package struct FileReplacement: Sendable {
    package let operations: FileOperations
    package let names: FileNames
    /// Whether the replaced file stays, as ``FileNames/displaced``.
    package let keepsReplaced: Bool
    /// Whether only the user may read the new contents, whatever the old permissions.
    package let isPrivate: Bool
    /// The owner of the new file, if it does not replace one.
    package let owner: FileStatus.Owner?
    /// Whether the new contents are at the file's path.
    package private(set) var isInPlace = false
    /// Whether the replaced file is at ``FileNames/displaced``.
    package private(set) var hasKeptReplaced = false

    package init(
        _ operations: FileOperations, names: FileNames, keepsReplaced: Bool = false, isPrivate: Bool = true,
        owner: FileStatus.Owner? = nil
    ) {
        self.operations = operations
        self.names = names
        self.keepsReplaced = keepsReplaced
        self.isPrivate = isPrivate
        self.owner = owner
    }

    /// Readable and writable by the user only.
    private static let privatePermissions: UInt16 = 0o600

    /// - Parameter path: The path that the new contents replace; by default the file.
    package mutating func run(_ bytes: [UInt8], at path: FilePath? = nil) throws(FileError) {
        let current = currentStatus
        let new = names.newTemporary(for: path)
        if current == nil, names.isStateApart { try prepareFolder(new.folder) }
        let file = try operations.open(new, .createNew(permissions: Self.privatePermissions))
        do {
            operations.keepOwner(current?.owner ?? owner, of: file, at: new)
            try write(bytes, to: file, at: new, isPrivate ? nil : current?.permissions)
            if keepsReplaced { try exchange(new) } else { try operations.rename(new, to: path ?? names.file) }
        } catch {
            // If removal fails, a later load finds the file by its name and removes it.
            try? operations.remove(new)
            throw error
        }
        isInPlace = true
        if hasKeptReplaced, current?.permissions != Self.privatePermissions,
            // Without them, a folder that was put at the path a moment ago could not be entered.
            (try? operations.status(at: names.displaced).kind) == .file
        {
            // Not before: until then this was the current file, which others may read.
            try? operations.setPermissions(at: names.displaced, to: Self.privatePermissions)
        }
        try operations.synchronizeFolder(new.folder)
    }

    /// Makes the folder of a new file, and its name durable: without its folder the file would look as if it had been
    /// removed, although the journal says that it is there. The lock, which is elsewhere, excludes others from a new
    /// folder too, but another process may have made this one a moment ago.
    private func prepareFolder(_ folder: FilePath) throws(FileError) {
        try operations.makeFolders(folder)
        try operations.synchronizeParents(of: folder)
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

    // MARK: The exchange

    /// The errors that mean that a file system, a system or a sandbox has no exchange.
    private static let unavailable: Set<SystemError> = [.unimplemented, .invalidArgument, .notSupported, .notPermitted]

    private mutating func exchange(_ new: FilePath) throws(FileError) {
        try operations.rename(new, to: names.displaced)
        do throws(FileError) {
            while try !takePlace() {}
        } catch {
            if Self.unavailable.contains(error.cause), error.cause.rule == nil {
                try operations.rename(names.displaced, to: new)
                try replaceLinked(new)
            } else {
                try? operations.remove(names.displaced)
                throw error
            }
        }
    }

    /// - Returns: False if another program has just put a file at the path, which had none before.
    private mutating func takePlace() throws(FileError) -> Bool {
        do {
            try operations.exchange(names.displaced, names.file)
            hasKeptReplaced = true
            return true
        } catch {
            guard error.cause == .notFound else { throw error }
        }
        do {
            try operations.link(names.displaced, to: names.file)
            try? operations.remove(names.displaced)
        } catch {
            if error.cause == .alreadyExists { return false }
            try operations.rename(names.displaced, to: names.file)
        }
        return true
    }

    /// Without an exchange, a file put at the path after the link is overwritten; without links, any file.
    private mutating func replaceLinked(_ new: FilePath) throws(FileError) {
        do throws(FileError) {
            try operations.link(names.file, to: names.displaced)
            hasKeptReplaced = true
        } catch {
            // A refusal means that another program has put something else at the path.
            if error.cause.rule != nil { throw error }
        }
        try operations.rename(new, to: names.file)
    }
}
