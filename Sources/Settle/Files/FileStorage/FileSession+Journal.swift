/// Beginning a journal, and appending to it. Requires the lock.
extension FileSession {
    /// Begins the journal that has just been made, with all values. Its name becomes durable with the first sync: until
    /// then, nothing in it is promised to survive a loss of power.
    ///
    /// If there was another journal, the new one continues where that ended: all processes that still have the old one
    /// open have read its last records, because these were written under its lock.
    mutating func beginJournal() throws(FileError) {
        defer { forgetLost() }
        state.news = journal.end.generation == 0 ? JournalBase.News(since: inForce.tree) : JournalBase.News()
        let isContinued = keepsHistory && lost?.token?.history == journal.token?.history
        let past = isContinued ? lost.flatMap { keptPastOrGap(of: $0) } : nil
        try journal.begin(
            after: journal.end, past, with: try beginning(), isReset: hasReset, for: file.owner)
        didBeginJournal(growth: 0)
        repairs.insert(.synchronizeNames)
    }

    /// Replaces the journal by a new one with all values, and with the history that may be kept.
    mutating func replaceJournal() throws(FileError) { try replaceJournal(keeping: keptPastOrGap(of: journal)) }

    /// - Parameter isDue: Whether nothing may be added to the old journal, even if this fails.
    /// - Throws: The old journal stays in use, unless `isDue`, or if only the name of the new one is undecided.
    mutating func replaceJournal(keeping past: KeptPast?, isDue: Bool = false) throws(FileError) {
        let (generation, wasDue) = (journal.end.generation, isDue || repairs.contains(.replaceJournal))
        repairs.formUnion([.removeAbandonedFiles, .replaceJournal])
        do throws(FileError) {
            try setJournalAside()
            let growth = journalGrowth
            try journal.replace(past, with: try beginning(), isReset: hasReset, names: names, for: file.owner)
            repairs.remove(.replaceJournal)
            didBeginJournal(growth: growth)
        } catch {
            if !wasDue, journal.end.generation == generation { repairs.remove(.replaceJournal) }
            throw error
        }
    }

    /// Returns the first records of a journal.
    private mutating func beginning() throws(FileError) -> [JournalRecord.Content] {
        if state.hasBegun { try decideMirror() }
        if keepsHistory { state.history?.secrets.formUnion(history.secrets) }
        let mirrors = state.mirrors.map { JournalBase.Mirror($0.version, $0.difference.entries) }
        return [.base(JournalBase(tree: inForce.tree, mirrors: mirrors, news: state.news))]
            + [
                state.kept.batch.map { .kept($0) }, state.history.map { .history($0) },
                state.stateFile.record.map { .state($0) },
            ].compactMap { $0 }
    }

    /// Whether the journal records, or is going to record, that a removal has emptied the settings.
    private var hasReset: Bool { state.isReset || untold.contains(where: \.isReset) }

    private mutating func didBeginJournal(growth: Int) {
        state.didBeginJournal(at: JournalHeader.size)
        // It includes the records that were not written.
        untold.removeAll { if case .history = $0 { false } else { true } }
        schedule.didBeginJournal(growth: growth)
    }

    /// Returns the records of the open journal that are useful for the next one.
    func knownRecords() throws(StorageError) -> [(offset: Int, record: JournalRecord)] {
        guard journal.isOpen else { return [] }
        // Only read: the known state of the journal stays as it is, in case no other journal replaces it.
        var reader = self
        let log = try reader.rereadJournal()
        return log.isUnusable ? [] : log.records
    }

    /// Replaces the journal if that is worthwhile. If it fails, the old one stays in use.
    mutating func renewIfWorthwhile(isAtRest: Bool = false) {
        if schedule.isJournalDue(journal.end.offset, journal.beginningEnd, isAtRest) { try? renew() }
    }

    private mutating func renew() throws(FileError) {
        // Another process may have replaced it, and stored more in the replacement.
        guard try !journal.isReplaced() else { return }
        // Unlike a journal that must be replaced, this one may stay in use if something can't be read.
        try replaceJournal(keeping: history.kept(of: journal, state.history))
    }

    // MARK: Appending

    /// Reserved beyond the capacity, for writing the file and for beginning the next journal.
    private static let roomForCheckpoints = 64 << 10

    mutating func append(_ content: JournalRecord.Content) throws(StorageError) {
        let content = keepsHistory ? content : content.unlisted
        try appendWithinLimit(content)
        if content.isReset { state.isReset = true }
        guard let batch = content.batch, let transactions = batch.transactions, transactions.list != nil else { return }
        if keepsHistory { state.listed.add(transactions) }
        history.recent.add(batch, upTo: journal.token, replacing: [:], size: batch.roughSize)
    }

    private mutating func appendWithinLimit(_ content: JournalRecord.Content) throws(StorageError) {
        let limit = journalCapacity + (content.batch == nil ? Self.roomForCheckpoints : 0)
        do throws(FileError) {
            do throws(FileError) {
                return try journal.append(content, within: limit)
            } catch {
                guard error.cause == .fileTooLarge, !state.hasBegun else { throw error }
            }
            try renew()
            try journal.append(content, within: limit)
        } catch {
            // An error without a rule comes from the system's limit (RLIMIT_FSIZE).
            guard error.cause == .fileTooLarge, error.cause.rule != nil else { throw .notSaved(names.file, error) }
            if let (key, size) = content.batch?.largestEntry, size > limit / 2 {
                throw .tooLarge(names.file, key, size, limit)
            }
            throw .journalFull(names.file, limit)
        }
    }

    /// Appends a record now, or before any other record: it counts in any case, and is to be put in force next.
    ///
    /// - Returns: Its token, if it has been appended.
    @discardableResult
    mutating func tell(_ record: JournalRecord.Content) -> ChangeToken? {
        let offset = journal.end.offset
        let isTold = journal.isLocked && untold.isEmpty && (try? append(record)) != nil
        if !isTold { untold.append(record) }
        state.add(record, at: offset, over: inForce.tree)
        return isTold ? journal.token : nil
    }

    /// Appends an edit of a file as a transaction, and puts it in force.
    mutating func tellEdit(_ record: JournalRecord.Content) {
        guard let batch = record.batch, !batch.entries.isEmpty else { return _ = tell(record) }
        let transaction = history.transaction(ofEdit: batch, over: inForce.tree, state.history)
        let token = tell(record.changingBatch { $0.transactions = transaction })
        inForce.announce(.values(batch.values), token: token)
    }

    /// Appends the records that could not be appended when they became known.
    mutating func tellJournal() throws(StorageError) {
        while let record = untold.first {
            try append(record.brought(upTo: state))
            untold.removeFirst()
        }
    }

    /// Appends a record without values, and applies it.
    mutating func appendState(_ record: JournalRecord.Content) throws(StorageError) {
        let offset = journal.end.offset
        try append(record)
        state.add(record, at: offset, over: inForce.tree)
    }
}
