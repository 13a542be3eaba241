/// The readable file as it was found.
struct FileReading: Sendable {
    var bytes: [UInt8]
    var status: FileStatus
    var version: FileVersion
    /// Whether a later change must show in the file's signature.
    var isSettled: Bool

    var signature: FileSignature { FileSignature(status) }

    /// Returns whether a file has these bytes, whatever its name is now.
    func hasContents(of other: FileStatus) -> Bool {
        isSettled && status.kind == other.kind && status.identity == other.identity && status.size == other.size
            && status.contentsChanged == other.contentsChanged
    }

    func hasBytes(_ others: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in others.withUnsafeBytes { bytes.isEqual(to: $0) } }
    }

    func with(_ status: FileStatus) -> FileReading {
        FileReading(bytes: bytes, status: status, version: version, isSettled: false)
    }
}

extension FileOperations {
    /// - Parameter known: A reading under another name. If the file is the same one, and has not been written since, it
    ///   is not read again.
    /// - Returns: `nil` if there is no such file. Every other obstacle is an error.
    func read(_ path: FilePath, orKnown known: FileReading? = nil) throws(StorageError) -> FileReading? {
        let reading = try readOnce(path, known)
        guard let reading, reading.bytes.count != Int(reading.status.size) else { return reading }
        // The file was being written, so the bytes may be of two versions.
        return try readOnce(path, known)
    }

    private func readOnce(_ path: FilePath, _ known: FileReading?) throws(StorageError) -> FileReading? {
        let descriptor: FileDescriptor
        do {
            descriptor = try open(path, .read)
        } catch {
            guard error.cause != .notFound else { return nil }
            // A socket can't even be opened.
            if let kind = try? status(at: path).kind, kind == .socket { throw .unreadable(path, kind) }
            throw .unreadable(path, error)
        }
        // Nothing was written through this descriptor, so closing it has nothing to report.
        defer { try? close(descriptor, at: path) }
        let status: FileStatus
        var bytes: [UInt8] = []
        // Before the file is read: later changes may show in the bytes, and must show in the signature.
        let now = wallTime(isExact: true)
        do {
            status = try self.status(of: descriptor, at: path)
            if let known, known.hasContents(of: status) { return known.with(status) }
            if let known, try hasContents(of: known, descriptor, at: path, status) {
                bytes = known.bytes
            } else if status.kind == .file && status.size <= FileSession.sizeLimit {
                bytes = try readAll(
                    descriptor, at: path, expecting: Int(status.size), limit: FileSession.sizeLimit)
            }
        } catch {
            throw .unreadable(path, error)
        }
        guard status.kind == .file else { throw .unreadable(path, status.kind) }
        guard max(Int(status.size), bytes.count) <= FileSession.sizeLimit else {
            throw .unreadable(path, "it exceeds the limit of \(FileSession.sizeLimit) bytes")
        }
        // Comparing is faster than hashing.
        let same = known.flatMap { $0.hasBytes(bytes) ? $0.version : nil }
        return FileReading(
            bytes: bytes, status: status, version: same ?? FileVersion(of: bytes),
            isSettled: FileSignature(status).isSettled(at: now))
    }

    /// Returns whether a large file has the bytes of a reading.
    ///
    /// It is compared in parts, because memory for all of it is new memory, which takes longer to get than to fill.
    private func hasContents(
        of known: FileReading, _ file: FileDescriptor, at path: FilePath, _ status: FileStatus
    ) throws(FileError) -> Bool {
        let count = known.bytes.count
        guard status.kind == .file, Int(status.size) == count, count > Self.largeFile else { return false }
        // Through the end, where the file may have grown meanwhile.
        for offset in stride(from: 0, through: count, by: Self.partSize) {
            let part = try read(file, at: path, offset: offset, count: Self.partSize)
            let range = offset..<min(offset + Self.partSize, count)
            let isSame = known.bytes.withUnsafeBytes { bytes in
                part.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: bytes[range]).isEqual(to: $0) }
            }
            guard isSame else { return false }
        }
        return true
    }

    private static let largeFile = 128 << 10
    private static let partSize = 64 << 10
}
