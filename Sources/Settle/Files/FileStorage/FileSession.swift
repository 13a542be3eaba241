/// One process's dealings with a settings file and its journal.
///
/// The journal has everything: all values, and which version of the readable file, its mirror, has which of them. So
/// every question about the file is answered by comparing, and a file that is lost or damaged is only written again.
///
/// This is the driver: it makes the system calls, in the order of durability. What follows from their results is
/// decided by structs that make none:
///
///     file and journal ──────▶ LoadedValues     what is stored, and what has been edited at rest?
///     readings of the file ──▶ KnownFile        is it known, edited, missing, unusable?
///     records ───────────────▶ JournalState     which versions may the file have, and what does each lack?
///     another journal ───────▶ KnownJournal     does it go on with the one that was known, or is it a backup?
///     changes ───────────────▶ ValuesInForce    what has the store not been told?
///     losses, failures ──────▶ PendingRepairs   what is due before anything else is written?
///     sizes ─────────────────▶ RewriteSchedule  is it worth it to write the file, or a new journal?
///
///     unloaded ──┐
///     ready ─────┼─ load ─▶ ready | unreadable        every state ─ close ─▶ closed
///     unreadable ┘
///
/// Only `ready` allows anything to be written, and a load writes nothing. What each failure leaves behind:
///
/// - An append that fails leaves no valid record: the next one takes its place.
/// - After a sync that fails the next write puts a new journal with all values in the place of the old one.
/// - A checkpoint that fails leaves the old file, or the new one if only the last sync failed, and in both cases a
///   journal that knows either.
struct FileSession: Sendable {
    enum Phase: Sendable {
        case unloaded, ready, closed
        case unreadable(StorageError)
    }

    let operations: FileOperations
    /// As given, before links are followed.
    let path: FilePath
    var lockTimeout: LockTimeout
    /// Where the records of a journal end at the latest, so that a load can always read it.
    let journalCapacity: Int

    var phase = Phase.unloaded
    /// Where the path leads.
    var place: FilePlace
    var spelling: FileSpelling
    var journal: JournalFile

    var file = KnownFile()
    var state = JournalState()
    var inForce = ValuesInForce()
    var repairs = PendingRepairs()
    var schedule: RewriteSchedule
    /// The last batch that was appended, which is not appended twice.
    var lastBatch: StorageBatch.ID?
    /// The named locks that this process holds.
    var namedLocks = NamedFileLocks()
    var history = FileHistory()
    /// What the journal could not be told when it became known.
    var untold: [JournalRecord.Content] = []
    /// What somebody has written into the file and a checkpoint has taken from its place before it was seen.
    var displaced: FileReading?
    /// What the store has said is state, and is none.
    var declared = DeclaredState()
    /// What the system said of the file of state when it was last read.
    var seenState: FileSignature?
    /// The journal that was open before another one had its name, until that is known.
    var lost: JournalFile?
    /// The keys of secrets that the journal has not been told, although it says that a history is kept.
    var untoldSecrets: Set<SettingKey> = []
    /// Whether this process has written since it loaded the file, or was about to.
    var hasWritten = false
    /// Whether only the user may read the file from its next version on.
    var isPrivate = false

    init(
        _ operations: FileOperations, path: FilePath, format: FileFormat?, lockTimeout: LockTimeout, journalLimit: Int,
        journalCapacity: Int
    ) {
        self.operations = operations
        self.path = path
        self.lockTimeout = lockTimeout
        schedule = RewriteSchedule(journalLimit: journalLimit)
        self.journalCapacity = journalCapacity
        spelling = FileSpelling(path, chosen: format)
        place = FilePlace(names: FileNames(path))
        journal = JournalFile(operations, path: place.names.journal)
    }

    var names: FileNames { place.names }

    /// The largest file that is read or written, in bytes.
    static let sizeLimit = 256 << 20
    /// The largest journal that is read, in bytes: it has all values, and what has come behind them.
    static let journalSizeLimit = 512 << 20

    /// Call first in every operation except `load`.
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
        forgetLost()
        journal.close()
        namedLocks.unlockAll(operations)
    }
}
