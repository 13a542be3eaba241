/// Beginning a journal, and appending to it. Under the lock.
extension FileSession {
    /// Begins the journal that has just been made. Its name is made durable at once: whoever appends to it later relies on it.
    ///
    /// If there was another one, the new one goes on where that ended: everybody who has that open still has read its last words
    /// by then, since they are written under its lock.
    mutating func beginJournal() throws(FileError) {
        let old = JournalHeader(generation: journal.end.generation, previousGeneration: 0, previousEnd: 0)
        try journal.begin(
            after: old.generation == 0 ? nil : old, with: try beginning(after: [], from: .absent) + keptRecords,
            for: owner)
        noteJournalBegun()
        repairs.add(.synchronizeNames)
        do throws(FileError) {
            try operations.synchronizeFolder(names.folder)
        } catch {
            // The next to open it makes another one.
            try? operations.remove(names.journal)
            journal.close()
            throw error
        }
    }

    /// The first records of a journal: which version of the file it begins with, and everything that the file does not have,
    /// such as what a journal had that somebody has removed.
    ///
    /// - Parameters:
    ///   - records: Those of the journal before.
    ///   - previous: The version of the file before the present one.
    private mutating func beginning(
        after records: [(offset: Int, record: JournalRecord)], from previous: FileVersion
    ) throws(FileError) -> [JournalRecord.Content] {
        guard !repairs.contains(.storeEverything) else { return try wholeBeginning() }
        if let recovered = repairs.recovered {
            // The file has nothing that counts, and the version before it may be of another moment.
            overlay.removeAll()
            overlay.add(JournalBatch(revision: 0, tree: recovered))
            return [.checkpointed(version, coveredEnd: JournalFile.here), .values(overlay.batch)]
        }
        if let tree = overlay.batch.tree { compare(tree) }
        let start = way(from: previous, in: records) + [.checkpointed(version, coveredEnd: JournalFile.here)]
        if overlay.tree != nil, !records.isEmpty {
            return start + history(records.filter { $0.offset >= coveredEnd }.map(\.record.content))
        }
        // One that goes on from another always says with what: see `takeInFork`.
        return overlay.isEmpty && journal.end.generation == 0 ? start : start + [.values(overlay.batch)]
    }

    /// The records of the journal that is open, as far as they are of use for the next.
    private func knownRecords() throws(FileError) -> [(offset: Int, record: JournalRecord)] {
        guard journal.isOpen else { return [] }
        // Only read: what is known of the journal stays as it is, should no other take its place.
        var reader = self
        let log = try reader.scanJournal()
        return log.isUnusable ? [] : log.records
    }

    /// What leads from the version before to the present one, so that the newest values are known should the file be damaged.
    private func way(
        from previous: FileVersion, in records: [(offset: Int, record: JournalRecord)]
    ) -> [JournalRecord.Content] {
        guard !records.isEmpty, previous != version,
            let start = JournalReplay.coveredEnd(of: previous, in: records)
        else { return [] }
        var way = JournalOverlay()
        for (offset, record) in records where offset >= start && offset < coveredEnd { way.add(record.content) }
        let beginning = JournalRecord.Content.checkpointed(previous, coveredEnd: JournalFile.here)
        return way.isEmpty ? [beginning] : [beginning, .values(way.batch)]
    }

    /// Makes the journal tell all values while the file can't be read, if the version before does not lead to them: the next to
    /// load it may be a process that has none of them. Best effort: what the journal has beyond the file is safe in any case.
    ///
    /// - Parameter tree: All values.
    mutating func secure(_ tree: SettingTree) {
        guard let rejected, !rejected.isSecured, (try? acquire()) != nil else { return }
        defer { release() }
        guard let records = try? knownRecords(), repairs.begun.isEmpty, repairs.recovered == nil, overlay.tree == nil
        else { return }
        let earlier: (tree: SettingTree, format: FileFormat, version: FileVersion)?
        do {
            earlier = try earlierVersion()
        } catch {
            return
        }
        let base = earlier?.version ?? .absent
        self.rejected?.isSecured = true
        guard JournalReplay.coveredEnd(of: base, in: records) == nil else { return }
        var tree = tree
        undelivered.apply(to: &tree)
        var snapshot = TreeDifference(from: earlier?.tree ?? SettingTree(), to: tree).batch
        let file = overlay.base(of: tree)
        for index in snapshot.entries.indices {
            snapshot.entries[index].before = file[snapshot.entries[index].key].map { .value($0) } ?? .absent
        }
        // As a checkpoint of which nothing came: the version before needs what comes after it, and the file stays what it was.
        let contents: [JournalRecord.Content] = [
            .checkpoint(base, coveredEnd: journal.end.offset), .values(snapshot),
            .checkpointed(version, coveredEnd: coveredEnd),
        ]
        for content in contents where (try? append(content)) == nil { return }
        overlay.add(snapshot)
    }

