#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension POSIXSystemCalls: FolderSystemCalls {
    package func openFile(
        _ name: String, _ mode: OpenMode, in folder: FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        try openFile(name, mode, flags: O_NOFOLLOW, in: folder.number)
    }

    package func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(fstatat(folder.number, name, &found, AT_SYMLINK_NOFOLLOW))
        return FileStatus(found)
    }

    package func renameFile(
        _ name: String, to newName: String, in folder: FileDescriptor
    ) throws(SystemError) {
        try check(renameat(folder.number, name, folder.number, newName))
    }

    package func linkFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try check(linkat(folder.number, name, folder.number, newName, 0))
    }

    package func removeFile(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try check(unlinkat(folder.number, name, 0))
    }

    package func makeFolder(
        _ name: String, permissions: UInt16, in folder: FileDescriptor
    ) throws(SystemError) {
        try check(mkdirat(folder.number, name, mode_t(permissions)))
    }

    package func removeFolder(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try check(unlinkat(folder.number, name, AT_REMOVEDIR))
    }

    package func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
        // A descriptor of its own: reading moves its position, and closing the stream closes it.
        let file = try openFile(".", .folder, in: folder)
        guard let stream = fdopendir(file.number) else {
            let error = SystemError.last
            try? closeFile(file)
            throw error
        }
        defer { closedir(stream) }
        return try names { readdir(stream) }
    }
}
