/// The journal of a settings file, as this process has it open.
///
/// Its file carries the lock under which all processes write. The file at the journal's path may be replaced by another
/// one (``replace(_:with:isReset:names:for:)``). A process that still has the old file open notices that the file no
/// longer has its name.
struct JournalFile: Sendable {
    // Others only read this state: the extensions of this type change it.

    var operations: FileOperations
    let path: FilePath
    var file: FileDescriptor?
    /// The identity of the open file, once it has been asked for.
    var identity: FileStatus.Identity?
    /// Whether its folder is on a file system of this machine, once the lock has been taken; `nil` on systems where
    /// that can't be determined.
    var knownToBeLocal: Bool?
    /// Whether the open file has been read.
    var isKnown = false
    var isReadOnly = false
    /// The header of the file, if it has a valid one.
    var header: JournalHeader?
    /// The position of the next record.
    var end = JournalPosition.start(of: 0)
    /// The token after the last record that has been read or written; `nil` until one has.
    var token: ChangeToken?
    /// The point up to which it is known, in the file and in the history.
    typealias Place = (offset: Int, token: ChangeToken?)
    var place: Place { (end.offset, token) }
    /// The lineage of the last journal with a header.
    var lineage: JournalLineage { lineages.last ?? JournalLineage() }
    /// The lineages of all journals that this process has had open, one for each that was begun where there was none.
    var lineages: [JournalLineage] = []
    /// The end of the records with which it was begun.
    var beginningEnd = 0
    /// The offset up to which the file is known to be on stable storage.
    var durableEnd = 0
    /// The size of the file, with the zeros after its end.
    var size = 0
    /// Whether something else than zeros may follow its end.
    var mayHaveTail = false
    /// How often the lock was taken.
    var lockCount = 0
    /// Whether it is to replace another one.
    var isReplacement = false
    /// A sync has failed: appended data may be lost although later syncs succeed. Another journal makes up for it, so
    /// this belongs to the open file and not to the pending repairs.
    var needsReplacement = false

    init(_ operations: FileOperations, path: FilePath) {
        self.operations = operations
        self.path = path
    }

    var isOpen: Bool { file != nil }
    var isLocked: Bool { lockCount > 0 }
    /// Whether everything that was appended is on stable storage.
    var isDurable: Bool { durableEnd >= end.offset && !needsReplacement }

    // MARK: Opening

    /// Opens the file if it exists. Returns whether it does.
    mutating func open() throws(FileError) -> Bool {
        close()
        do {
            (file, isReadOnly) = try openForReading()
            return true
        } catch {
            guard error.cause == .notFound else { throw error }
            return false
        }
    }

    /// Opens the file, for writing too if that is allowed: following a file that others write only needs reading.
    private func openForReading() throws(FileError) -> (FileDescriptor, isReadOnly: Bool) {
        do {
            return (try operations.open(path, .update), false)
        } catch {
            guard error.cause == .permissionDenied || error.cause == .readOnlyFileSystem else { throw error }
            return (try operations.open(path, .read), true)
        }
    }

    mutating func close() {
        guard let file else { return }
        // A process forked a moment ago has the file too, and with it the lock until that process runs its program.
        if lockCount > 0 { try? operations.unlock(file, at: path) }
        // Data that was to be durable has been synced; closing has nothing to report. It also releases the lock.
        try? operations.close(file, at: path)
        didClose()
    }

    private mutating func didClose() {
        file = nil
        identity = nil
        isKnown = false
        isReadOnly = false
        lockCount = 0
        needsReplacement = false
    }

    /// Gives up the file and its lock.
    ///
    /// - Returns: The same file, for the caller to read and close, if it was known.
    mutating func detach() -> JournalFile? {
        guard isKnown, let file else {
            close()
            return nil
        }
        if lockCount > 0 { try? operations.unlock(file, at: path) }
        lockCount = 0
        defer { didClose() }
        return self
    }

    /// The identity of the open file; `nil` if none is open.
    var openIdentity: FileStatus.Identity? { file.flatMap { try? operations.status(of: $0, at: path).identity } }

    /// Returns whether the path now leads to another file, or to none.
    mutating func isReplaced() throws(FileError) -> Bool {
        guard let file else { return true }
        return try statusIfNamed(file) == nil
    }
}
