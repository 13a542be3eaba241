extension FileSession {
    /// A file up to this size, which is the least that a disk writes, is written whenever changes have settled.
    private static let smallFile = 4 << 10
    /// A larger one is written when the journal has grown by this part of it, so that all writes of the file together
    /// are at most so many times as long as the journal.
    private static let worthwhilePart = 4

    /// Whether it is time to write the file.
    func isWorthwhile(for reason: CheckpointReason) -> Bool {
        guard reason == .settled, !repairs.contains(.rewriteFile), file.size > Self.smallFile else { return true }
        return journal.end.offset - contents.coveredEnd >= file.size / Self.worthwhilePart
    }

    /// Whether there is nothing to be written to the file, or no permission to write it.
    var isAtRest: Bool {
        journal.isReadOnly || !hasMore
    }

    /// Whether the file is not the whole truth.
    private var hasMore: Bool {
        !isOverlayInFile || repairs.concernsFile
    }

    /// Where there is no file, nothing is as good as an empty one: a removal is told until something has been stored
    /// anew.
    private var isOverlayInFile: Bool {
        file.standing == .absent && contents.overlay.isEmptyTree || contents.overlay.isEmpty
    }

    /// Makes the file the whole truth.
    ///
    /// - Returns: False if it can't be now, because it is being edited. Everything is in the journal then, and stable.
    mutating func checkpoint(_ tree: SettingTree) throws(StorageError) -> Bool {
        if !hasMore { try makeDurable() }
        // What was removed may just have been stored again, but for the file.
        guard hasMore else { return true }
        let isAtRest = try checkpointLocked(tree)
        try verify()
        return isAtRest && !hasMore
    }

    /// Makes the file the whole truth, and removes what settings had before from the files beside it.
    ///
    /// - Returns: As ``checkpoint(_:)``.
    mutating func eraseEarlier(than tree: SettingTree) throws(StorageError) -> Bool {
        try acquire()
        defer { release() }
        guard try checkpoint(tree) else { return false }
        contents.kept.removeUndecided()
        try fileErrors { (session) throws(FileError) in
            try session.replaceJournal(after: [], from: .absent)
            try session.pastFile.remove()
            session.recent.begin(at: session.journal.token)
            session.removeAbandonedFiles()
            try session.removeEarlier()
        }
        return true
    }

    private func removeEarlier() throws(FileError) {
        for path in [names.previous, names.beforeMigration] {
            do {
                try operations.remove(path)
            } catch {
                guard error.cause == .notFound else { throw error }
            }
        }
        try operations.synchronizeFolder(names.folder)
    }

    private mutating func checkpointLocked(_ tree: SettingTree) throws(StorageError) -> Bool {
        try acquire()
        defer { release() }
        guard hasMore else {
            // Another process has just done it.
            try synchronize()
            return true
        }
        growth.lacksCheckpoint = true
        var tree = tree
        inForce.putUndelivered(over: &tree)
        switch try examine() {
        case .current: break
        case .absent:
            try restore()
            try synchronize()
            growth.lacksCheckpoint = false
            return true
        case .edited(let reading, let edited): try merge(edited, from: reading, over: &tree)
        case .unusable:
            secure(tree)
            try synchronize()
            return false
        }
        growth.lacksCheckpoint = try !write(tree)
        return !growth.lacksCheckpoint
    }

    /// Writes the file, under the lock: journal first, then the file, then the journal's word that it is there.
    ///
    /// - Returns: False if the file was edited meanwhile.
    mutating func write(_ tree: SettingTree) throws(StorageError) -> Bool {
        removeAbandonedFiles()
        let bytes = try encode(tree)
        let newVersion = FileVersion(of: bytes)
        // An edit that has just been found: others learn of it from the journal alone, not from the file that has it.
        try tellJournal()
        let coveredEnd = journal.end.offset
        if newVersion == file.version, !repairs.contains(.rewriteFile), file.standing == .synced {
            // What changed has changed back.
            try confirm(newVersion, coveredEnd: coveredEnd)
            try synchronize()
            return true
        }
        let intent = JournalRecord.Content.checkpoint(newVersion, coveredEnd: coveredEnd)
        try append(intent)
        repairs.follow(intent)
        // Before the rename. Otherwise the file could be there after a loss of power, and nothing would say that the
        // journal has nothing to add to it.
        try synchronize()
        let cycle = contents.overlay
        let replaced = file.version
        var replacement = FileReplacement(
            operations, names: names, previous: file.previous, isPrivate: isPrivate, owner: file.owner)
        guard try replaceFile(with: bytes, by: &replacement) else {
            // Nothing came of it, so that what was edited is compared with the version that is known.
            try append(.checkpointed(file.version, coveredEnd: contents.coveredEnd))
            repairs.endCheckpoints()
            return false
        }
        try confirm(newVersion, coveredEnd: coveredEnd)
        file.didWrite(size: bytes.count)
        repairs.didWriteFile()
        if journal.end.offset > journalLimit { renewJournal(with: cycle, from: replaced) }
        if replacement.hasKeptPrevious, cycle.tree == nil { mergeReplaced(replaced, tree, cycle) }
        return true
    }

    /// - Returns: False if the file was edited meanwhile.
    private mutating func replaceFile(
        with bytes: [UInt8], by replacement: inout FileReplacement
    ) throws(StorageError) -> Bool {
        do throws(FileError) {
            return try replacement.run(bytes) {
                // If it has gone meanwhile, there is nothing to be overwritten.
                guard let status = try? operations.status(at: names.file) else { return true }
                return file.mayBeReplaced(status)
            }
        } catch {
            repairs.add(.removeAbandonedFiles)
            // The folder's sync has failed. A sync that failed once may succeed the second time without having written
            // anything.
            if replacement.isInPlace { repairs.add(.rewriteFile) }
            throw .saveFailed(names.file, error, isInPlace: replacement.isInPlace)
        }
    }

    /// Merges an edit that reached the file between the last look at it and its replacement: the replaced file still
    /// has a name, so its contents tell.
    private mutating func mergeReplaced(_ known: FileVersion, _ tree: SettingTree, _ cycle: JournalOverlay) {
        guard let reading = try? read(names.previous), reading.version != known, let edited = try? decode(reading.bytes)
        else { return }
        let difference = difference(from: tree, to: edited, cycle)
        guard !difference.changes.isEmpty else { return }
        var batch = difference.batch
        batch.transactions = transactions(ofEdit: batch, of: tree)
        let token = tell(.values(batch))
        contents.keepReplaced(by: batch)
        contents.overlay.add(batch)
        inForce.announce(.values(batch.values), token: token)
    }

    /// Begins a new journal, with the way from the version before to the one that has just been written. With it, the
    /// version before gives the newest values should the file be damaged.
    private mutating func renewJournal(with cycle: JournalOverlay, from replaced: FileVersion) {
        let records: [JournalRecord.Content] = [
            .checkpointed(replaced, coveredEnd: JournalFile.here), .values(cycle.batch),
            .checkpointed(file.version, coveredEnd: JournalFile.here),
        ]
        if keepsHistory {
            // Otherwise the old one has to go on.
            guard let known = try? knownRecords() else { return }
            keepPastOrLeaveGap(of: known)
        }
        do {
            try journal.replace(with: records + lastingRecords(), names: names, for: file.owner)
            contents.listed = MentionedKeys()
            // As the record says it. Beyond it, a later word of this process that the file is still this version would
            // cover what others have appended since then.
            contents.coveredEnd = journal.coveredAtBeginning
        } catch {
            // The old one goes on, or the new one, which says the same, under a name that may not last.
            repairs.add(.replaceJournal)
        }
    }

    /// Makes everything stable that was appended.
    mutating func synchronize() throws(StorageError) {
        do throws(FileError) {
            if repairs.contains(.synchronizeNames), journal.isOpen {
                // Cleared by a success. After a failure another journal takes its place, under its own name.
                repairs.add(.replaceJournal)
                try synchronizeNames()
                repairs.remove(.replaceJournal)
            }
            try journal.synchronize()
        } catch {
            throw .saveFailed(names.file, error, isInPlace: false)
        }
    }

    /// Makes the names durable of a journal that another process has made, and of its folders, which it may have made
    /// too.
    private mutating func synchronizeNames() throws(FileError) {
        var folder = names.folder
        try operations.synchronizeFolder(folder)
        while folder.folder != folder {
            folder = folder.folder
            // Those that may not even be read were made by others.
            try? operations.synchronizeFolder(folder)
        }
        repairs.remove(.synchronizeNames)
    }
}
