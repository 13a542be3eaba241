/// What is done about files and folders that are removed while this process has them open.
///
/// What is in force here stays in force, and is stored again at once. The process that finds out does it, under the
/// journal's lock:
///
///     found missing            found out by                                  stored again
///     ─────────────────        ──────────────────────────────────────        ────────────────────────────────
///     the file                 a look, and each call that promises a disk    a whole new journal, then the file
///     the journal              a look, and each taking of the lock           a journal with what the file lacks
///     both, or the folder      the same                                      the folder, a whole journal, the file
///     values: another process  each reading of the other's records           a whole new journal, then the file
///     has opened the remains
///
/// A whole journal says that there is no file and has every value, so that the next load finds everything, whether the
/// file has been written by then or not. It goes on where the old one ended, which all processes that have that one
/// open can still read; so they follow without a gap. A journal that was begun by a process that had found nothing is
/// followed too, and what it has is put over what is in force here, key by key.
extension FileSession {
    /// What stands at the file's path; `nil` if that is nothing.
    func fileStatus() throws(FileError) -> FileStatus? {
        do {
            return try operations.status(at: names.file)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            return nil
        }
    }

    /// Whether there was a file and there is none, also if something else than a file has its name.
    func isFileMissing() throws(FileError) -> Bool {
        file.version == .absent ? false : try file.isMissing(fileStatus())
    }

    private mutating func isJournalMissing() throws(FileError) -> Bool {
        journal.isOpen ? try journal.isReplaced() : journal.end.generation != 0
    }

    /// Makes sure that what is on stable storage will be found by a later load: at the end of each call that promises
    /// it. If that can't be found out, it can't be promised, and this throws.
    mutating func verify() throws(StorageError) {
        if try isFileMissingAfterFollowing() { repairs.add(.storeEverything) }
        let isJournalMissing = try fileErrors(as: StorageError.unreadable) { (session) throws(FileError) in
            try session.isJournalMissing()
        }
        guard repairs.isRestoring || isJournalMissing else { return }
        if journal.isLocked, isJournalMissing {
            try lockAgain()
        } else {
            try acquire()
            release()
        }
        try synchronize()
    }

    private mutating func isFileMissingAfterFollowing() throws(StorageError) -> Bool {
        let status = try fileErrors(as: StorageError.unreadable) { (session) throws(FileError) in
            try session.fileStatus()
        }
        guard !place.links.isEmpty || status?.kind == .symbolicLink else { return file.isMissing(status) }
        try followPath()
        return try fileErrors(as: StorageError.unreadable) { (session) throws(FileError) in try session.isFileMissing()
        }
    }

    /// Goes where the path leads by now. If nothing is there, what is in force is stored there.
    mutating func followPath() throws(StorageError) {
        guard !journal.isLocked else { return }
        try followSwappedLink()
        let resolved = try resolvedPlace()
        guard resolved.names != names else { return }
        place = resolved
        journal.close()
        journal = JournalFile(operations, path: names.journal)
        forgetFile()
        repairs.add(.storeEverything)
    }

    /// Goes over to the journal that has the name of the one whose lock is held. The old lock excludes no process any
    /// more.
    private mutating func lockAgain() throws(StorageError) {
        try mergeNewRecords()
        let count = journal.closeLocked()
        try acquire()
        journal.keepLocked(count: count)
    }

    /// Has the file written again if it is missing. Under the lock of a journal that was not known.
    mutating func restoreIfFileIsMissing() throws(StorageError) {
        guard !repairs.isRestoring else { return }
        let isMissing = try fileErrors(as: StorageError.unreadable) { (session) throws(FileError) in
            try session.isFileMissing()
        }
        if isMissing { repairs.add(.storeEverything) }
    }

    /// Stores again what is in force. Under the lock, with everything merged that others have written.
    mutating func restore() throws(StorageError) {
        try carryOut(.storeEverything)
        try carryOut(.storeFile)
    }

    /// Writes the file again. The journal has everything, so the next checkpoint does what fails here.
    mutating func storeFile() {
        do throws(StorageError) {
            try tryStoringFile()
        } catch {
            inForce.announce(.unusable(error))
        }
    }

    private mutating func tryStoringFile() throws(StorageError) {
        try moveFolderAway()
        var tree = inForce.tree
        switch try examine() {
        case .current, .absent: break
        case .edited(let reading, let edited): try merge(edited, from: reading, over: &tree)
        case .unusable: return
        }
        _ = try write(tree)
    }

    /// Gives something that is no file and has the file's name another one.
    private mutating func moveFolderAway() throws(StorageError) {
        guard let status = try? operations.status(at: names.file), status.kind == .folder || status.kind == .other
        else {
            return
        }
        try fileErrors { (session) throws(FileError) in
            try session.putAside(session.names.file, as: session.names.corrupt)
        }
    }

    /// Gives whatever has a name another one that is free.
    func putAside(_ path: FilePath, as name: (Int) -> FilePath) throws(FileError) {
        for number in 1...Self.corruptLimit {
            do {
                _ = try operations.status(at: name(number))
            } catch {
                guard error.cause == .notFound else { throw error }
                return try operations.rename(path, to: name(number))
            }
        }
        throw FileError(action: "set aside", path: path.text, cause: .alreadyExists)
    }

    /// The records of a journal that has everything that is in force.
    mutating func wholeBeginning() throws(FileError) -> [JournalRecord.Content] {
        if try isFileMissing() { forgetFile() }
        contents.overlay = JournalOverlay([JournalBatch(revision: 0, tree: inForce.tree)])
        compare(inForce.tree)
        repairs.add(.rewriteFile)
        return [.checkpointed(file.version, coveredEnd: JournalHeader.size), .values(contents.overlay.batch)]
    }

    /// There is no file any more.
    private mutating func forgetFile() {
        if file.forget() { inForce.announce(.unusable(.removed(names.file))) }
        repairs.endCheckpoints()
    }

    /// Whether the journal goes on from one before the end of what is known: a process that had not seen all has begun
    /// it when the last one was removed.
    func isFork(from known: JournalPosition) -> Bool {
        guard let header = journal.header, header.previousGeneration != 0, known.generation != 0 else { return false }
        guard header.previousGeneration != known.generation else { return header.previousEnd < UInt64(known.offset) }
        return journal.earlierGenerations.contains(header.previousGeneration)
    }

    /// Goes over to such a journal. The values that it begins with, behind the versions that it names, are
    /// older than what is known.
    mutating func mergeFork(_ log: JournalReading) {
        begin(with: nil)
        var (isBeginning, mayBeginAgain) = (false, false)
        merge(
            log.records.filter { offset, record in
                switch record.content {
                case .checkpointed(_, offset):
                    (isBeginning, mayBeginAgain) = (true, false)
                    return true
                case .checkpoint(_, offset) where mayBeginAgain:
                    (isBeginning, mayBeginAgain) = (true, false)
                    return true
                case .values(let batch) where isBeginning && batch.revision == 0 && batch.author == nil:
                    (isBeginning, mayBeginAgain) = (false, true)
                    return false
                default:
                    (isBeginning, mayBeginAgain) = (false, false)
                    return true
                }
            })
        repairs.add(.storeEverything)
    }
}
