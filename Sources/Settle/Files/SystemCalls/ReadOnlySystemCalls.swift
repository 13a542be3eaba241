/// System calls of a read-only file system: calls that would make, change, rename or remove something are refused. A
/// lock is refused too, because it would delay the programs that write.
struct ReadOnlySystemCalls: SystemCalls {
    private let base: any SystemCalls

    init(_ base: any SystemCalls) {
        self.base = base
    }

    // MARK: Reading

    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        switch mode {
        case .read, .folder: return try base.openFile(path, mode)
        case .createNew, .updateOrCreate: throw .readOnlyFileSystem
        case .update:
            // A missing file is distinguished from one that can't be written.
            _ = try base.status(at: path)
            throw .readOnlyFileSystem
        }
    }

    func openEntry(
        _ name: String, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(SystemError) -> FileDescriptor {
        try base.openEntry(name, in: folder, kind)
    }

    func readBytes(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try base.readBytes(file, into: buffer)
    }

    func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try base.readBytes(file, at: offset, into: buffer)
    }

    func closeFile(_ file: FileDescriptor) throws(SystemError) { try base.closeFile(file) }

    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus { try base.status(of: file) }

    func status(at path: String) throws(SystemError) -> FileStatus { try base.status(at: path) }

    func namesInFolder(_ path: String) throws(SystemError) -> [String] { try base.namesInFolder(path) }

    func linkTarget(_ path: String) throws(SystemError) -> String { try base.linkTarget(path) }

    // MARK: Refused

    func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        throw .readOnlyFileSystem
    }

    func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) { throw .readOnlyFileSystem }
    func synchronize(_ file: FileDescriptor) throws(SystemError) { throw .readOnlyFileSystem }
    func synchronizeData(_ file: FileDescriptor) throws(SystemError) { throw .readOnlyFileSystem }
    func lockFile(_ file: FileDescriptor) throws(SystemError) { throw .readOnlyFileSystem }
    func unlockFile(_ file: FileDescriptor) throws(SystemError) { throw .readOnlyFileSystem }

    func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) {
        throw .readOnlyFileSystem
    }

    func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) { throw .readOnlyFileSystem }

    func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        throw .readOnlyFileSystem
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemError) { throw .readOnlyFileSystem }
    func exchangeFiles(_ path: String, _ other: String) throws(SystemError) { throw .readOnlyFileSystem }
    func linkFile(_ path: String, to newPath: String) throws(SystemError) { throw .readOnlyFileSystem }
    func removeFile(_ path: String) throws(SystemError) { throw .readOnlyFileSystem }
    func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) { throw .readOnlyFileSystem }
}