    /// What the journal has beyond the file where nobody knows any more what the file had: the values that keys have had tell what
    /// somebody has edited. The first and the last of each key are enough, since the file has never had those in between.
    private func history(_ contents: [JournalRecord.Content]) -> [JournalRecord.Content] {
        let last = contents.lastIndex { $0.batch?.tree != nil } ?? contents.startIndex
        var before = JournalOverlay()
        for content in contents[..<last] where content.batch?.tree == nil { before.add(content) }
        var after = JournalOverlay()
        for content in contents[last...].dropFirst() { after.add(content) }
        let tree = contents.indices.contains(last) ? contents[last].batch : nil
        return [before.batch, tree, after.batch].compactMap { batch in
            batch.flatMap { $0.entries.isEmpty && $0.tree == nil ? nil : .values($0) }
        }
    }

    /// Puts what the file has beside the values that the journal has, where it has said only the latter.
    mutating func compare(_ tree: SettingTree) {
        var known = SettingTree()
        if version != .absent {
            guard let reading = try? read(names.file), reading.version == version,
                let found = try? decode(reading.bytes)
            else { return }
            known = found
        }
        let difference = TreeDifference(from: known, to: tree) { [self] in isSpelledAlike($0, $1) }
        overlay.removeAll()
        overlay.add(difference.batch)
    }

    /// Puts a new journal in the old one's place, with everything that the file does not have.
    mutating func replaceJournal() throws(FileError) {
        repairs.add(.replaceJournal)
        var records: [(offset: Int, record: JournalRecord)] = []
        do throws(FileError) {
            records = try knownRecords()
        } catch {
            // Without a tree the overlay knows all that the file does not have.
            guard overlay.tree == nil else { throw error }
        }
        let previous = records.isEmpty ? nil : (try? earlierVersion())?.version
        try replaceJournal(after: records, from: previous ?? .absent)
    }

    private mutating func replaceJournal(
        after records: [(offset: Int, record: JournalRecord)], from previous: FileVersion
    ) throws(FileError) {
        repairs.add(.removeAbandonedFiles)
        repairs.add(.replaceJournal)
        try journal.replace(
            with: try beginning(after: records, from: previous) + keptRecords, names: names, for: owner)
        repairs.remove(.replaceJournal)
        noteJournalBegun()
    }

    private mutating func noteJournalBegun() {
        repairs.noteJournalBegun()
        coveredEnd = journal.coveredAtBeginning
    }

    /// Begins the journal anew if it has grown long without a checkpoint, such as while somebody's typing error stands in the
    /// file. What it has then is what keys have, and not how often they were written.
    ///
    /// If that fails, the old one goes on.
    mutating func compactIfWorthwhile() {
        let size = journal.end.offset
        guard lacksCheckpoint, size > max(16 * journalLimit, fileSize, nextCompaction), repairs.begun.isEmpty
        else { return }
        nextCompaction = 2 * size
        try? compact()
    }

    /// - Throws: The old journal goes on then, unless only its name is in doubt.
    private mutating func compact() throws(FileError) {
        let (generation, wasOwed) = (journal.end.generation, repairs.contains(.replaceJournal))
        // Other than a journal that must be replaced, this one may go on if something can't be read.
        let records = try knownRecords()
        let previous: FileVersion
        do throws(StorageError) {
            previous = try earlierVersion()?.version ?? .absent
        } catch {
            throw FileError(action: "read", path: names.previous.text, cause: .inputOutput)
        }
        do throws(FileError) {
            try replaceJournal(after: records, from: previous)
            nextCompaction = 4 * journal.end.offset
        } catch {
            repairs.set(.replaceJournal, isPending: wasOwed || journal.end.generation != generation)
            throw error
        }
    }

    /// Beyond the capacity there is room for what makes a checkpoint, which ends the need for it.
    private static let roomForCheckpoints = 64 << 10

    mutating func append(_ content: JournalRecord.Content) throws(StorageError) {
        let limit = journalCapacity + (content.batch == nil ? Self.roomForCheckpoints : 0)
        do throws(FileError) {
            do throws(FileError) {
                return try journal.append(content, within: limit)
            } catch {
                guard error.cause == .fileTooLarge, repairs.begun.isEmpty else { throw error }
            }
            try compact()
            try journal.append(content, within: limit)
        } catch {
            guard error.cause == .fileTooLarge else { throw .notSaved(names.file, error) }
            if let (key, size) = content.batch?.largestEntry, size > limit / 2 {
                throw .tooLarge(names.file, key, size, limit)
            }
            throw .journalFull(names.file, limit)
        }
    }

    /// Notes for good that the file is a version.
    mutating func confirm(_ version: FileVersion, coveredEnd: Int) throws(StorageError) {
        try append(.checkpointed(version, coveredEnd: coveredEnd))
        take(
            JournalRecord(.checkpointed(version, coveredEnd: coveredEnd), durableEnd: 0), at: journal.end.offset)
        self.version = version
    }

    /// Runs something, and tells its error as one of the storage.
    mutating func fileErrors<Result>(
        _ body: (inout FileSession) throws(FileError) -> Result
    ) throws(StorageError) -> Result {
        do {
            return try body(&self)
        } catch {
            throw .notSaved(names.file, error)
        }
    }
}
