/// External changes, as reported by the watch or found by a check.
extension FileSession {
    /// The files that may have changed.
    struct PendingChecks: OptionSet, Sendable {
        let rawValue: UInt8

        /// The journal has more records.
        static let journal = PendingChecks(rawValue: 1)
        /// The file or the journal was replaced, the file has other contents, or a link leads elsewhere.
        static let file = PendingChecks(rawValue: 2)
        static let everything: PendingChecks = [.journal, .file]
    }

    /// Merges the changes of others since the last call.
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
        // After a removal there may be more records, which wait for the lock.
        guard checks.contains(.file) || repairs.contains(.restoreFile) else { return }
        // Records that could not be written when they became known, and files that have been removed. Edits that a load
        // has found are left to a process that writes.
        let isJournalMissing = !journal.isOpen && journal.end.generation != 0
        if hasWritten && !untold.isEmpty || repairs.contains(.restoreFile) || isJournalMissing { doWhatIsLeft() }
        switch try examine() {
        case .edited: try lookAgain()
        case .absent: doWhatIsLeft()
        case .current, .unusable, .superseded: break
        }
    }

    /// Loads again if the file that was found removed has come back, before anything is written that relies on its
    /// removal.
    mutating func reloadIfFileIsBack() throws(StorageError) {
        guard !hasWritten, untold.contains(where: \.isReset), (try? fileStatus()) != nil else { return }
        inForce.announce(.everything(try load().tree))
    }

    /// Opens the journal at the path, if none is open.
    mutating func openJournal() throws(StorageError) {
        if !journal.isOpen { _ = try StorageError.saving(names.file, journal.open()) }
        if journal.isOpen, !journal.isKnown { try goOver() }
    }

    /// Gives up a journal that does not have its name any more. Under its lock, if that is available: its last records
    /// may just be written.
    private mutating func leaveJournal() {
        guard (try? acquire(isWriting: false)) != nil else { return journal.close() }
        release()
    }

    /// Carries out under the lock the repairs that need it. That requires permission to write; without it, another
    /// process carries them out.
    private mutating func doWhatIsLeft() {
        do throws(StorageError) {
            try acquire(isWriting: false)
            release()
        } catch {
            guard repairs.contains(.restoreFile), file.announceAbsence() else { return }
            let kind = operations.kindOfReplacement(of: names.file)
            inForce.announce(.unusable(.removed(names.file, replacedBy: kind, because: error)))
        }
    }

    /// Switches to the journal that has been opened. It does so under the lock, because the process that made the
    /// journal may just be writing the file. Without permission to write there is no lock, and the changes that were
    /// seen are merged.
    private mutating func goOver() throws(StorageError) {
        do throws(StorageError) {
            try acquire(isWriting: false)
            release()
        } catch {
            guard journal.isOpen else { throw error }
            if !journal.isKnown { try mergeOther() }
        }
    }

    /// Returns whether others have appended to the journal.
    mutating func hasNews() -> Bool { !journal.isOpen || (try? journal.hasNews()) ?? true }

    /// Switches to another file if the path is a symbolic link that now leads to another one, and takes along the
    /// values that were stored here and had not reached the previous file or its state file.
    mutating func followSwappedLink() throws(StorageError) {
        let resolved = try currentPlace()
        guard resolved.names != names else { return place = resolved }
        // Between the old link and the new one there may be no link.
        guard !journal.isLocked, (try? operations.status(at: resolved.names.file)) != nil else { return }
        // Closed, but known: it is recognized once it is opened again.
        let mustReplace = journal.needsReplacement
        journal.close()
        journal.needsReplacement = mustReplace
        let (known, previous) = (inForce.tree, self)
        var mirror = state.mirrors[0].difference.mirror(of: known)
        if let written = state.stateFile.versions.last {
            mirror = mirror.with(written.difference.mirror(of: state.stateFile.tree(of: known)))
        }
        var tree: SettingTree
        do throws(StorageError) {
            tree = try load().tree
        } catch {
            // The next check follows the link again, and takes the values along then.
            journal.close()
            self = previous
            throw error
        }
        // The values that the previous files did not have yet.
        let ours = TreeDifference(from: mirror, to: known).batch
        if !ours.entries.isEmpty {
            tell(.values(ours.with(history.transaction(ofEdit: ours, over: inForce.tree, state.history))))
            tree.apply(ours.values)
        }
        inForce.announce(.everything(tree))
    }
}
