/// Beginning a journal, and appending to it. Under the lock.
extension FileSession {
    /// Begins the journal that has just been made. Its name is made durable at once: later appends rely on it.
    ///
    /// If there was another one, the new one goes on where that ended: what was appended to that last has been read
    /// by all processes that have it open still, since it was written under its lock.
    mutating func beginJournal() throws(FileError) {
        followPast()
        keepLostPast()
        try journal.begin(
            after: journal.end, with: try beginning(after: [], from: .absent) + lastingRecords(), for: file.owner)
        didBeginJournal()
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

    /// The first records of a journal: which version of the file it begins with, and everything that the file does not
    /// have, such as what a journal had that was removed.
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
            contents.overlay = JournalOverlay([JournalBatch(revision: 0, tree: recovered)])
            return [.checkpointed(file.version, coveredEnd: JournalFile.here), .values(contents.overlay.batch)]
        }
        let tree = contents.overlay.batch.tree
        if let tree { compare(tree) }
        return contents.beginning(
            of: file.version, after: previous, records, leadingTo: tree, begun: repairs.begun,
            isContinued: journal.end.generation != 0)
    }

    /// The records of the journal that is open, as far as they are of use for the next.
    func knownRecords() throws(FileError) -> [(offset: Int, record: JournalRecord)] {
        guard journal.isOpen else { return [] }
        // Only read: what is known of the journal stays as it is, should no other take its place.
        var reader = self
        let log = try reader.scanJournal()
        return log.isUnusable ? [] : log.records
    }

    /// Makes the journal tell all values while the file can't be read, if the version before does not lead to them: the
    /// next to load it may be a process that has none of them. Best effort: what the journal has beyond the file is
    /// safe in any case.
    ///
    /// - Parameter tree: All values.
    mutating func secure(_ tree: SettingTree) {
        guard file.isUnsecured, (try? acquire()) != nil else { return }
        defer { release() }
        guard let known = try? knownRecords(), repairs.begun.isEmpty, repairs.recovered == nil,
            contents.overlay.tree == nil
        else { return }
        let earlier: (tree: SettingTree, format: FileFormat, version: FileVersion)?
        do {
            earlier = try earlierVersion()
        } catch {
            return
        }
        let previous = earlier?.version ?? .absent
        file.didSecure()
        guard JournalReplay.coveredEnd(of: previous, in: known) == nil else { return }
        var tree = tree
        inForce.putUndelivered(over: &tree)
        var snapshot = TreeDifference(from: earlier?.tree ?? SettingTree(), to: tree).batch
        let base = contents.overlay.base(of: tree)
        for index in snapshot.entries.indices {
            snapshot.entries[index].before = base[snapshot.entries[index].key].map { .value($0) } ?? .absent
        }
        // As a checkpoint of which nothing came: the version before needs what comes after it, and the file stays what
        // it was.
        let records: [JournalRecord.Content] = [
            .checkpoint(previous, coveredEnd: journal.end.offset), .values(snapshot),
            .checkpointed(file.version, coveredEnd: contents.coveredEnd),
        ]
        for record in records where (try? append(record)) == nil { return }
        contents.overlay.add(snapshot)
    }

    /// Puts what the file has beside the values that the journal has, where it has said only the latter.
    mutating func compare(_ tree: SettingTree) {
        var known = SettingTree()
        if file.version != .absent {
            guard let reading = try? read(names.file), reading.version == file.version,
                let found = try? decode(reading.bytes)
            else { return }
            known = found
        }
        let difference = TreeDifference(from: known, to: tree) { [self] in isSpelledAlike($0, $1) }
        contents.overlay = JournalOverlay([difference.batch])
    }

    /// Puts a new journal in the old one's place, with everything that the file does not have.
    ///
    /// - Parameter forgotten: A key of which the new one must not say what was there before.
    mutating func replaceJournal(forgetting forgotten: SettingKey? = nil) throws(FileError) {
        repairs.add(.replaceJournal)
        followPast()
        var records: [(offset: Int, record: JournalRecord)] = []
        do throws(FileError) {
            records = try knownRecords()
        } catch {
            // Without a tree the overlay knows all that the file does not have.
            guard contents.overlay.tree == nil else { throw error }
        }
        keepPastOrLeaveGap(of: records)
        let previous = records.isEmpty ? nil : (try? earlierVersion())?.version
        try replaceJournal(after: records, from: previous ?? .absent, forgetting: forgotten)
    }

    mutating func replaceJournal(
        after records: [(offset: Int, record: JournalRecord)], from previous: FileVersion,
        forgetting forgotten: SettingKey? = nil
    ) throws(FileError) {
        repairs.add(.removeAbandonedFiles)
        repairs.add(.replaceJournal)
        var beginning = try beginning(after: records, from: previous)
        if let forgotten { beginning = beginning.map { $0.forgettingBefore(at: forgotten) } }
        try journal.replace(with: beginning + lastingRecords(), names: names, for: file.owner)
        repairs.remove(.replaceJournal)
        didBeginJournal()
    }

    /// The last records of a new journal, with the secrets of which no other process may have told it.
    mutating func lastingRecords() -> [JournalRecord.Content] {
        if keepsHistory { contents.history?.secrets.formUnion(secretKeys) }
        return contents.lastingRecords
    }

    private mutating func didBeginJournal() {
        contents.listed = MentionedKeys()
        repairs.didBeginJournal(with: journal.begunAtBeginning)
        contents.coveredEnd = journal.coveredAtBeginning
    }

    /// Begins the journal anew if it has grown long without a checkpoint, such as while a typing error stands in the
    /// file. What it has then is what keys have, and not how often they were written.
    ///
    /// If that fails, the old one goes on.
    mutating func compactIfWorthwhile() {
        let size = journal.end.offset
        guard repairs.begun.isEmpty, growth.isDue(at: size, limit: journalLimit, fileSize: file.size) else { return }
        try? compact()
    }

    /// - Throws: The old journal goes on then, unless only its name is in doubt.
    private mutating func compact() throws(FileError) {
        let (generation, wasOwed) = (journal.end.generation, repairs.contains(.replaceJournal))
        // Other than a journal that must be replaced, this one may go on if something can't be read.
        let records = try knownRecords()
        keepPastOrLeaveGap(of: records)
        let previous: FileVersion
        do throws(StorageError) {
            previous = try earlierVersion()?.version ?? .absent
        } catch {
            throw FileError(action: "read", path: names.previous.text, cause: .inputOutput)
        }
        do throws(FileError) {
            try replaceJournal(after: records, from: previous)
            growth.didBegin(with: journal.end.offset)
        } catch {
            repairs.set(.replaceJournal, isPending: wasOwed || journal.end.generation != generation)
            throw error
        }
    }

    /// Beyond the capacity there is room for what makes a checkpoint, which ends the need for it.
    private static let roomForCheckpoints = 64 << 10

    mutating func append(_ content: JournalRecord.Content) throws(StorageError) {
        try appendWithinLimit(keepsHistory ? content : content.unlisted)
        journalRecords = nil
        guard let batch = content.batch, let transactions = batch.transactions, transactions.list != nil else { return }
        if keepsHistory { contents.listed.add(transactions) }
        remember(batch, replacing: [:], size: batch.roughSize)
    }

    private mutating func appendWithinLimit(_ content: JournalRecord.Content) throws(StorageError) {
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

    /// Tells the journal for good that the file is a version.
    mutating func confirm(_ version: FileVersion, coveredEnd: Int) throws(StorageError) {
        let record = JournalRecord.Content.checkpointed(version, coveredEnd: coveredEnd)
        try append(record)
        add(record)
        file.confirm(version)
    }

    /// Runs something, and tells its error as one of the storage: by default, that nothing was saved to the file.
    mutating func fileErrors<Result>(
        of path: FilePath? = nil, as storageError: (FilePath, FileError) -> StorageError = StorageError.notSaved,
        _ body: (inout FileSession) throws(FileError) -> Result
    ) throws(StorageError) -> Result {
        do {
            return try body(&self)
        } catch {
            throw storageError(path ?? names.file, error)
        }
    }
}

extension JournalRecord.Content {
    /// Without what was at a key, and in it, before.
    fileprivate func forgettingBefore(at key: SettingKey) -> JournalRecord.Content {
        changingBatch { batch in
            for index in batch.entries.indices {
                let other = batch.entries[index].key
                if other == key || other.isWithin(key) || key.isWithin(other) { batch.entries[index].before = .unknown }
            }
        }
    }
}
