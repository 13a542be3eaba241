/// The operating system's file operations, one call each and without any policy.
///
/// Every decision (about an interrupted call, a short write, a missing folder) is made above this protocol, so that a
/// test can inject each such event below it.
package protocol SystemCalls: Sendable {
    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor
    /// Opens an entry of an open folder for reading, whatever happens to the path that has led to the folder. Never
    /// waits.
    ///
    /// - Throws: ``SystemError/tooManySymbolicLinks`` or ``SystemError/notFolder`` if the entry is a symbolic link.
    func openEntry(_ name: String, in folder: FileDescriptor, _ kind: EntryKind) throws(SystemError) -> FileDescriptor
    /// - Returns: How many bytes were read; 0 at the end of the file.
    func readBytes(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// Reads at an offset, independent of the file's position.
    ///
    /// - Returns: How many bytes were read; 0 at or behind the end of the file.
    func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int
    /// Writes at an offset, independent of the file's position.
    ///
    /// - Returns: How many bytes were written, possibly fewer than given.
    func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int
    /// Truncates a file, or extends it with zeros.
    func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError)
    /// Syncs a file to stable storage, past the device's caches where the platform offers that.
    func synchronize(_ file: FileDescriptor) throws(SystemError)
    /// Syncs as `synchronize` does, but only what is needed to read the bytes again: times and permissions are left
    /// out.
    func synchronizeData(_ file: FileDescriptor) throws(SystemError)
    /// Closes the descriptor, even if this throws.
    func closeFile(_ file: FileDescriptor) throws(SystemError)
    /// Takes the file's exclusive advisory lock, or throws ``SystemError/wouldBlock``. Closing the file releases it.
    func lockFile(_ file: FileDescriptor) throws(SystemError)
    func unlockFile(_ file: FileDescriptor) throws(SystemError)

    /// Returns the process that holds the advisory lock of a file; `nil` if there is none or the system does not report
    /// it.
    func lockHolder(of file: FileStatus.Identity) -> Int32?

    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
    /// Returns the status of `path` itself: a symbolic link is not followed.
    func status(at path: String) throws(SystemError) -> FileStatus
    func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError)
    func setPermissions(at path: String, to permissions: UInt16) throws(SystemError)
    /// - Parameter user: `nil` leaves the user unchanged.
    func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError)

    /// Renames a file, replacing any file of the new name.
    func renameFile(_ path: String, to newPath: String) throws(SystemError)
    /// Gives each of two files of one folder the name of the other, in one step.
    ///
    /// - Throws: ``SystemError/unimplemented``, ``SystemError/invalidArgument`` or ``SystemError/notSupported`` where
    ///   the system or the file system can't.
    func exchangeFiles(_ path: String, _ other: String) throws(SystemError)
    /// Gives a file a second name; throws ``SystemError/alreadyExists`` if the name is taken.
    func linkFile(_ path: String, to newPath: String) throws(SystemError)
    func removeFile(_ path: String) throws(SystemError)
    func makeFolder(_ path: String, permissions: UInt16) throws(SystemError)
    /// Returns the names in a folder, unordered, without `.` and `..`.
    func namesInFolder(_ path: String) throws(SystemError) -> [String]
    /// Returns the target of a symbolic link; throws ``SystemError/invalidArgument`` for anything else that exists.
    func linkTarget(_ path: String) throws(SystemError) -> String
}

extension SystemCalls {
    package func lockHolder(of file: FileStatus.Identity) -> Int32? { nil }
}

/// The mode in which a file is opened.
package enum OpenMode: Sendable, Equatable {
    /// For reading. Never waits, not even for the other end of a pipe.
    case read
    /// For writing and reading. The file must not exist yet; its permissions are these, less the umask.
    case createNew(permissions: UInt16)
    /// For reading and writing at offsets. The file must exist, and must not be a symbolic link.
    case update
    /// As `update`, but a missing file is made with these permissions, less the umask.
    case updateOrCreate(permissions: UInt16)
    /// A folder, for syncing.
    case folder
}

/// The kind as which an entry of a folder is opened.
package enum EntryKind: Sendable, Hashable {
    /// A file, for reading. Other kinds, such as a pipe, are opened too.
    case file
    /// A folder, for opening its entries.
    case folder
}

/// The operating system's number for an open file or folder.
package struct FileDescriptor: Sendable, Hashable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }
}
