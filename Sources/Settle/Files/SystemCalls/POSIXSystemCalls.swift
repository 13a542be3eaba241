#if canImport(Darwin)
    package import Darwin
#elseif canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#elseif canImport(Android)
    package import Android
#elseif canImport(Bionic)
    package import Bionic
#endif

/// The system calls of the platform.
package struct POSIXSystemCalls: SystemCalls {
    package init() {}

    package func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        try openFile(path, mode, flags: 0, in: AT_FDCWD)
    }

    /// - Parameters:
    ///   - flags: The flags in addition to those of the mode.
    ///   - folder: The folder in which a relative path begins.
    package func openFile(
        _ path: String, _ mode: OpenMode, flags: CInt, in folder: CInt
    ) throws(SystemError) -> FileDescriptor {
        let common = flags | O_CLOEXEC
        let number =
            switch mode {
            case .read: openat(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | common)
            case .createNew(let permissions):
                openat(folder, path, O_RDWR | O_CREAT | O_EXCL | common, mode_t(permissions))
            case .update: openat(folder, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | common)
            case .updateOrCreate(let permissions):
                openat(
                    folder, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | common, mode_t(permissions))
            case .folder: openat(folder, path, O_RDONLY | O_DIRECTORY | common)
            }
        guard number >= 0 else { throw .last }
        #if os(Linux) || os(Android)
            if case .updateOrCreate = mode { Self.leaveAccessTime(number) }
        #endif
        return FileDescriptor(number)
    }

    package func openEntry(
        _ name: String, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(SystemError) -> FileDescriptor {
        let onlyFolder = kind == .folder ? O_DIRECTORY : 0
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | onlyFolder
        return FileDescriptor(try counted(openat(folder.number, name, flags)))
    }

    package func readBytes(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try counted(read(file.number, buffer.baseAddress, buffer.count))
    }

    package func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try counted(pread(file.number, buffer.baseAddress, buffer.count, off_t(offset)))
    }

    package func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        try counted(pwrite(file.number, buffer.baseAddress, buffer.count, off_t(offset)))
    }

    package func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) {
        try check(ftruncate(file.number, off_t(size)))
    }

    package func closeFile(_ file: FileDescriptor) throws(SystemError) {
        try check(close(file.number))
    }

    package func lockFile(_ file: FileDescriptor) throws(SystemError) {
        try check(flock(file.number, LOCK_EX | LOCK_NB))
    }

    package func unlockFile(_ file: FileDescriptor) throws(SystemError) {
        try check(flock(file.number, LOCK_UN))
    }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(fstat(file.number, &found))
        return FileStatus(found)
    }

    package func status(at path: String) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(lstat(path, &found))
        return FileStatus(found)
    }

    /// Returns the status of an entry of a folder.
    func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(fstatat(folder.number, name, &found, AT_SYMLINK_NOFOLLOW))
        return FileStatus(found)
    }

    package func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) {
        try check(fchmod(file.number, mode_t(permissions)))
    }

    package func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) {
        // Not of what a link leads to, which another user may just have put there.
        if fchmodat(AT_FDCWD, path, mode_t(permissions), AT_SYMLINK_NOFOLLOW) == 0 { return }
        // Linux before 6.6 can't do it without /proc, and a filter of system calls may not know it.
        let file = FileDescriptor(
            try counted(openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)))
        defer { _ = close(file.number) }
        try setPermissions(of: file, to: permissions)
    }

    package func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        // The largest number leaves the user unchanged.
        try check(fchown(file.number, user ?? .max, group))
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemError) {
        try check(rename(path, newPath))
    }

    package func exchangeFiles(_ path: String, _ other: String) throws(SystemError) {
        try exchangeFiles(path, other, in: AT_FDCWD)
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemError) {
        try check(link(path, newPath))
    }

    package func removeFile(_ path: String) throws(SystemError) {
        try check(unlink(path))
    }

    package func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) {
        try check(mkdir(path, mode_t(permissions)))
    }

    package func namesInFolder(_ path: String) throws(SystemError) -> [String] {
        guard let folder = opendir(path) else { throw .last }
        defer { closedir(folder) }
        return try names { readdir(folder) }
    }

    /// Returns the names in a folder that is open, unordered, without `.` and `..`.
    package func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
        // A descriptor of its own: reading moves its position, and closing the stream closes it.
        let file = try openFile(".", .folder, flags: O_NOFOLLOW, in: folder.number)
        guard let stream = fdopendir(file.number) else {
            let error = SystemError.last
            try? closeFile(file)
            throw error
        }
        defer { closedir(stream) }
        return try names { readdir(stream) }
    }

    /// - Parameter next: Reads the next entry of a folder.
    private func names(_ next: () -> UnsafeMutablePointer<dirent>?) throws(SystemError) -> [String] {
        var names: [String] = []
        while true {
            // `readdir` returns `nil` both at the end and on errors; only `errno` distinguishes them.
            errno = 0
            guard let entry = next() else {
                guard errno == 0 else { throw .last }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    package func linkTarget(_ path: String) throws(SystemError) -> String {
        // Not filled with zeros before: nearly all paths are not those of links.
        let target = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) {
            (buffer) -> Result<String, SystemError> in
            let count = buffer.baseAddress.map { readlink(path, $0, buffer.count) } ?? -1
            guard count >= 0 else { return .failure(.last) }
            // Other bytes in its place would be the path of another file, which may be missing.
            guard let text = String(validating: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self) else {
                return .failure(SystemError(.notSupported, rule: "its target is not UTF-8 text"))
            }
            return .success(text)
        }
        return try target.get()
    }

    /// Returns the result of a call that returns a number, or a negative one if it has failed.
    private func counted<Number: SignedInteger>(_ result: Number) throws(SystemError) -> Number {
        guard result >= 0 else { throw .last }
        return result
    }

    package func check(_ result: Int32) throws(SystemError) {
        guard result == 0 else { throw .last }
    }
}

extension FileStatus {
    package init(_ found: stat) {
        let kind: Kind =
            switch found.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
        self.init(
            kind: kind,
            size: Int64(found.st_size),
            permissions: UInt16(found.st_mode & 0o777),
            isSticky: found.st_mode & 0o1000 != 0,
            owner: Owner(user: found.st_uid, group: found.st_gid),
            identity: Identity(
                device: UInt64(truncatingIfNeeded: found.st_dev), file: UInt64(truncatingIfNeeded: found.st_ino)),
            linkCount: Int(found.st_nlink),
            contentsChanged: Self.nanoseconds(found.modificationTime),
            statusChanged: Self.nanoseconds(found.statusChangeTime))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension stat {
    #if canImport(Darwin)
        fileprivate var modificationTime: timespec { st_mtimespec }
        fileprivate var statusChangeTime: timespec { st_ctimespec }
    #else
        fileprivate var modificationTime: timespec { st_mtim }
        fileprivate var statusChangeTime: timespec { st_ctim }
    #endif
}
