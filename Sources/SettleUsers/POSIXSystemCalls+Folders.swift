import Settle

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

extension POSIXSystemCalls: FolderSystemCalls {
    func openFile(
        _ name: String, _ mode: OpenMode, in folder: FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        try openFile(name, mode, flags: O_NOFOLLOW, in: folder.number)
    }

    func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(fstatat(folder.number, name, &found, AT_SYMLINK_NOFOLLOW))
        return FileStatus(found)
    }

    func renameFile(
        _ name: String, to newName: String, in folder: FileDescriptor
    ) throws(SystemError) {
        try check(renameat(folder.number, name, folder.number, newName))
    }

    func exchangeFiles(_ name: String, _ other: String, in folder: FileDescriptor) throws(SystemError) {
        try exchangeFiles(name, other, in: folder.number)
    }

    func linkFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try check(linkat(folder.number, name, folder.number, newName, 0))
    }

    func removeFile(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try check(unlinkat(folder.number, name, 0))
    }

    func makeFolder(
        _ name: String, permissions: UInt16, in folder: FileDescriptor
    ) throws(SystemError) {
        try check(mkdirat(folder.number, name, mode_t(permissions)))
    }

    func removeFolder(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try check(unlinkat(folder.number, name, AT_REMOVEDIR))
    }
}
