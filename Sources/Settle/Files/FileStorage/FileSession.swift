/// One process's dealings with a settings file and its journal.
///
/// It is the driver: it makes the system calls, in the order of durability. What follows from their results is decided
/// by structs that make none:
///
///     readings of the file ──▶ KnownFile            is it current, edited, missing, unusable?
///     records ───────────────▶ JournalContents      what does the journal have beyond the file?
///     changes ───────────────▶ ValuesInForce        what has the store not been told?
///     losses, failures ──────▶ PendingRepairs       what is due before anything else is written?
///     the journal's size ────▶ JournalGrowth        is it begun anew without a checkpoint?
///
///     unloaded ──┐
///     ready ─────┼─ load ─▶ ready | unreadable        every state ─ close ─▶ closed
///     unreadable ┘
///
/// Only `ready` allows anything to be written. What each failure leaves behind:
///
/// - An append that fails leaves no valid record: the next one takes its place.
/// - After a sync that fails the next write puts a new journal in the place of the old one, with everything that the
///   readable file does not have.
/// - A checkpoint that fails leaves the old file, or the new one if only the last sync failed, and in both cases a
///   journal that leads from either to the newest values.
struct FileSession: Sendable {
    enum Phase: Sendable {
        case unloaded, ready, closed
        case unreadable(StorageError)
    }

    /// Where the path leads.
    struct Place: Sendable, Equatable {
        /// Of the file itself, after all links on the way to it.
        var names: FileNames
        /// The symbolic links on the way from the path to the file.
        var links: [FilePath] = []
    }

    let operations: FileOperations
    /// As given, before links are followed.
    let path: FilePath
    /// The format asked for, if one was.
    let chosenFormat: FileFormat?
    var lockTimeout: LockTimeout
    /// A journal beyond this size is replaced by a new one after a checkpoint.
    let journalLimit: Int
    /// Where the records of a journal end at the latest, so that a load can always read it.
    let journalCapacity: Int

    var phase = Phase.unloaded
    var place: Place
    var format: FileFormat
    var journal: JournalFile

    var file = KnownFile()
    var contents = JournalContents()
    var inForce = ValuesInForce()
    var repairs = PendingRepairs()
    var growth = JournalGrowth()
    /// The last batch that was appended, which is not appended twice.
    var lastBatch: StorageBatch.ID?
    /// The named locks that this process holds.
    var namedLocks = NamedFileLocks()
    /// What this process has seen of the file's history.
    var recent = RecentTransactions()
    /// What this process knows of the file of the past.
    var pastIndex: HistoryArchiveIndex?
    /// The records of a journal that has been removed, until those of its transactions are kept.
    var lostRecords: [(offset: Int, record: JournalRecord)] = []
    /// The keys of which this process knows that their values are secrets.
    var secretKeys: Set<SettingKey> = []
    /// Those of them that the journal has not been told, although it says that a history is kept.
    var untoldSecrets: Set<SettingKey> = []
    /// Whether the store has been told that the past can't be kept, since it was kept the last time.
    var hasToldPastTrouble = false
    /// What the journal tells of the past, for one page after another.
    var journalRecords: JournalRecords?
    /// Whether only the user may read the file from its next version on.
    var isPrivate = false

    init(
        _ operations: FileOperations, path: FilePath, format: FileFormat?, lockTimeout: LockTimeout, journalLimit: Int,
        journalCapacity: Int
    ) {
        self.operations = operations
        self.path = path
        self.lockTimeout = lockTimeout
        self.journalLimit = journalLimit
        self.journalCapacity = journalCapacity
        chosenFormat = format
        self.format = format ?? .json
        place = Place(names: FileNames(path))
        journal = JournalFile(operations, path: place.names.journal)
    }

    var names: FileNames { place.names }

    /// The largest file that is read or written, in bytes.
    static let sizeLimit = 256 << 20

    /// Whatever a storage is asked to do once it has been loaded begins with this.
    mutating func beginCall() throws(StorageError) {
        lockTimeout.renew()
        switch phase {
        case .ready: break
        case .closed: throw .closed(path)
        case .unloaded: throw .notWritten(path, "it has not been loaded yet.")
        case .unreadable(let error): throw .notWritten(path, "the last load failed: \(error)", errno: error.errno)
        }
    }

    mutating func close() {
        phase = .closed
        journal.close()
        namedLocks.unlockAll(operations)
    }

    // MARK: Formats

    func decode(_ bytes: [UInt8]) throws -> SettingTree {
        try (FileFormat.detect(bytes) ?? chosenFormat ?? formatByName).decode(bytes)
    }

    func encode(_ tree: SettingTree) throws(StorageError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try format.encode(tree)
        } catch {
            throw StorageError(.unsupportedValue, "“\(path)” can't hold one of its values. \(error)")
        }
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(path, toHold: bytes.count) }
        return bytes
    }

    func format(toReplace bytes: [UInt8]) -> FileFormat {
        chosenFormat ?? FileFormat.detect(bytes) ?? formatByName
    }

    var formatByName: FileFormat {
        FileFormat(fileName: path.name) ?? .json
    }

    /// Whether the file would have the same bytes for two values, such as a date and its spelling in JSON.
    func isSpelledAlike(_ one: SettingValue, _ other: SettingValue) -> Bool {
        guard let bytes = try? format.encode(SettingTree(["value": one])) else { return false }
        return bytes == (try? format.encode(SettingTree(["value": other])))
    }

    // MARK: Cleaning up

    /// Removes what writers that crashed or failed have left behind.
    ///
    /// A writer of a file holds its lock, and the operating system takes the lock away when its process ends, so a file
    /// that can be locked has no writer. Between a writer's making of its file and its locking, and between its closing
    /// and its renaming, it has one nevertheless; that writer's rename fails then, and it saves again to another file.
    mutating func removeAbandonedFiles() {
        guard repairs.contains(.removeAbandonedFiles) else { return }
        repairs.remove(.removeAbandonedFiles)
        guard let found = try? operations.names(in: names.folder) else { return }
        for name in found where names.isTemporary(name) {
            let path = names.file.sibling(named: name)
            guard let file = try? operations.open(path, .read) else { continue }
            do {
                try operations.lock(file, at: path)
                try operations.remove(path)
            } catch {
                // It has a writer, or may have one. It is left alone.
            }
            try? operations.close(file, at: path)
        }
    }
}
