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

/// An open file of any kind that is used from start to end: a pipe, a terminal, a device, the streams of the process.
struct ByteStream {
    private let descriptor: CInt

    static let input = ByteStream(STDIN_FILENO)
    static let output = ByteStream(STDOUT_FILENO)
    static let errors = ByteStream(STDERR_FILENO)

    /// - Parameter descriptor: An open descriptor. It stays open.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Opens a file that exists and is not a link, and closes it after the closure. Waits for the other end of a named
    /// pipe.
    static func writing(to path: FilePath, _ body: (ByteStream) throws(SystemError) -> Void) throws(SystemError) {
        // Nothing that has become a file meanwhile is cut off, and a link that has come meanwhile leads nowhere.
        try withFile(at: path, flags: O_WRONLY | O_NOFOLLOW, body)
    }

    /// Returns the contents of a file. Waits for the other end of a named pipe.
    static func contents(of path: FilePath) throws(SystemError) -> [UInt8] {
        try withFile(at: path, flags: O_RDONLY) { (stream) throws(SystemError) in try stream.readAll() }
    }

    /// The process's own descriptor that a path leads to, such as 0 for `/dev/stdin`.
    ///
    /// Opening such a path is not the same: a socket can't be opened, and a file is opened at its beginning.
    ///
    /// - Parameters:
    ///   - resolved: The path without links.
    ///   - links: The links that led to it.
    static func descriptor(at resolved: FilePath, through links: [FilePath]) -> CInt? {
        let folders = ["/dev/fd", "/proc/\(getpid())/fd"]
        return (links + [resolved]).lazy.filter { folders.contains($0.folder.text) }.compactMap { CInt($0.name) }.first
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last }
            rest = rest.dropFirst(count)
        }
    }

    /// The size, in bytes, beyond which nothing more is read: no document may have it, and a device may have no end.
    private static let sizeLimit = FileStorage.sizeLimit

    /// Reads to the end, each byte once. More bytes than a document may have are read in part.
    func readAll() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= Self.sizeLimit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func withFile<Result>(
        at path: FilePath, flags: CInt, _ body: (ByteStream) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        var descriptor: CInt
        repeat {
            descriptor = open(path.text, flags | O_CLOEXEC | O_NOCTTY)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        return try body(ByteStream(descriptor))
    }
}

/// Calls the system's function: in a type whose own functions have its name, only a qualified name would reach it, and
/// each C library has another name.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
