/// The file's history: keeping it, and reporting it.
extension FileSession {
    /// Whether records list their transactions.
    var keepsHistory: Bool { state.history?.policy.isKept == true }

    // MARK: Reporting

    /// Returns the records after a token, oldest first; `nil` if they are not known.
    mutating func records(after token: ChangeToken, limit: Int) throws(StorageError) -> [StoredRecord]? {
        guard let end = journal.token, token.history == end.history, token.position <= end.position else { return nil }
        if let records = recentRecords(after: token, limit: limit) { return records }
        try openJournal()
        return try StorageError.reading(
            journal.path, history.records(after: token, limit: limit, in: journal, state.history))
    }

    /// Returns the records after a token, oldest first; `nil` if they are not in memory.
    func recentRecords(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        guard let end = journal.token, token.history == end.history, token.position <= end.position else { return nil }
        if token == end { return [] }
        guard history.recent.end == end, let records = history.recent.records(after: token, limit: limit) else {
            return nil
        }
        return keepsHistory ? history.redacted(records, state.history) : records
    }

    /// Returns the records before a token, newest first.
    mutating func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        guard let policy = state.history?.policy, policy.isKept, let end = journal.token else { return [] }
        let position = token?.position ?? .max
        guard token.map({ $0.history == end.history }) ?? true, position > 0 else { return [] }
        if let token, token.position > end.position { throw .anotherPast(path, token) }
        let now = wallTime(isExact: true)
        let start = try positionBehindBound(of: policy.bytes, at: end)
        if history.recent.end == end {
            let newest = history.redacted(history.recent.records(before: position, limit: limit), state.history)
            if let token, newest.contradict(token) { throw .anotherPast(path, token) }
            let told = policy.told(newest, before: token, end: end, behind: start, limit: limit, now: now)
            if told.count == limit { return told }
        }
        try openJournal()
        let (found, earlier) = try StorageError.reading(
            journal.path, history.records(before: position, limit: limit, in: journal, state.history))
        if let token, found.contradict(token) { throw .anotherPast(path, token) }
        return policy.told(
            found, after: earlier, before: token, end: end, behind: start, limit: limit, now: now)
    }

    /// Returns the position before the oldest of the last records that fit into a number of bytes.
    private mutating func positionBehindBound(of bytes: Int, at end: ChangeToken) throws(StorageError) -> UInt64 {
        // The journal has each value once in a record, and its transactions have it once more when the journal is
        // replaced.
        guard journal.end.offset > bytes / 4 else { return 0 }
        try openJournal()
        return try StorageError.reading(journal.path, history.position(before: bytes, at: end, in: journal))
    }

    // MARK: Keeping

    /// Returns the history for another journal. If it can't be read, the history gets a gap: settings matter more than
    /// their history.
    mutating func keptPastOrGap(of known: JournalFile) -> KeptPast? {
        do throws(FileError) {
            return try history.kept(of: known, state.history)
        } catch {
            journal.leaveGap()
            inForce.announce(.unusable(.pastNotKept(journal.path, error)))
            return nil
        }
    }

    /// Gives up a journal that no longer has its name. It stays open until another one is known: it may contain data
    /// that no other process has.
    mutating func giveUpJournal() {
        if lost == nil { lost = journal.detach() } else { journal.close() }
    }

    /// Closes the lost journal, because another one is known, or has been begun.
    mutating func forgetLost() {
        lost?.close()
        lost = nil
    }
}
