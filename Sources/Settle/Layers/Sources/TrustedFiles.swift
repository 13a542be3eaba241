/// Opens files through paths that only trusted users can have changed.
///
/// Every folder from the root on is opened in the one before it, without following links, and examined once it is open.
/// So it does not matter what happens to a path between the examination and the use.
struct TrustedFiles: Sendable {
    enum Obstacle: Error {
        case missing
        /// The sentence names the file or folder that is not trusted, and the rule.
        case untrusted(String)
        case failed(FileError)
    }

    private let operations: FileOperations
    private let owners: Set<UInt32>

    /// - Parameter user: May own the files and folders, beside root.
    init(_ operations: FileOperations, orOf user: UInt32?) {
        self.operations = operations
        owners = Set([0, user ?? 0])
    }

    /// Runs a closure with a folder that is open and trusted.
    ///
    /// - Parameter path: An absolute path.
    func withFolder<Result>(
        _ path: FilePath, _ body: (FileDescriptor) throws(Obstacle) -> Result
    ) throws(Obstacle) -> Result {
        var way = FilePath("/")
        var folder = try failing { () throws(FileError) in try operations.open(way, .folder) }
        // Nothing is written through these descriptors, so closing them has nothing to report.
        defer { try? operations.close(folder, at: way) }
        try check(folder, at: way)
        for name in path.parts where name != "." {
            let next = way.appending(name)
            let inner = try open(next, in: folder, .folder)
            try? operations.close(folder, at: way)
            (folder, way) = (inner, next)
            try check(folder, at: way)
        }
        return try body(folder)
    }

    /// - Returns: The contents of a trusted file.
    func contents(of path: FilePath, in folder: FileDescriptor, limit: Int) throws(Obstacle) -> [UInt8] {
        let file = try open(path, in: folder, .file)
        defer { try? operations.close(file, at: path) }
        try check(file, at: path)
        return try failing { () throws(FileError) in try operations.contents(of: file, at: path, limit: limit) }
    }

    private func open(
        _ path: FilePath, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(Obstacle) -> FileDescriptor {
        do throws(FileError) {
            return try operations.open(path, in: folder, kind)
        } catch {
            switch error.cause {
            case .notFound: throw .missing
            // Which of the two errors a link causes depends on the system.
            case .tooManySymbolicLinks, .notFolder:
                throw .untrusted("\(path.quoted) is a link, or not a folder: \(rule)")
            default: throw .failed(error)
            }
        }
    }

    private func check(_ file: FileDescriptor, at path: FilePath) throws(Obstacle) {
        let status = try failing { () throws(FileError) in try operations.status(of: file, at: path) }
        // Even where only the owner of an entry may replace it, as in /tmp: anybody could have made it.
        guard !owners.contains(status.owner.user) || status.permissions & 0o022 != 0 else { return }
        let mode = String(status.permissions, radix: 8)
        throw .untrusted("\(path.quoted) belongs to user \(status.owner.user) and has the mode \(mode): \(rule)")
    }

    private var rule: String {
        let users = owners.sorted().map { $0 == 0 ? "root" : "user \($0)" }.joined(separator: " or ")
        return "the file and each folder above it must belong to \(users), must not be a symbolic link, and must not "
            + "be writable by group or others"
    }

    private func failing<Result>(_ body: () throws(FileError) -> Result) throws(Obstacle) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }
}
