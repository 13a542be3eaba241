/// The file operations of the operating system, one call each and without any policy.
///
/// Everything that decides (what to do about an interrupted call, a short write, a missing folder) stands above this
/// protocol, so that a test can put every such event underneath it.
package protocol SystemCalls: Sendable {
    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor
    /// - Returns: How many bytes were read; 0 at the end of the file.
    func readBytes(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// - Returns: How many bytes were written, possibly fewer than given.
    func writeBytes(_ file: FileDescriptor, from buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int
    /// Reads at an offset, without regard to what was read before.
    ///
    /// - Returns: How many bytes were read; 0 at or behind the end of the file.
    func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int
    /// Writes at an offset, without regard to what was written before.
    ///
    /// - Returns: How many bytes were written, possibly fewer than given.
    func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int
    /// Cuts a file off, or fills it up with zeros.
    func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError)
    /// Moves what was written to stable storage, past the caches of the device where the platform offers that.
    func synchronize(_ file: FileDescriptor) throws(SystemError)
    /// The same for what is needed to read the bytes again, which leaves out times and permissions.
    func synchronizeData(_ file: FileDescriptor) throws(SystemError)
    /// Gives the descriptor back, also when this throws.
    func closeFile(_ file: FileDescriptor) throws(SystemError)
    /// Takes the file's exclusive advisory lock, or throws ``SystemError/wouldBlock``. Closing the file releases it.
    func lockFile(_ file: FileDescriptor) throws(SystemError)
    func unlockFile(_ file: FileDescriptor) throws(SystemError)

    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
    /// The status of what stands at `path` itself: a symbolic link is not followed.
    func status(at path: String) throws(SystemError) -> FileStatus
    func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError)
    func setPermissions(at path: String, to permissions: UInt16) throws(SystemError)
    /// - Parameter user: `nil` leaves the user as it is.
    func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError)

    /// Gives a file another name in place of its old one, replacing what has that name.
    func renameFile(_ path: String, to newPath: String) throws(SystemError)
    /// Gives a file a second name; throws ``SystemError/alreadyExists`` if the name is taken.
    func linkFile(_ path: String, to newPath: String) throws(SystemError)
    func removeFile(_ path: String) throws(SystemError)
    func makeFolder(_ path: String, permissions: UInt16) throws(SystemError)
    /// The names in a folder, in no order, without `.` and `..`.
    func namesInFolder(_ path: String) throws(SystemError) -> [String]
    /// What a symbolic link says; throws ``SystemError/invalidArgument`` for anything else that exists.
    func linkTarget(_ path: String) throws(SystemError) -> String
}

/// What a file is opened for.
package enum OpenMode: Sendable, Hashable {
    /// To be read. Never waits, not even for the other end of a pipe.
    case read
    /// To be written and read; it must not exist yet and gets these permissions, less the process's mask.
    case createNew(permissions: UInt16)
    /// To be read and written at offsets; it must exist, and must not be a symbolic link.
    case update
    /// The same, but one that does not exist is made with these permissions, less the process's mask.
    case updateOrCreate(permissions: UInt16)
    /// A folder, to be synchronized.
    case folder
}
