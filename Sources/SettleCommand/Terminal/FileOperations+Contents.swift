import Settle

extension FileOperations {
    /// Returns the contents of a file, without waiting for the other end of a named pipe; `nil` if there is no file.
    ///
    /// - Throws: ``CommandFailure``, also for anything but a regular file, and for a file beyond a limit in bytes.
    func contentsIfThere(
        of path: FilePath, limit: Int = FileStorage.sizeLimit
    ) throws(CommandFailure) -> [UInt8]? {
        func failure(_ reason: String) -> CommandFailure {
            CommandFailure(.failed, "“\(path)” can't be read: \(reason).")
        }
        let (status, bytes): (FileStatus, [UInt8])
        do throws(FileError) {
            (status, bytes) = try statusAndContents(of: path, limit: limit)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw failure("\(error.cause)") }
            return nil
        }
        guard status.kind == .file else { throw failure("it is \(status.kind)") }
        guard max(Int(status.size), bytes.count) <= limit else {
            throw failure("it exceeds the limit of \(limit) bytes")
        }
        return bytes
    }

    /// - Returns: No contents of anything but a regular file, and of a file that is too large.
    private func statusAndContents(
        of path: FilePath, limit: Int
    ) throws(FileError) -> (FileStatus, [UInt8]) {
        let file = try open(path, .read)
        // Nothing was written through this descriptor, so closing it has nothing to report.
        defer { try? close(file, at: path) }
        let found = try status(of: file, at: path)
        guard found.kind == .file, found.size <= limit else { return (found, []) }
        return (found, try readAll(file, at: path, expecting: Int(found.size), limit: limit))
    }
}
