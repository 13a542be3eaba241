extension FileSession {
    /// Reads the journal, and the file if its version is not the one that the journal records. Changes nothing: repairs
    /// are left to the first call that writes.
    ///
    /// The first attempt takes no lock, so that a program that only reads needs no permission to write. If another
    /// process wrote meanwhile, the results may belong to different moments. Whenever file and journal don't fit
    /// together exactly, they are read again under the lock.
    mutating func load() throws(StorageError) -> StorageContents {
        let resolved = try currentPlace()
        journal.close()
        place = resolved
        try checkNameLength()
        journal = JournalFile(operations, path: names.journal)
        var contents = try load(isLocked: false)
        if contents == nil {
            let isLocked = lockExisting()
            defer { if isLocked { journal.unlock() } }
            contents = try load(isLocked: true)
        }
        guard var contents else { throw .unreadable(names.file, "other programs keep replacing it") }
        (phase, seenState) = (.ready, nil)
        inForce.begin(with: contents.tree)
        contents.position = inForce.position
        contents.token = journal.token
        history.recent.begin(at: journal.token)
        return contents
    }

    /// Loads as ``load()`` does, if that needs only what the system has in memory, and finds nothing to report.
    ///
    /// - Parameters:
    ///   - place: The files to which the path leads.
    ///   - operations: Makes the calls by `calls`.
    /// - Returns: `nil` otherwise; then the session stays as it was.
    mutating func loadAtOnce(
        _ place: FilePlace, by operations: FileOperations, _ calls: CachedSystemCalls
    ) -> StorageContents? {
        guard case .unloaded = phase else { return nil }
        var attempt = self
        attempt.assumedPlace = place
        attempt.use(operations)
        let contents = try? attempt.load()
        attempt.use(self.operations)
        guard let contents, !calls.hasRefused, [.absent, .intact].contains(contents.outcome) else {
            attempt.journal.close()
            return nil
        }
        self = attempt
        return contents
    }

    /// Refuses a name that is too long for some of its companions, before anything relies on them.
    private func checkNameLength() throws(StorageError) {
        let length = names.file.name.utf8.count
        if length > FileNames.lengthLimit { throw .nameTooLong(path, length) }
    }

    /// Follows the path, unless the caller has just done so.
    mutating func currentPlace() throws(StorageError) -> FilePlace {
        if let place = assumedPlace.take() { return place }
        return try resolvedPlace()
    }

    func resolvedPlace() throws(StorageError) -> FilePlace {
        do {
            let (resolved, links) = try operations.resolve(path)
            return FilePlace(names: FileNames(resolved), links: links)
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// Takes the lock for reading, if there is a journal and its lock is available. A journal that has lost its name
    /// meanwhile no longer describes the file.
    private mutating func lockExisting() -> Bool {
        for _ in 0..<Self.replacementLimit {
            guard journal.isOpen, let finding = try? journal.lock(timeout: &lockTimeout) else { return false }
            if finding != .replaced { return true }
            // Nor does what was read from it.
            journal.close()
            journal = JournalFile(operations, path: names.journal)
            _ = try? journal.open()
        }
        return false
    }

    /// - Returns: `nil` if file and journal don't fit together. Only the lock guarantees that they do.
    private mutating func load(isLocked: Bool) throws(StorageError) -> StorageContents? {
        // The file first: the journal, which is read later, then knows every version of the file that this program
        // wrote.
        var reading = try operations.read(names.file)
        var log = try isLocked && journal.isOpen ? rereadJournal() : readJournal()
        if reading?.bytes.isEmpty == true, LoadedValues.hasNeverHadFile(log), try operations.remnant(of: names) == nil {
            // It was made for settings that are still to come.
            reading = nil
        }
        let version = reading?.version ?? .absent
        var found = LoadedValues(&log)
        let isSound = found.isWhole && found.state.mirror(version) != nil
        let stateEdit = try joinState(&found)
        let isSettled = isSound && stateEdit == nil && found.stateLoss == nil
        guard isLocked || (log == nil ? isStillThere(reading) : isSettled) else { return nil }
        (repairs, untold) = ([.removeAbandonedFiles], stateEdit.map { [$0] } ?? [])
        schedule = RewriteSchedule(journalLimit: schedule.journalLimit)
        if log?.lacksDurableEnd == true { repairs.insert(.synchronizeNames) }
        spelling.format = spelling.format(toReplace: reading?.bytes)
        file.didMerge(reading, version)
        var outcome = StorageContents.Outcome.intact
        if let reading, !isSound {
            do {
                found.join(try spelling.decode(reading.bytes), version, spelling.isSame)
                if found.isTorn, found.edit != nil { outcome = .torn(names) }
            } catch {
                outcome = try damaged(error, reading.version, &found)
            }
        } else if reading == nil {
            outcome = try found.outcomeWithoutFile(names, remnant: operations.remnant(of: names))
        }
        if let log, !log.damage.isEmpty {
            repairs.formUnion([.replaceJournal, .setJournalAside])
            journal.leaveGap()
            outcome = outcome.with(log, of: names, isComplete: found.isWhole)
        }
        if let loss = found.stateLoss { outcome = outcome.with(loss, of: names, isComplete: found.isComplete) }
        if let log, log.isUnusable, log.damage.isEmpty { journal.leaveGap() }
        state = found.state
        if let edit = found.edit {
            var batch = edit.batch
            // An edit that changes only the text, such as a comment, makes no transaction.
            if !batch.entries.isEmpty {
                batch.transactions = history.transaction(ofEdit: batch, over: edit.tree, state.history)
            }
            untold.append(.edited(state.mirrors[0].stored, batch))
        }
        return StorageContents(tree: found.tree, outcome: outcome)
    }

    /// Joins the values of the state file with those of the journal, if they differ.
    ///
    /// - Returns: The journal record of an edit.
    private func joinState(_ found: inout LoadedValues) throws(StorageError) -> JournalRecord.Content? {
        guard found.needsState else { return nil }
        let reading = try readState()
        if found.knowsState(reading?.version) { return nil }
        guard let reading else {
            found.findNoState()
            return nil
        }
        do {
            return found.joinState(try spelling.decode(reading.bytes), reading.version, spelling.isSame)
        } catch {
            found.findDamagedState(error)
            return nil
        }
    }

    /// Returns whether the file is the one that was read. If it was removed together with its journal, that file may
    /// have been replaced.
    private func isStillThere(_ reading: FileReading?) -> Bool {
        guard let reading else { return true }
        return (try? operations.status(at: names.file)).map { FileSignature($0) } == reading.signature
    }
}
