/// File operations that run to completion: they retry interrupted calls, continue short reads and writes, and name the
/// file in their errors.
package struct FileOperations: Sendable {
    private let calls: any SystemCalls

    /// How often an interrupted call is retried before it counts as failed.
    private static let attempts = 100

    package init(_ calls: any SystemCalls) {
        self.calls = calls
    }

    @inline(never) package func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> FileDescriptor {
        try finishing("open", path, try calls.openFile(path.text, mode))
    }

    /// Opens an entry of an open folder for reading, without following a link.
    package func open(
        _ path: FilePath, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(FileError) -> FileDescriptor {
        try finishing("open", path, try calls.openEntry(path.name, in: folder, kind))
    }

    /// - Parameters:
    ///   - size: The size of the file a moment ago; 0 if it is not known. The actual size may differ.
    ///   - limit: The size at which to stop; a longer result means that there is more.
    package func readAll(
        _ file: FileDescriptor, at path: FilePath, expecting size: Int = 0, limit: Int
    ) throws(FileError) -> [UInt8] {
        var contents: [UInt8] = []
        // One byte more than expected, so that the first call finds the end.
        var room = max(size + 1, 4 << 10)
        // Read one byte beyond the limit, so that the caller can detect that there is more.
        while contents.count <= limit {
            var part = Result<Int, FileError>.success(0)
            // Not filled with zeros before, because that takes as long as reading.
            let more = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                part = Result { () throws(FileError) in
                    try finishing("read", path, try calls.readBytes(file, into: UnsafeMutableRawBufferPointer(buffer)))
                }
                count = (try? part.get()) ?? 0
            }
            if try part.get() == 0 { break }
            if contents.isEmpty { contents = more } else { contents += more }
            // Fewer bytes than there is room for: the file ends there, where it was expected to end.
            if contents.count == size, more.count < room { break }
            room = more.count < room ? room - more.count : min(contents.count, 1 << 20)
        }
        return contents
    }

    /// Writes all bytes at an offset.
    package func write(
        _ bytes: [UInt8], to file: FileDescriptor, at path: FilePath, offset: Int = 0
    ) throws(FileError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(FileError) in
            var (rest, offset) = (UnsafeRawBufferPointer(buffer), Int64(offset))
            while !rest.isEmpty {
                let count = try finishing("write", path, try calls.writeBytes(file, at: offset, from: rest))
                // A file that accepts no bytes without an error would otherwise loop forever.
                guard count > 0 else { throw FileError(action: "write", path: path.text, cause: .inputOutput) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                offset += Int64(count)
            }
        }
    }

    /// Reads at an offset until the buffer is full or the file ends.
    ///
    /// - Returns: How many bytes were read.
    package func read(
        _ file: FileDescriptor, at path: FilePath, offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let more = try finishing("read", path, try calls.readBytes(file, at: Int64(offset + count), into: rest))
            if more == 0 { break }
            count += more
        }
        return count
    }

    /// - Returns: Fewer bytes if the file ends earlier.
    package func read(
        _ file: FileDescriptor, at path: FilePath, offset: Int, count: Int
    ) throws(FileError) -> [UInt8] {
        guard count > 0 else { return [] }
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(FileError) {
                filled = try read(file, at: path, offset: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    package func truncate(_ file: FileDescriptor, at path: FilePath, to size: Int) throws(FileError) {
        try finishing("truncate", path, try calls.truncateFile(file, to: Int64(size)))
    }

    /// Syncs a file's bytes to stable storage, but not its times and permissions.
    package func synchronizeData(_ file: FileDescriptor, at path: FilePath) throws(FileError) {
        try finishing("sync", path, try calls.synchronizeData(file))
    }

    package func synchronize(_ file: FileDescriptor, at path: FilePath) throws(FileError) {
        try finishing("sync", path, try calls.synchronize(file))
    }

    /// Not retried when interrupted: the descriptor is closed already, and may belong to another thread.
    @inline(never) package func close(_ file: FileDescriptor, at path: FilePath) throws(FileError) {
        do {
            try calls.closeFile(file)
        } catch {
            guard error == .interrupted else { throw FileError(action: "close", path: path.text, cause: error) }
        }
    }

    package func lock(_ file: FileDescriptor, at path: FilePath) throws(FileError) {
        try finishing("lock", path, try calls.lockFile(file))
    }

    @inline(never) package func unlock(_ file: FileDescriptor, at path: FilePath) throws(FileError) {
        try finishing("unlock", path, try calls.unlockFile(file))
    }

    @inline(never) package func status(of file: FileDescriptor, at path: FilePath) throws(FileError) -> FileStatus {
        try finishing("examine", path, try calls.status(of: file))
    }

    @inline(never) package func status(at path: FilePath) throws(FileError) -> FileStatus {
        try finishing("examine", path, try calls.status(at: path.text))
    }

    package func statusIfThere(at path: FilePath) throws(FileError) -> FileStatus? {
        do {
            return try status(at: path)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            return nil
        }
    }

    /// Succeeds on a file system without permissions, such as many FUSE file systems: there, mounting determines the
    /// access.
    package func setPermissions(
        of file: FileDescriptor, at path: FilePath, to permissions: UInt16
    ) throws(FileError) {
        try Self.ifSupported { () throws(FileError) in
            try finishing("set the permissions of", path, try calls.setPermissions(of: file, to: permissions))
        }
    }

    package func setPermissions(at path: FilePath, to permissions: UInt16) throws(FileError) {
        try Self.ifSupported { () throws(FileError) in
            try finishing("set the permissions of", path, try calls.setPermissions(at: path.text, to: permissions))
        }
    }

    private static func ifSupported(_ change: () throws(FileError) -> Void) throws(FileError) {
        do throws(FileError) {
            try change()
        } catch {
            guard error.cause == .unimplemented || error.cause == .notSupported else { throw error }
        }
    }

    /// Removes the permissions of others: a user who may read the file could hold its lock. Only its owner may do this.
    package func makePrivate(_ file: FileDescriptor, _ status: FileStatus, at path: FilePath) {
        guard status.permissions & 0o077 != 0 else { return }
        try? setPermissions(of: file, at: path, to: status.permissions & 0o700)
    }

    /// Returns the process that holds the lock of a file, if the system reports it.
    package func lockHolder(of file: FileDescriptor, at path: FilePath) -> Int32? {
        (try? status(of: file, at: path)).flatMap { calls.lockHolder(of: $0.identity) }
    }

    /// Gives a new file the owner of the file that it replaces, as far as this process may: a superuser may set any
    /// user, others any group that they are in.
    package func keepOwner(_ owner: FileStatus.Owner?, of file: FileDescriptor, at path: FilePath) {
        guard let owner, let own = try? status(of: file, at: path).owner, own != owner else { return }
        do throws(FileError) {
            try setOwner(of: file, at: path, toUser: owner.user, group: owner.group)
        } catch {
            try? setOwner(of: file, at: path, toUser: nil, group: owner.group)
        }
    }

    private func setOwner(
        of file: FileDescriptor, at path: FilePath, toUser user: UInt32?, group: UInt32
    ) throws(FileError) {
        try finishing("set the owner of", path, try calls.setOwner(of: file, toUser: user, group: group))
    }

    package func rename(_ path: FilePath, to newPath: FilePath) throws(FileError) {
        try finishing("move a file to", newPath, try calls.renameFile(path.text, to: newPath.text))
    }

    package func exchange(_ path: FilePath, _ other: FilePath) throws(FileError) {
        try finishing("move a file to", other, try calls.exchangeFiles(path.text, other.text))
    }

    package func link(_ path: FilePath, to newPath: FilePath) throws(FileError) {
        try finishing("link", path, try calls.linkFile(path.text, to: newPath.text))
    }

    @inline(never) package func remove(_ path: FilePath) throws(FileError) {
        try finishing("remove", path, try calls.removeFile(path.text))
    }

    package func names(in folder: FilePath) throws(FileError) -> [String] {
        try finishing("list", folder, try calls.namesInFolder(folder.text))
    }

    /// Makes one folder with access for the user alone, subject to the umask.
    package func makeFolder(_ path: FilePath) throws(FileError) {
        try finishing("create the folder", path, try calls.makeFolder(path.text, permissions: 0o700))
    }

    package func linkTarget(_ path: FilePath) throws(FileError) -> String {
        try finishing("follow", path, try calls.linkTarget(path.text))
    }

    private func finishing<Result>(
        _ action: String, _ path: FilePath, _ call: @autoclosure () throws(SystemError) -> Result
    ) throws(FileError) -> Result {
        var attempt = 1
        while true {
            do {
                return try call()
            } catch {
                try Self.count(error, &attempt, action, path)
            }
        }
    }

    // Separate, because every function above has a copy of the one before.
    @inline(never) private static func count(
        _ error: SystemError, _ attempt: inout Int, _ action: String, _ path: FilePath
    ) throws(FileError) {
        guard error == .interrupted && attempt < attempts else {
            throw FileError(action: action, path: path.text, cause: error)
        }
        attempt += 1
    }
}
