/// What is done about files and folders that are removed while this process has them open.
///
/// What is in force here stays in force, and is stored again at once. The process that finds out does it, under the
/// journal's lock:
///
///     found missing            found out by                                  stored again
///     ─────────────────        ──────────────────────────────────────        ─────────────────────────────
///     the file                 a look, and each call that promises a disk    the file, of which the journal has all
///     the journal              a look, and each taking of the lock           a journal with all values
///     both, or the folder      the same                                      the folder, a journal, the file
///     values: another process  each reading of the other's records           a new journal, then the file
///     has opened the remains
///
/// A new journal goes on where the old one ended, which all processes that have that one open can still read; so they
/// follow without a gap. A journal that was begun by a process that had found nothing is followed too, and what was in
/// force here is put beside it, key by key.
extension FileSession {
    /// What stands at the file's path; `nil` if that is nothing.
    func fileStatus() throws(StorageError) -> FileStatus? {
        do {
            return try operations.status(at: names.file)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw .unreadable(names.file, error) }
            return nil
        }
    }

    /// Whether there was a file and there is none, also if something else than a file has its name.
    func isFileMissing() throws(StorageError) -> Bool {
        file.version == .absent ? false : try file.isMissing(fileStatus())
    }

    private mutating func isJournalMissing() throws(FileError) -> Bool {
        journal.isOpen ? try journal.isReplaced() : journal.end.generation != 0
    }

    /// Makes sure that what is on stable storage will be found by a later load: at the end of each call that promises
    /// it. If that can't be found out, it can't be promised, and this throws.
    mutating func verify() throws(StorageError) {
        if try isFileMissingAfterFollowing() { repairs.insert(.restoreFile) }
        let isJournalMissing = try StorageError.reading(names.file, self.isJournalMissing())
        guard repairs.contains(.restoreFile) || isJournalMissing else { return }
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

    /// Goes where the path leads by now. If nothing is there, what is in force is stored there.
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

    /// Goes over to the journal that has the name of the one whose lock is held. The old lock excludes no process any
    /// more.
    private mutating func lockAgain() throws(StorageError) {
        try mergeNewRecords()
        let count = journal.lockCount
        giveUpJournal()
        try acquire()
        journal.keepLocked(count: count)
    }

    /// Has the file written again if it is missing. Under the lock of a journal that was not known.
    mutating func restoreIfFileIsMissing() throws(StorageError) {
        if try isFileMissing() { repairs.insert(.restoreFile) }
    }

    /// Tells the journal that there is no file, so that the next load does not take that for a wish, and writes it
    /// again. The journal has everything, so the next checkpoint does what fails of the latter.
    mutating func restoreFile() throws(StorageError) {
        // Under the lock of a journal that has lost its name, others may have a file there that has other values.
        guard try !StorageError.reading(names.file, isJournalMissing()) else { return }
        let kind = replacement
        var aside: FilePath?
        let isNews = try isFileMissing() && forgetFile()
        defer {
            if isNews { inForce.announce(.unusable(.removed(names.file, replacedBy: kind, setAsideAs: aside))) }
        }
        try tellJournal()
        repairs.remove(.restoreFile)
        do throws(StorageError) {
            aside = try setAsideWhatIsNoFile()
            var text: FileReading?
            if try mergeFile(&text) { try write(into: text) }
        } catch {
            repairs.insert(.rewriteFile)
            inForce.announce(.unusable(error))
        }
    }

    /// Sets aside what stands in the file's place and is not a file; again with the next checkpoint if that fails.
    mutating func setAsideWhatIsNoFile() throws(StorageError) -> FilePath? {
        guard replacement != nil else { return nil }
        return try StorageError.saving(names.file, aside.move(names.file, to: names.corrupt))
    }

    /// What stands in the file's place and is not a file.
    var replacement: FileStatus.Kind? {
        guard let kind = try? operations.status(at: names.file).kind, kind != .file, kind != .symbolicLink else {
            return nil
        }
        return kind
    }

    /// There is no file any more.
    ///
    /// - Returns: Whether there was one, and the store has not been told yet.
    private mutating func forgetFile() -> Bool {
        let isNews = file.forget()
        if state.mirrors.map(\.version) != [.absent] { tell(.removal(from: inForce.tree)) }
        repairs.insert(.rewriteFile)
        return isNews
    }
}
