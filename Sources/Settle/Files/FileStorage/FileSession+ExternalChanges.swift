/// What has happened outside, as far as the watch or a look tells.
extension FileSession {
    /// What may have changed.
    struct PendingChecks: OptionSet, Sendable {
        let rawValue: UInt8

        /// The journal has more records.
        static let journal = PendingChecks(rawValue: 1)
        /// The file or the journal is another one, the file has other contents, or a link leads elsewhere.
        static let file = PendingChecks(rawValue: 2)
        static let everything: PendingChecks = [.journal, .file]
    }

    /// Merges what others have done since the last time.
    mutating func mergeOutside(_ checks: PendingChecks) throws(StorageError) {
        try mergeFileAndJournal(checks)
        if checks.contains(.file) { try mergeEditedState() }
    }

    private mutating func mergeFileAndJournal(_ checks: PendingChecks) throws(StorageError) {
        if checks.contains(.file) {
            try followSwappedLink()
        }
        if journal.isOpen { try mergeNewRecords() }
        if checks.contains(.file), journal.isOpen, !journal.isLocked, (try? journal.isReplaced()) != false {
            leaveJournal()
        }
        try openJournal()
        try reloadIfFileIsBack()
        // Behind a removal there may be more, which waits for the lock.
        guard checks.contains(.file) || repairs.contains(.restoreFile) else { return }
        // What could not be told when it was found out, and what has been removed. What a load has found is left to a
        // process that writes.
        let isJournalMissing = !journal.isOpen && journal.end.generation != 0
        if hasWritten && !untold.isEmpty || repairs.contains(.restoreFile) || isJournalMissing { doWhatIsLeft() }
        switch try examine() {
        case .edited: try lookAgain()
        case .absent: doWhatIsLeft()
        case .current, .unusable, .superseded: break
        }
    }

    /// Loads again if the file has come back that was found removed, before anything is written that relies on that.
    mutating func reloadIfFileIsBack() throws(StorageError) {
        guard !hasWritten, untold.contains(where: \.isReset), (try? fileStatus()) != nil else { return }
        inForce.announce(.everything(try load().tree))
    }

    /// Opens the journal that is there, if none is open.
    mutating func openJournal() throws(StorageError) {
        if !journal.isOpen { _ = try StorageError.saving(names.file, journal.open()) }
        if journal.isOpen, !journal.isKnown { try goOver() }
    }

    /// Gives up a journal that does not have its name any more. Under its lock, if that is to be had: its last words
    /// may just be written.
    private mutating func leaveJournal() {
        guard (try? acquire(isWriting: false)) != nil else { return journal.close() }
        release()
    }

    /// Carries out under the lock what is due there. That needs permission to write; without it, another process does
    /// it.
    private mutating func doWhatIsLeft() {
        do throws(StorageError) {
            try acquire(isWriting: false)
            release()
        } catch {
            guard repairs.contains(.restoreFile), file.announceAbsence() else { return }
            inForce.announce(.unusable(.removed(names.file, replacedBy: replacement, because: error)))
        }
    }

    /// Goes over to the journal that has been opened: under the lock, since the process that made it may just be
    /// writing the file. Without permission to write there is no lock, and what was seen is merged.
    private mutating func goOver() throws(StorageError) {
        do throws(StorageError) {
            try acquire(isWriting: false)
            release()
        } catch {
            guard journal.isOpen else { throw error }
            if !journal.isKnown { try mergeOther() }
        }
    }

    /// Whether others have appended to the journal.
    mutating func hasNews() -> Bool { !journal.isOpen || (try? journal.hasNews()) ?? true }

    /// Goes over to another file if the path is a symbolic link that leads to another one by now, with what was stored
    /// here and had not reached the file that the path led to before.
    mutating func followSwappedLink() throws(StorageError) {
        let resolved = try resolvedPlace()
        guard resolved.names != names else { return place = resolved }
        // Between the old link and the new one there may be none.
        guard !journal.isLocked, (try? operations.status(at: resolved.names.file)) != nil else { return }
        let known = inForce.tree
        let mirror = state.mirrors[0].difference.mirror(of: known)
        var tree = try load().tree
        // What the file that the path led to before had not got yet.
        let ours = TreeDifference(from: mirror, to: known).batch
        if !ours.entries.isEmpty {
            tell(.values(ours.with(history.transaction(ofEdit: ours, over: inForce.tree, state.history))))
            tree.apply(ours.values)
        }
        inForce.announce(.everything(tree))
    }
}
