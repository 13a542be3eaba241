extension FileSession {
    /// Whether it is time to write the file.
    func isWorthwhile(for reason: CheckpointReason) -> Bool {
        repairs.concernsFile
            || schedule.isFileDue(for: reason, size: file.size + state.stateFile.size, growth: journalGrowth)
    }

    /// The growth of the journal since it was begun, or since the file was written.
    var journalGrowth: Int {
        let written = max(state.mirrors[0].offset, state.stateFile.versions.last?.offset ?? 0)
        return journal.end.offset - max(written, journal.beginningEnd)
    }

    /// Whether there is nothing to be written to the file, or no permission to write it.
    var isAtRest: Bool {
        journal.isReadOnly || !hasMore
    }

    /// Whether one of the files lacks something.
    private var hasMore: Bool { fileLacks || state.stateFile.isBehind(inForce.tree) || hasUndeclared }

    /// Whether the file lacks something, or has state.
    private var fileLacks: Bool {
        if repairs.concernsFile || state.hasBegun || file.isRejected { return true }
        // A missing file is as good as an empty one: a removal is reported until something has been stored again.
        if file.standing == .absent, state.stateFile.rest(of: inForce.tree).root.isEmpty { return false }
        return state.stateFile.isMisplaced(state.mirrors[0].difference, in: inForce.tree)
    }

    private mutating func removeAbandonedFiles() {
        if repairs.remove(.removeAbandonedFiles) != nil { operations.removeAbandonedFiles(names) }
    }

    /// Brings the file up to date with all values.
    ///
    /// - Returns: False if that is not possible now, because the file is being edited. Then everything is in the
    ///   journal, and durable.
    mutating func checkpoint(for reason: CheckpointReason) throws(StorageError) -> Bool {
        // A process that has stored nothing closes without waiting for the disk.
        if !hasMore { try makeDurable(includesOthers: reason != .closing) }
        // Values that were removed may just have been stored again, except in the file.
        guard hasMore else { return true }
        let isAtRest = try checkpointLocked(for: reason)
        try verify()
        return isAtRest && !hasMore
    }

    /// Brings the file up to date with all values, and removes the settings' earlier values from the files beside it.
    ///
    /// - Returns: As ``checkpoint()``.
    mutating func eraseEarlier() throws(StorageError) -> Bool {
        try acquire()
        defer { release() }
        guard try checkpoint(for: .erasing) else { return false }
        state.kept.removeUndecided()
        try StorageError.saving(names.file, replaceJournal(keeping: nil))
        history.recent.begin(at: journal.token)
        removeAbandonedFiles()
        try StorageError.saving(names.file, operations.removeEarlierVersions(names))
        return true
    }

    private mutating func checkpointLocked(for reason: CheckpointReason) throws(StorageError) -> Bool {
        try acquire()
        defer { release() }
        guard hasMore else {
            // Another process has just written it.
            try synchronize()
            return true
        }
        let isWritten = fileLacks ? try writeFile() : true
        try writeState()
        if isWritten { renewIfWorthwhile(isAtRest: reason.isAtRest) } else { try synchronize() }
        return isWritten
    }

    private mutating func writeFile() throws(StorageError) -> Bool {
        var text: FileReading?
        if repairs.contains(.rewriteFile), let name = try setAsideWhatIsNoFile(at: names.file) {
            inForce.announce(.unusable(.setAside(names.file, as: name)))
        }
        guard try mergeFile(&text) else { return false }
        if repairs.contains(.restoreFile) { try restoreFile() }
        try write(into: text)
        return true
    }

    /// Writes the file, under the lock.
    ///
    /// - Parameter text: The file that stays as it is spelled; `nil` if a new one is written.
    mutating func write(into text: FileReading?) throws(StorageError) {
        for _ in 0..<Self.replacementLimit {
            try writeOnce(into: displaced ?? text)
            // If an editor has just written a text, that text returns to the file's path, with the values in force.
            if displaced == nil { return }
        }
    }

    /// Writes the journal first, then the file, then a journal record that the file is there.
    private mutating func writeOnce(into text: FileReading?) throws(StorageError) {
        removeAbandonedFiles()
        // No file can replace a folder. A writer ended before it set the folder aside, or a user made it.
        if let name = try setAsideWhatIsNoFile(at: names.displaced) {
            inForce.announce(.unusable(.setAside(names.displaced, as: name)))
        }
        // A folder there prevents only the last step, so a failure to move it does not fail the save. Between two file
        // systems, neither the folder nor a version can be moved.
        if names.isStateApart, let name = try? setAsideWhatIsNoFile(at: names.previous) {
            inForce.announce(.unusable(.setAside(names.previous, as: name)))
        }
        let bytes = try spelling.encode(state.stateFile.rest(of: inForce.tree), into: text, state)
        let newVersion = FileVersion(of: bytes)
        // An edit that has just been found: others learn of it from the journal alone, not from the file that contains
        // it.
        try tellJournal()
        let known = state.mirror(file.version) ?? state.mirrors[0]
        try appendState(.mirroring(newVersion))
        if newVersion == file.version, !repairs.concernsFile, file.standing == .synced {
            // The changes have been reverted.
            displaced = nil
            try appendState(.mirrored(newVersion))
            return try synchronize()
        }
        // Before the exchange. Otherwise the file could be there after a loss of power, without a record that it has
        // everything.
        try synchronize()
        let hasEdit = try replaceFile(with: bytes, known, text)
        schedule.didWriteFile()
        file.confirm(newVersion)
        file.didWrite(size: bytes.count, try? operations.status(at: names.file))
        repairs.subtract([.rewriteFile, .restoreFile, .healFile])
        // If this process ends before a text without new values is at the file's path again, another process must find
        // it.
        if displaced != nil, !hasEdit { return }
        try appendState(.mirrored(newVersion))
        // The file that contained the edit is not there any more.
        if hasEdit { try synchronize() }
        operations.keepDisplaced(names)
    }

    /// - Returns: Whether there was an edit that no process had seen.
    private mutating func replaceFile(
        with bytes: [UInt8], _ known: JournalState.Mirror, _ text: FileReading?
    ) throws(StorageError) -> Bool {
        var replacement = FileReplacement(
            operations, names: names, keepsReplaced: true, isPrivate: isPrivate, owner: file.owner)
        let result = Result { () throws(FileError) in try replacement.run(bytes) }
        // The file has the text into which the values were written, unless that has failed before.
        if replacement.isInPlace { displaced = nil }
        let merging = Result { () throws(StorageError) in
            try replacement.hasKeptReplaced ? mergeJustReplaced(known, text) : false
        }
        do throws(FileError) {
            try result.get()
        } catch {
            // If the new file is in place, the sync of the folder has failed. After a failure, a sync may succeed the
            // second time without having written anything.
            repairs.formUnion(replacement.isInPlace ? [.removeAbandonedFiles, .rewriteFile] : .removeAbandonedFiles)
            // Otherwise a later load could not know which version was edited.
            if !replacement.isInPlace { try? appendState(.mirrored(known.version)) }
            throw .saveFailed(names.file, error, isInPlace: replacement.isInPlace)
        }
        return try merging.get()
    }

    /// Merges the file that has just been replaced.
    ///
    /// - Throws: If it can't be read now. The new version is not confirmed then, so the next call that writes merges the
    ///   replaced file first.
    private mutating func mergeJustReplaced(
        _ known: JournalState.Mirror, _ text: FileReading?
    ) throws(StorageError) -> Bool {
        do throws(StorageError) {
            return try mergeReplaced(known, text)
        } catch {
            // The exchange may have met a folder, which was put at the file's path after the last check.
            guard let kind = operations.kindOfReplacement(of: names.displaced) else {
                throw .replacedUnread(names, error)
            }
            let name = try? setAsideWhatIsNoFile(at: names.displaced)
            inForce.announce(.unusable(.removed(names.file, replacedBy: kind, setAsideAs: name)))
            return false
        }
    }

    /// Merges the file that was replaced by a writer which has ended or failed before it had read it. What can't be read
    /// is set aside, because the next version would replace it.
    mutating func mergeReplacedEarlier(_ known: JournalState.Mirror) throws(FileError) {
        do throws(StorageError) {
            _ = try mergeReplaced(known)
        } catch {
            let name = try aside.move(names.displaced, to: names.corrupt)
            inForce.announce(.unusable(.setAside(names.displaced, as: name)))
        }
    }

    /// Merges an edit that reached the file between the last check and its replacement: the replaced file still has a
    /// name. Its text is at the file's path again with the next version.
    ///
    /// - Parameters:
    ///   - known: The version that should have been replaced.
    ///   - text: The reading before.
    /// - Returns: Whether there was an edit with other values.
    private mutating func mergeReplaced(
        _ known: JournalState.Mirror, _ text: FileReading? = nil
    ) throws(StorageError) -> Bool {
        guard let reading = try operations.read(names.displaced, orKnown: text), reading.version != known.version else {
            return false
        }
        guard reading.version != file.version, let edited = try? spelling.decode(reading.bytes) else {
            // Bytes that are not a version are not a fallback. A version that was known to be damaged has been put
            // aside.
            if reading.version == file.version || reading.status.linkCount > 1 {
                try? operations.remove(names.displaced)
            } else if let name = try? aside.move(names.displaced, to: names.corrupt) {
                inForce.announce(.unusable(.setAside(names.file, as: name)))
            }
            return false
        }
        displaced = reading
        repairs.insert(.rewriteFile)
        let old = known.difference.mirror(of: inForce.tree)
        let batch = TreeDifference(from: old, to: edited) { [spelling] in spelling.isSpelledAlike($0, $1) }.batch
        guard !batch.entries.isEmpty else { return false }
        tellEdit(.values(batch))
        return true
    }

    /// Makes everything that was appended durable.
    mutating func synchronize() throws(StorageError) {
        do throws(FileError) {
            if repairs.contains(.synchronizeNames), journal.isOpen {
                // Cleared by a success. After a failure another journal replaces it, under its own name.
                repairs.insert(.replaceJournal)
                try synchronizeNames()
                repairs.remove(.replaceJournal)
            }
            try journal.synchronize()
        } catch {
            throw .saveFailed(names.file, error, isInPlace: false)
        }
    }

    /// Makes the names of the journal and of its folders durable.
    private mutating func synchronizeNames() throws(FileError) {
        for folder in names.folders {
            do throws(FileError) {
                try operations.synchronizeFolder(folder)
            } catch {
                // The file's folder was removed. The next version of the file makes the folder again, durably.
                guard error.cause == .notFound, folder != names.stateFolder else { throw error }
            }
            try operations.synchronizeParents(of: folder)
        }
        repairs.remove(.synchronizeNames)
    }
}
