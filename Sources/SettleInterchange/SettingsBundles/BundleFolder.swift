import Settle

/// An open folder from which only its own contents are read.
///
/// Each step goes from an open folder to an entry of it, and follows no link. Whatever names a bundle has, and whatever
/// replaces it meanwhile, no file elsewhere is opened.
final class BundleFolder {
    /// The reason that a file is not available.
    enum Failure: Error {
        case missing
        case refused(String)

        /// The reason as a sentence.
        var reason: String {
            switch self {
            case .missing: "There is no such file."
            case .refused(let reason): reason
            }
        }
    }

    private let operations = FileOperations(POSIXSystemCalls())
    private let path: FilePath
    private let descriptor: FileDescriptor
    /// The number of bytes that may still be read.
    private var budget = BundleLimits.total

    init(_ path: FilePath) throws(FileError) {
        self.path = path
        descriptor = try operations.open(path, .folder)
    }

    deinit { try? operations.close(descriptor, at: path) }

    /// Returns the contents of a file within the folder.
    ///
    /// - Parameter limit: In bytes. A larger file is refused before it is read.
    func contents(of file: BundlePath, limit: Int) throws(Failure) -> [UInt8] {
        let contents = try inside(file.names.dropLast()) { (folder, path) throws(Failure) in
            let path = path.appending(file.name)
            return try opening { () throws(FileError) in
                let opened = try operations.open(path, in: folder, .file)
                defer { try? operations.close(opened, at: path) }
                return try read(opened, at: path, limit: min(limit, budget))
            }
        }
        guard let (bytes, size) = contents else { throw .refused("It is not a file.") }
        guard size <= limit else { throw .refused("It is larger than \(limit >> 20) MiB.") }
        guard size <= budget else { throw .refused("The bundle has more than \(BundleLimits.total >> 20) MiB.") }
        budget -= size
        return bytes
    }

    /// Returns the names in a folder within the folder, sorted by bytes; none if it can't be read.
    ///
    /// - Parameter parents: The names of the folders on the path to it.
    func names(in parents: [String]) -> [String] {
        let names = try? inside(parents) { (folder, _) throws(Failure) in
            try? POSIXSystemCalls().names(in: folder)
        }
        return ((names ?? nil) ?? []).sorted { $0.precedesByBytes($1) }
    }

    /// Runs a closure with a folder within the folder.
    private func inside<Result>(
        _ parents: some Sequence<String>, _ body: (FileDescriptor, FilePath) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var folder: (descriptor: FileDescriptor, path: FilePath) = (descriptor, path)
        defer { leave(folder) }
        for name in parents {
            let next = folder.path.appending(name)
            let inner = try opening { () throws(FileError) in
                try operations.open(next, in: folder.descriptor, .folder)
            }
            leave(folder)
            folder = (inner, next)
        }
        return try body(folder.descriptor, folder.path)
    }

    /// - Returns: `nil` if it is not a file. No bytes, or too many, if the size is above the limit.
    private func read(
        _ file: FileDescriptor, at path: FilePath, limit: Int
    ) throws(FileError) -> (bytes: [UInt8], size: Int)? {
        let status = try operations.status(of: file, at: path)
        guard status.kind == .file else { return nil }
        guard status.size <= Int64(limit) else { return ([], Int(status.size)) }
        let bytes = try operations.readAll(file, at: path, expecting: Int(status.size), limit: limit)
        return (bytes, bytes.count)
    }

    private func leave(_ folder: (descriptor: FileDescriptor, path: FilePath)) {
        if folder.descriptor != descriptor { try? operations.close(folder.descriptor, at: folder.path) }
    }

    private func opening<Result>(_ body: () throws(FileError) -> Result) throws(Failure) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            switch error.cause {
            case .notFound: throw .missing
            // The errors that systems report for a link, depending on what was to be opened.
            case .tooManySymbolicLinks: throw .refused("It is a link, and links are not followed.")
            case .notFolder: throw .refused("A folder is expected here, not a file, or a link, which is not followed.")
            default: throw .refused("It could not be read: \(error.cause).")
            }
        }
    }
}
