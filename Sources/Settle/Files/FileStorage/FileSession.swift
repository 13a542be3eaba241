/// One process's access to a settings file and its journal.
///
/// The journal has everything: all values, and which version of the readable file, its mirror, has which of them. So
/// every question about the file is answered by comparing, and a lost or damaged file is only written again.
///
/// This is the driver: it makes the system calls, in the order of durability. Structs that make no system calls decide
/// what follows from their results:
///
///     file and journal ──────▶ LoadedValues     what is stored, and what has been edited at rest?
///     readings of the file ──▶ KnownFile        is it known, edited, missing, unusable?
///     records ───────────────▶ JournalState     which versions may the file have, and what does each lack?
///     another journal ───────▶ KnownJournal     does it continue the known one, or is it a backup?
///     changes ───────────────▶ ValuesInForce    what has not been delivered to the store?
///     losses, failures ──────▶ PendingRepairs   what is due before anything else is written?
///     sizes ─────────────────▶ RewriteSchedule  is it worthwhile to write the file, or a new journal?
///
///     unloaded ──┐
///     ready ─────┼─ load ─▶ ready | unreadable        every state ─ close ─▶ closed
///     unreadable ┘
///
/// Only `ready` allows anything to be written, and a load writes nothing. Each failure leaves this behind:
///
/// - A failed append leaves no valid record: the next one overwrites it.
/// - After a failed sync the next write replaces the journal by a new one with all values.
/// - A failed checkpoint leaves the old file, or the new one if only the last sync failed, and in both cases a journal
///   that knows either.
struct FileSession: Sendable {
    enum Phase: Sendable {
        case unloaded, ready, closed
        case unreadable(StorageError)
    }

    private(set) var operations: FileOperations
    /// The path as given, before links are followed.
    let path: FilePath
    var lockTimeout: LockTimeout
    /// The end of a journal's records at the latest, so that a load can always read it.
    let journalCapacity: Int

    var phase = Phase.unloaded
    /// The files to which the path leads.
    var place: FilePlace
    /// The files to which the path leads according to a caller that has just followed it, for the call that follows.
    var assumedPlace: FilePlace?
    var spelling: FileSpelling
    var journal: JournalFile

    var file = KnownFile()
    var state = JournalState()
    var inForce = ValuesInForce()
    var repairs = PendingRepairs()
    var schedule: RewriteSchedule
    /// The batch that was appended last, which is not appended twice.
    var lastBatch: StorageBatch.ID?
    /// The named locks that this process holds.
    var namedLocks = NamedFileLocks()
    var history = FileHistory()
    /// Records that could not be appended to the journal when they became known.
    var untold: [JournalRecord.Content] = []
    /// A text by an editor that a checkpoint has replaced before any process had read it.
    var displaced: FileReading?
    /// The store's declarations of which keys are state and which are not.
    var declared = DeclaredState()
    /// The status of the state file when it was last read.
    var seenState: FileSignature?
    /// The journal that was open before another one got its name, until that one is known.
    var lost: JournalFile?
    /// Secrets that are not recorded in the journal yet, although it keeps a history.
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

    /// Makes all further calls by other means, on the files that are open too.
    mutating func use(_ operations: FileOperations) {
        self.operations = operations
        journal.operations = operations
    }

    /// The largest file that is read or written, in bytes.
    static let sizeLimit = 256 << 20
    /// The largest journal that is read, in bytes: it has all values, and the records after them.
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
