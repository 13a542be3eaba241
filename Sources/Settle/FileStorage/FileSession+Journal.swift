/// Beginning a journal, and appending to it. Under the lock.
extension FileSession {
    /// Begins the journal that has just been made. Its name is made durable at once: whoever appends to it later relies on it.
    ///
    /// If there was another one, the new one goes on where that ended: everybody who has that open still has read its last words
    /// by then, since they are written under its lock.
    mutating func beginJournal() throws(FileError) {
        let old = JournalHeader(generation: journal.end.generation, previousGeneration: 0, previousEnd: 0)
        try journal.begin(after: old.generation == 0 ? nil : old, with: try beginning(), for: owner)
        if restoration == .journal { restoration = .file }
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
        guard restoration != .journal else { return try wholeBeginning() }
        if let unhealed {
            // The file has nothing that counts, and the version before it may be of another moment.
            overlay.removeAll()
            overlay.add(JournalBatch(revision: 0, tree: unhealed))
        }
        if let tree = overlay.batch.tree { compare(tree) }
        let start = JournalRecord.Content.checkpointed(version, coveredEnd: JournalHeader.size)
        if overlay.tree != nil, let history = try history() { return [start] + history }
        // One that goes on from another always says with what: see `takeInFork`.
        return overlay.isEmpty && journal.end.generation == 0 ? [start] : [start, .values(overlay.batch)]
    }

    /// What the journal has beyond the file, record for record: the values that keys have had tell what somebody has edited, where
    /// nobody knows any more what the file had before.
    ///
    /// - Returns: `nil` if there is no journal that could tell.
    private mutating func history() throws(FileError) -> [JournalRecord.Content]? {
        guard journal.isOpen else { return nil }
        let log = try scanJournal()
        guard !log.isUnusable else { return nil }
        return log.records.filter { $0.offset >= coveredEnd && $0.record.batch != nil }.map(\.record.content)
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
        hasCleaned = false
        owedReplacement = true
        try journal.replace(with: try beginning(), names: names, for: owner)
        owedReplacement = false
        if restoration == .journal { restoration = .file }
        coveredEnd = JournalHeader.size
        intents = []
    }

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
