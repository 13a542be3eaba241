import Synchronization

/// The system calls that read files, as long as the system has everything in memory. None waits for a disk, for another
/// machine or for a lock, so they may be made on any thread. Only to look up the name of a file that is removed or
/// renamed at that moment may wait for the process that does so.
///
/// A call that might wait does nothing and throws. ``hasRefused`` is true from then on: whatever was concluded from the
/// calls does not count, and other calls have to be made on a thread that may block. So callers need not pass the error
/// on.
///
/// Only Linux has such calls, since 5.12, and there only file systems on a disk do. Elsewhere all calls are refused. A
/// file system with a block device counts as one on a disk, even if a program or a cluster serves it.
final class CachedSystemCalls: SystemCalls {
    /// The use for which an entry is opened.
    enum Access {
        case reading, writing, status
    }

    private let base = POSIXSystemCalls()
    private let refused = Atomic(false)
    private let opened = LockedValue(Opened())

    /// An open folder of this machine's disks.
    typealias Folder = (file: FileDescriptor, identity: FileStatus.Identity)

    fileprivate struct Opened: Sendable {
        /// The folders of this machine's disks that were walked to; `nil` for any other. Each path is walked once,
        /// however many of its files are read.
        var folders: [FilePath: Folder?] = [:]
        /// The last folder that an entry was opened in. Nearly always it is that of the next entry, which then needs
        /// neither the path of its folder nor a look-up.
        var lastFolder: (path: FilePath, file: FileDescriptor)?
        /// The file that the caller has opened last for reading.
        var file: (path: String, file: FileDescriptor)?
        /// The file that the caller has closed last. It stays open until another one takes its place, or until its name
        /// is looked up once more.
        var closedFile: (path: String, file: FileDescriptor)?
    }

    /// The largest part of a file that is read at once, in bytes: reading the values in a larger one takes longer than
    /// changing threads.
    static let partLimit = 128 << 10
    /// The largest file of which a part is read, in bytes: a journal may begin with a long history, which an opening
    /// skips.
    static let sizeLimit = 2 << 20

    deinit {
        let opened = opened.withLock { $0 }
        for folder in opened.folders.values {
            if let folder { try? base.closeFile(folder.file) }
        }
        if let file = opened.closedFile?.file { try? base.closeFile(file) }
    }

    /// Whether any call was refused.
    var hasRefused: Bool { refused.load(ordering: .relaxed) }

    /// Records a refusal. Its error is one that no caller handles by trying another way.
    private func refusal() -> SystemError {
        refused.store(true, ordering: .relaxed)
        return .notPermitted
    }

    /// Returns whether the path of a settings file is plain, and the folders for it and its companions are on a disk of
    /// this machine, with no link on the way to them. Anything else is a refusal.
    ///
    /// The file itself may be a link, which opening it refuses.
    func reaches(_ names: FileNames) -> Bool {
        let isReached = names.file.isPlain && names.folders.allSatisfy { identity(ofFolder: $0) != nil }
        if !isReached { refused.store(true, ordering: .relaxed) }
        return isReached
    }

    /// Returns the identity of a folder; `nil` if it is not one that ``reaches(_:)`` finds.
    func identity(ofFolder path: FilePath) -> FileStatus.Identity? { opened.withLock { $0.folder(path)?.identity } }

    /// Opens an entry of a folder. An entry that is a link, or another file system's, is refused.
    private func open(_ path: String, _ access: Access) throws(SystemError) -> FileDescriptor {
        let path = FilePath(path)
        guard let folder = opened.withLock({ $0.folder(of: path) }) else { throw refusal() }
        do throws(SystemError) {
            return try Self.open(path.name, in: folder, access)
        } catch {
            guard error == .notFound else { throw refusal() }
            throw error
        }
    }

