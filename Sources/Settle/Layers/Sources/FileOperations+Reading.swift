/// Reading a whole file of another program.
extension FileOperations {
    /// - Throws: ``FileError``, also for anything but a regular file, and for a file beyond a limit in bytes.
    func contents(of path: FilePath, limit: Int = FileStorage.sizeLimit) throws(FileError) -> [UInt8] {
        let file = try open(path, .read)
        // Nothing was written through this descriptor, so closing it has nothing to report.
        defer { try? close(file, at: path) }
        return try contents(of: file, at: path, limit: limit)
    }

    func contents(of file: FileDescriptor, at path: FilePath, limit: Int) throws(FileError) -> [UInt8] {
        let status = try status(of: file, at: path)
        guard status.kind != .folder else { throw FileError(action: "read", path: path.text, cause: .isFolder) }
        guard status.kind == .file else { throw FileError(action: "read", path: path.text, cause: .invalidArgument) }
        guard status.size <= limit else { throw FileError(action: "read", path: path.text, cause: .fileTooLarge) }
        let bytes = try readAll(file, at: path, expecting: Int(status.size), limit: limit)
        guard bytes.count <= limit else { throw FileError(action: "read", path: path.text, cause: .fileTooLarge) }
        return bytes
    }

    /// Returns the status of the file to which a link leads.
    func statusFollowingLinks(at path: FilePath) throws(FileError) -> FileStatus {
        try status(at: try resolve(path).resolved)
    }
}
