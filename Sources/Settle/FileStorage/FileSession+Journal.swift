extension FileSession {
    // MARK: The lock

    /// Takes the lock, and takes in what others have appended. What was left undone is done now.
    mutating func acquire() throws(StorageError) {
        if journal.isLocked {
            try fileErrors { (session) throws(FileError) in _ = try session.journal.lock(patience: session.patience) }
        } else {
            try lockJournal()
        }
        do {
            try settle()
        } catch {
            journal.unlock()
            throw error
        }
    }

    mutating func release() {
        journal.unlock()
    }

    private mutating func lockJournal() throws(StorageError) {
        var finding = try fileErrors { (session) throws(FileError) in try session.lockMakingFolders() }
        while finding == .replaced {
            // Its last words, before it is given up.
            try takeInNew()
            journal.close()
            finding = try fileErrors { (session) throws(FileError) in try session.lockMakingFolders() }
        }
        do {
            switch finding {
            case .same, .replaced: try takeInNew()
            case .new: try fileErrors { (session) throws(FileError) in try session.beginJournal() }
            case .other: try takeInOther()
            }
        } catch {
            journal.unlock()
            throw error
        }
    }

    private mutating func lockMakingFolders() throws(FileError) -> JournalFile.Finding {
        do {
            return try journal.lock(patience: patience)
        } catch {
            guard error.cause == .notFound else { throw error }
            try operations.makeFolders(names.folder)
            return try journal.lock(patience: patience)
        }
    }

    /// Begins the journal that has just been made. Its name is made durable at once: whoever appends to it later relies on it.
    private mutating func beginJournal() throws(FileError) {
        try journal.begin(after: nil, with: try beginning())
        coveredEnd = JournalHeader.size
        intents = []
        isNameDoubtful = true
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
    private mutating func beginning() throws(FileError) -> [JournalRecord.Content] {
        if let tree = overlay.batch.tree { compare(tree) }
        let start = JournalRecord.Content.checkpointed(version, coveredEnd: JournalHeader.size)
        if overlay.tree != nil, let history = try history() { return [start] + history }
        return overlay.isEmpty ? [start] : [start, .values(overlay.batch)]
    }

    /// What the journal has beyond the file, record for record: the values that keys have had tell what somebody has edited, where
    /// nobody knows any more what the file had before.
    ///
    /// - Returns: `nil` if there is no journal that could tell.
    private mutating func history() throws(FileError) -> [JournalRecord.Content]? {
        guard journal.isOpen else { return nil }
        let log: JournalReading
        do {
            log = try rereadJournal()
        } catch let error as FileError {
            throw error
        } catch {
            return nil
        }
        guard !log.isUnusable else { return nil }
        return log.records.filter { $0.offset >= coveredEnd && $0.record.batch != nil }.map(\.record.content)
    }

    /// Puts what the file has beside the values that the journal has, where it has said only the latter.
    private mutating func compare(_ tree: SettingTree) {
        var known = SettingTree()
        if version != .absent {
            guard let reading = try? read(names.file), reading.version == version,
                let found = try? decode(reading.bytes)
            else { return }
            known = found
        }
        let difference = TreeDifference(from: known, to: tree) { [self] in isSpelledAlike($0, $1) }
        guard !difference.exceedsKeys else { return }
        overlay.removeAll()
        overlay.add(difference.batch)
    }

    /// Does what could not be done when it was due.
    mutating func settle() throws(StorageError) {
        if journal.isDistrusted || owedReplacement {
            try fileErrors { (session) throws(FileError) in try session.replaceJournal() }
        }
        if !intents.isEmpty { try resolveIntents() }
        while let record = owedRecords.first {
            try append(record)
            owedRecords.removeFirst()
        }
        if let tree = unhealed {
            mustRewrite = true
            _ = try write(tree)
        }
    }

    /// Puts a new journal in the old one's place, with everything that the file does not have.
    private mutating func replaceJournal() throws(FileError) {
        hasCleaned = false
        owedReplacement = true
        try journal.replace(with: try beginning(), names: names)
        owedReplacement = false
        coveredEnd = JournalHeader.size
        intents = []
    }

    /// Finds out what became of a checkpoint whose maker died in the middle.
    private mutating func resolveIntents() throws(StorageError) {
        let found = try read(names.file)
        let standing = found?.version ?? .absent
        // The one that stands there, or that stood there when somebody looked, before it was edited.
        if let intent = intents.last(where: { $0.version == standing })
            ?? intents.last(where: { $0.version == version })
        {
            try fileErrors { (session) throws(FileError) in
                try session.operations.synchronizeFolder(session.names.folder)
            }
            try confirm(intent.version, coveredEnd: intent.coveredEnd)
            if let found, intent.version == standing { note(found, intent.version) }
        } else if let found, standing != version {
            // Nobody knows which version has been edited. Once the file can be read again, its values tell.
            guard let edited = try? decode(found.bytes) else { return }
            try takeInByValues(edited, from: found)
            intents = []
        } else {
            // Nothing came of them. Saying so keeps the file from being taken for one of them later.
            try append(.checkpointed(version, coveredEnd: coveredEnd))
            intents = []
        }
    }

    // MARK: What others have written

    /// Takes in what others have appended to the journal since the last time. Needs no lock.
    mutating func takeInNew() throws(StorageError) {
        takeIn(try fileErrors { (session) throws(FileError) in try session.journal.readNew() })
    }

    mutating func takeIn(_ records: [(offset: Int, record: JournalRecord)]) {
        for (offset, record) in records {
            take(record, at: offset)
            switch record.content {
            case .values(let batch): deliver(batch)
            case .edited(let version, let batch):
                self.version = version
                signature = nil
                owedRecords.removeAll { if case .edited(version, _) = $0 { true } else { false } }
                deliver(batch)
            case .checkpoint: break
            case .checkpointed(let version, _):
                if version != self.version { standing = .unknown }
                self.version = version
                signature = nil
            }
        }
    }

    private mutating func deliver(_ batch: JournalBatch) {
        if let tree = batch.tree {
            undelivered.append(ExternalChange(.everything(tree), writer: batch.writer))
            unacknowledged = [:]
        }
        for entry in batch.entries { unacknowledged[entry.key] = nil }
        guard !batch.entries.isEmpty else { return }
        undelivered.append(ExternalChange(.values(batch.values), writer: batch.writer))
    }

    /// Goes over to a journal that somebody else has made, in place of the one that was known or of none.
    mutating func takeInOther() throws(StorageError) {
        let (header, end, durableEnd) = (journal.header, journal.end, journal.durableEnd)
        let known = overlay
        do throws(StorageError) {
            try tryTakingInOther()
        } catch {
            // All of it is taken in the next time.
            journal.take(header, end, durableEnd: durableEnd)
            journal.forget()
            overlay = known
            throw error
        }
    }

    private mutating func tryTakingInOther() throws(StorageError) {
        let known = journal.end
        let carried = overlay
        let log: JournalReading
        do {
            log = try rereadJournal()
        } catch let error as StorageError {
            throw error
        } catch {
            throw .unreadable(journal.path, "\(error)")
        }
        guard !log.isUnusable else {
            // It was never begun, or is damaged. Whoever is the next to write begins a new one.
            begin(with: nil)
            overlay = carried
            guard journal.isLocked else { return }
            try fileErrors { (session) throws(FileError) in try session.replaceJournal() }
            isNameDoubtful = true
            return
        }
        if journal.end.generation == known.generation {
            // The same one, which was closed in between.
            takeIn(log.records.filter { $0.offset >= known.offset })
            return
        }
        if journal.header?.previousGeneration == known.generation, known.generation != 0,
            journal.header?.previousEnd == UInt64(known.offset)
        {
            // It goes on where the known one ended. What it repeats is what is known.
            begin(with: nil)
            takeIn(log.records)
            return
        }
        if case .checkpointed(version, _)? = log.records.first?.record.content, known.generation == 0, carried.isEmpty {
            // It begins with the file that is known.
            begin(with: nil)
            takeIn(log.records)
            return
        }
        let reading = try read(names.file)
        var tree = SettingTree()
        if let reading {
            do {
                tree = try decode(reading.bytes)
            } catch {
                begin(with: log)
                noteVersion(in: log)
                try deliver(withoutFile: log)
                reject(reading, error)
                return
            }
        }
        begin(with: log)
        let replay = JournalReplay(records: log.records, file: reading?.version ?? .absent)
        _ = replay.apply(to: &tree) { [self] in isSame($0, $1) }
        note(reading, reading?.version ?? .absent)
        if replay.match != .current { tell(ofEdit: version, leadingTo: tree) }
        if journal.header?.previousGeneration == 0, !carried.isEmpty {
            // Nobody has put what the lost journal had into the file. What the new one has was written later.
            var lost = carried.without(log.keys, whereTreeDiffersFrom: tree)
            if replay.match != .current { lost = carried.tree == nil ? lost.unedited(in: tree) : JournalOverlay() }
            lost.apply(to: &tree)
            owedRecords.append(.values(lost.batch))
            overlay.add(lost.batch)
        }
        undelivered.append(ExternalChange(.everything(tree)))
    }

    /// Tells what the journal says while the file can't be read: all values, if the version before leads to them.
    private mutating func deliver(withoutFile log: JournalReading) throws(StorageError) {
        guard let earlier = try earlierVersion(),
            let batches = JournalReplay.batches(from: earlier.version, in: log.records)
        else {
            deliver(overlay.batch)
            return
        }
        var tree = earlier.tree
        var changed = JournalOverlay()
        for batch in batches { changed.add(batch) }
        changed.apply(to: &tree)
        undelivered.append(ExternalChange(.everything(tree)))
    }

    private mutating func noteVersion(in log: JournalReading) {
        for (_, record) in log.records {
            switch record.content {
            case .edited(let version, _), .checkpointed(let version, _): self.version = version
            case .values, .checkpoint: break
            }
        }
        signature = nil
    }

    // MARK: Appending, under the lock

    mutating func append(_ content: JournalRecord.Content) throws(StorageError) {
        try fileErrors { (session) throws(FileError) in try session.journal.append(content) }
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