    // MARK: Reading

    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        switch mode {
        case .read:
            let file = try open(path, .reading)
            opened.withLock { $0.file = (path, file) }
            return file
        case .update: return try open(path, .writing)
        case .createNew, .updateOrCreate, .folder: throw refusal()
        }
    }

    func readBytes(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try read(file, at: nil, into: buffer)
    }

    func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try read(file, at: offset, into: buffer)
    }

    private func read(
        _ file: FileDescriptor, at offset: Int64?, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        // A reader of a whole file has room for one byte more, to find its end.
        guard buffer.count <= Self.partLimit + 1 else { throw refusal() }
        do throws(SystemError) {
            return try Self.read(file, at: offset, into: buffer)
        } catch {
            throw refusal()
        }
    }

    func closeFile(_ file: FileDescriptor) throws(SystemError) {
        if let file = opened.withLock({ $0.close(file) }) { try base.closeFile(file) }
    }

    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        let status = try base.status(of: file)
        guard status.size <= Self.sizeLimit else { throw refusal() }
        return status
    }

    func status(at path: String) throws(SystemError) -> FileStatus {
        if let file = opened.withLock({ $0.takeClosedFile(path) }) {
            defer { try? base.closeFile(file) }
            return try statusOfName(path)
        }
        let file = try open(path, .status)
        defer { try? base.closeFile(file) }
        return try status(of: file)
    }

    /// Looks up the name of a file that is open, in one call instead of three. That needs only memory: an open file
    /// keeps its name there, and a change of the name has just read and changed the folder.
    private func statusOfName(_ path: String) throws(SystemError) -> FileStatus {
        let path = FilePath(path)
        guard let folder = opened.withLock({ $0.folder(of: path) }) else { throw refusal() }
        do throws(SystemError) {
            return try base.status(of: path.name, in: folder)
        } catch {
            guard error == .notFound else { throw refusal() }
            throw error
        }
    }

    // MARK: Refused

    func openEntry(
        _ name: String, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(SystemError) -> FileDescriptor {
        throw refusal()
    }

    func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        throw refusal()
    }

    func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) { throw refusal() }
    func synchronize(_ file: FileDescriptor) throws(SystemError) { throw refusal() }
    func synchronizeData(_ file: FileDescriptor) throws(SystemError) { throw refusal() }
    func lockFile(_ file: FileDescriptor) throws(SystemError) { throw refusal() }
    func unlockFile(_ file: FileDescriptor) throws(SystemError) { throw refusal() }
    func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) { throw refusal() }
    func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) { throw refusal() }

    func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        throw refusal()
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemError) { throw refusal() }
    func exchangeFiles(_ path: String, _ other: String) throws(SystemError) { throw refusal() }
    func linkFile(_ path: String, to newPath: String) throws(SystemError) { throw refusal() }
    func removeFile(_ path: String) throws(SystemError) { throw refusal() }
    func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) { throw refusal() }
    func namesInFolder(_ path: String) throws(SystemError) -> [String] { throw refusal() }
    func linkTarget(_ path: String) throws(SystemError) -> String { throw refusal() }
}

extension CachedSystemCalls.Opened {
    /// Returns a folder, which is walked to if it is not known.
    fileprivate mutating func folder(_ path: FilePath) -> CachedSystemCalls.Folder? {
        if let known = folders[path] { return known }
        let folder = try? CachedSystemCalls.openFolder(path.text)
        folders.updateValue(folder, forKey: path)
        return folder
    }

    /// Returns the folder of an entry.
    fileprivate mutating func folder(of entry: FilePath) -> FileDescriptor? {
        if let lastFolder, entry.isDirectlyIn(lastFolder.path) { return lastFolder.file }
        let path = entry.folder
        guard let folder = folder(path) else { return nil }
        lastFolder = (path, folder.file)
        return folder.file
    }

    /// Records that the caller has closed a file.
    ///
    /// - Returns: The file to close now.
    fileprivate mutating func close(_ closed: FileDescriptor) -> FileDescriptor? {
        guard let file, file.file == closed else { return closed }
        defer { (self.file, closedFile) = (nil, file) }
        return closedFile?.file
    }

    /// Gives up the closed file, if it has this path, for the caller to close.
    fileprivate mutating func takeClosedFile(_ path: String) -> FileDescriptor? {
        guard let closedFile, closedFile.path.hasSameBytes(as: path) else { return nil }
        self.closedFile = nil
        return closedFile.file
    }
}

extension FilePath {
    /// Whether it is the path of an entry of a folder other than the root.
    fileprivate func isDirectlyIn(_ folder: FilePath) -> Bool {
        text.withBytes { bytes in
            folder.text.withBytes { start in
                bytes.count > start.count && UnsafeRawBufferPointer(rebasing: bytes[..<start.count]).isEqual(to: start)
                    && bytes.lastIndex(of: UInt8(ascii: "/")) == start.count
            }
        }
    }
}
