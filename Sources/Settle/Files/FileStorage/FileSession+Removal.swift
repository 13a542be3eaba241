/// Handling of files and folders that are removed while this process has them open.
///
/// The values in force here stay in force, and are stored again at once. The process that finds the removal does this,
/// under the journal's lock:
///
///     found missing            found by                                      stored again
///     ─────────────────        ──────────────────────────────────────        ─────────────────────────────
///     the file                 a check, and each call that promises a disk   the file, of which the journal has all
///     the journal              a check, and each taking of the lock          a journal with all values
///     both, or the folder      the same                                      the folder, a journal, the file
///     values: another process  each reading of the other's records           a new journal, then the file
///     has opened the remains
///
/// A new journal continues where the old one ended, and all processes that have the old one open can still read it; so
/// they follow without a gap. A journal that was begun by a process that had found nothing is followed too, and the
/// values that were in force here are put beside it, key by key.
extension FileSession {
    /// Returns the status of the file at the path; `nil` if there is none.
    func fileStatus() throws(StorageError) -> FileStatus? {
        do {
            return try operations.status(at: names.file)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw .unreadable(names.file, error) }
            return nil
        }
    }

    /// Returns whether there was a file and there is none now, even if something else than a file has its name.
    func isFileMissing() throws(StorageError) -> Bool {
        file.version == .absent ? false : try file.isMissing(fileStatus())
    }

    private mutating func isJournalMissing() throws(FileError) -> Bool {
        journal.isOpen ? try journal.isReplaced() : journal.end.generation != 0
    }

    /// Makes sure that a later load will find everything on stable storage. Called at the end of each call that
    /// promises this. If it can't be determined, it can't be promised, and this throws.
    mutating func verify() throws(StorageError) {
        if try isFileMissingAfterFollowing() { repairs.insert(.restoreFile) }
        let isJournalMissing = try StorageError.reading(names.file, self.isJournalMissing())
        // Values that were just taken along to another file are not recorded there yet.
        guard repairs.contains(.restoreFile) || isJournalMissing || hasWritten && !untold.isEmpty else { return }
        if journal.isLocked, isJournalMissing {
            try lockAgain()
        } else {
            try acquire()
            release()
        }
        try synchronize()
    }

    private mutating func isFileMissingAfterFollowing() throws(StorageError) -> Bool {
        let status = try fileStatus()
        guard !place.links.isEmpty || status?.kind == .symbolicLink else { return file.isMissing(status) }
        try followPath()
        return try isFileMissing()
    }

    /// Follows the path to its current destination. If nothing is there, the values in force are stored there.
    mutating func followPath() throws(StorageError) {
        guard !journal.isLocked else { return }
        try followSwappedLink()
        let resolved = try resolvedPlace()
        guard resolved.names != names else { return }
        place = resolved
        journal.close()
        journal = JournalFile(operations, path: names.journal)
        if forgetFile() { inForce.announce(.unusable(.removed(names.file))) }
        repairs.insert(.restoreFile)
    }

    /// Switches to the journal that now has the name of the locked one. The old lock no longer excludes any process.
    private mutating func lockAgain() throws(StorageError) {
        try mergeNewRecords()
        let count = journal.lockCount
        giveUpJournal()
        try acquire()
        journal.keepLocked(count: count)
    }

    /// Schedules the file to be written again if it is missing. Requires the lock of a journal that was not known.
    mutating func restoreIfFileIsMissing() throws(StorageError) {
        if try isFileMissing() { repairs.insert(.restoreFile) }
    }

    /// Records in the journal that there is no file, so that the next load does not take that as intended, and writes
    /// the file again. If the write fails, the next checkpoint repeats it, because the journal has everything.
    mutating func restoreFile() throws(StorageError) {
        // Under the lock of a journal that has lost its name, others may have a file there with other values.
        guard try !StorageError.reading(names.file, isJournalMissing()) else { return }
        let kind = operations.kindOfReplacement(of: names.file)
        var aside: FilePath?
        let isNews = try isFileMissing() && forgetFile()
        defer {
            if isNews {
                inForce.announce(.unusable(.removed(names.file, replacedBy: kind, setAsideAs: aside)))
            } else if let aside {
                // The removal has been announced by an earlier attempt, which could not set it aside.
                inForce.announce(.unusable(.setAside(names.file, as: aside)))
            }
        }
        try tellJournal()
        repairs.remove(.restoreFile)
        do throws(StorageError) {
            aside = try setAsideWhatIsNoFile(at: names.file)
            var text: FileReading?
            if try mergeFile(&text) { try write(into: text) }
        } catch {
            repairs.insert(.rewriteFile)
            inForce.announce(.unusable(error))
        }
    }

    /// Sets aside what has the name of the file, or of its previous version, and is not a file; the next checkpoint
    /// tries again if that fails.
    func setAsideWhatIsNoFile(at path: FilePath) throws(StorageError) -> FilePath? {
        guard operations.kindOfReplacement(of: path) != nil else { return nil }
        return try StorageError.saving(names.file, aside.move(path, to: names.corrupt))
    }

    /// Records that the file does not exist any more.
    ///
    /// - Returns: Whether there was one, and the store has not been notified yet.
    private mutating func forgetFile() -> Bool {
        let isNews = file.forget()
        if state.mirrors.map(\.version) != [.absent] { tell(.removal(from: inForce.tree)) }
        repairs.insert(.rewriteFile)
        return isNews
    }
}
