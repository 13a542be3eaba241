/// Beginning a journal, and appending to it. Under the lock.
extension FileSession {
    /// Begins the journal that has just been made, with all values. Its name becomes durable with the first sync: until
    /// then, nothing in it is promised to survive a loss of power.
    ///
    /// If there was another one, the new one goes on where that ended: what was appended to that last has been read
    /// by all processes that have it open still, since it was written under its lock.
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

    /// Puts a new journal with all values in the old one's place, and with what may be kept of the past.
    mutating func replaceJournal() throws(FileError) { try replaceJournal(keeping: keptPastOrGap(of: journal)) }

    mutating func replaceJournal(keeping past: KeptPast?) throws(FileError) {
        repairs.formUnion([.removeAbandonedFiles, .replaceJournal])
        try setJournalAside()
        let growth = journalGrowth
        try journal.replace(past, with: try beginning(), isReset: hasReset, names: names, for: file.owner)
        repairs.remove(.replaceJournal)
        didBeginJournal(growth: growth)
    }

    /// The first records of a journal.
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

    /// Whether the journal says, or is to be told, that a removal has emptied the settings.
    private var hasReset: Bool { state.isReset || untold.contains(where: \.isReset) }

    private mutating func didBeginJournal(growth: Int) {
        state.didBeginJournal(at: JournalHeader.size)
        // What was not told is in it.
        untold.removeAll { if case .history = $0 { false } else { true } }
        schedule.didBeginJournal(growth: growth)
    }

    /// The records of the journal that is open, as far as they are of use for the next.
    func knownRecords() throws(FileError) -> [(offset: Int, record: JournalRecord)] {
        guard journal.isOpen else { return [] }
        // Only read: what is known of the journal stays as it is, should no other take its place.
        var reader = self
        let log = try reader.journal.scan(limit: Self.journalSizeLimit)
        return log.isUnusable ? [] : log.records
    }

    /// Begins the journal anew if that is worth it. If it fails, the old one goes on.
    mutating func renewIfWorthwhile(isAtRest: Bool = false) {
        if schedule.isJournalDue(journal.end.offset, journal.beginningEnd, isAtRest) { try? renew() }
    }

    /// - Throws: The old journal goes on then, unless only its name is in doubt.
    private mutating func renew() throws(FileError) {
        // Another process may have begun one in its place, and stored more there.
        guard try !journal.isReplaced() else { return }
        let (generation, wasDue) = (journal.end.generation, repairs.contains(.replaceJournal))
        // Other than one that must be replaced, this one may go on if something can't be read.
        let past = try history.kept(of: journal, state.history)
        do throws(FileError) {
            try replaceJournal(keeping: past)
        } catch {
            if !wasDue, journal.end.generation == generation { repairs.remove(.replaceJournal) }
            throw error
        }
    }

    // MARK: Appending

    /// Beyond the capacity there is room for what writes the file and begins the journal anew.
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
            // Without a rule, it is the system's limit (RLIMIT_FSIZE).
            guard error.cause == .fileTooLarge, error.cause.rule != nil else { throw .notSaved(names.file, error) }
            if let (key, size) = content.batch?.largestEntry, size > limit / 2 {
                throw .tooLarge(names.file, key, size, limit)
            }
            throw .journalFull(names.file, limit)
        }
    }

    /// Tells the journal now, or before it is told anything else: what the record says counts in any case, and is to be
    /// put in force next.
    ///
    /// - Returns: Its place in the history, if it has been told.
    @discardableResult
    mutating func tell(_ record: JournalRecord.Content) -> ChangeToken? {
        let offset = journal.end.offset
        let isTold = journal.isLocked && untold.isEmpty && (try? append(record)) != nil
        if !isTold { untold.append(record) }
        state.add(record, at: offset, over: inForce.tree)
        return isTold ? journal.token : nil
    }

    /// Tells the journal what somebody has changed in a file, as a transaction, and puts it in force.
    mutating func tellEdit(_ record: JournalRecord.Content) {
        guard let batch = record.batch, !batch.entries.isEmpty else { return _ = tell(record) }
        let transaction = history.transaction(ofEdit: batch, over: inForce.tree, state.history)
        let token = tell(record.changingBatch { $0.transactions = transaction })
        inForce.announce(.values(batch.values), token: token)
    }

    /// Tells the journal what could not be told when it became known.
    mutating func tellJournal() throws(StorageError) {
        while let record = untold.first {
            try append(record.brought(upTo: state))
            untold.removeFirst()
        }
    }

    /// Tells the journal something beside the values, and keeps to it.
    mutating func appendState(_ record: JournalRecord.Content) throws(StorageError) {
        let offset = journal.end.offset
        try append(record)
        state.add(record, at: offset, over: inForce.tree)
    }
}
