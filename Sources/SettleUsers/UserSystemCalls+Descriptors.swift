import Settle

/// Calls on open files, which were checked when they were opened.
extension UserSystemCalls {
    func openEntry(
        _ name: String, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(SystemError) -> FileDescriptor {
        try base.openEntry(name, in: folder, kind)
    }

    func readBytes(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try base.readBytes(file, into: buffer)
    }

    func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try base.readBytes(file, at: offset, into: buffer)
    }

    func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        try base.writeBytes(file, at: offset, from: buffer)
    }

    func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) {
        try base.truncateFile(file, to: size)
    }

    func synchronize(_ file: FileDescriptor) throws(SystemError) { try base.synchronize(file) }

    func synchronizeData(_ file: FileDescriptor) throws(SystemError) { try base.synchronizeData(file) }

    func closeFile(_ file: FileDescriptor) throws(SystemError) { try base.closeFile(file) }

    func lockFile(_ file: FileDescriptor) throws(SystemError) { try base.lockFile(file) }

    func unlockFile(_ file: FileDescriptor) throws(SystemError) { try base.unlockFile(file) }

    func lockHolder(of file: FileStatus.Identity) -> Int32? { base.lockHolder(of: file) }

    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus { try base.status(of: file) }

    func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) {
        try base.setPermissions(of: file, to: permissions)
    }
}
