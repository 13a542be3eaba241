/// The file's history: what is kept of the past, and what is told of it.
extension FileSession {
    // MARK: What this process sees

    /// A record of others has been read. To be called before its values are in force.
    mutating func remember(_ batch: JournalBatch) {
        guard let transactions = batch.transactions, let history = journal.token?.history else { return }
        var replaced: [SettingKey: SettingValue] = [:]
        if transactions.list == nil { for entry in batch.entries { replaced[entry.key] = inForce.tree[entry.key] } }
        recent.add(
            RecentTransactions.Item(
                token: transactions.token(in: history), batch: batch, replaced: replaced, size: batch.roughSize))
    }

    /// A record has been appended.
    ///
    /// - Parameters:
    ///   - replaced: What stood at its keys before, unless its transactions are listed.
    ///   - size: Its bytes in the journal.
    mutating func remember(_ batch: JournalBatch, replacing replaced: [SettingKey: SettingValue], size: Int) {
        guard batch.transactions != nil, let token = journal.token else { return }
        recent.add(RecentTransactions.Item(token: token, batch: batch, replaced: replaced, size: size))
    }

    /// What a batch of the store has to say of its transactions.
    func transactions(of batch: StorageBatch) -> JournalTransactions {
        let list = batch.transactions.isEmpty ? nil : batch.transactions.map { redacted($0) }
        return JournalTransactions(
            count: max(1, batch.transactionCount), time: list?.last?.time ?? wallTime(isExact: false), list: list)
    }

    /// What an edit has to say of itself: one transaction. Its batch says what the file had before; what stood there may
    /// be newer.
    func transactions(ofEdit batch: JournalBatch, of tree: SettingTree) -> JournalTransactions {
        var difference = batch
        for index in difference.entries.indices {
            difference.entries[index].before = tree[difference.entries[index].key].map { .value($0) } ?? .absent
        }
        return transactions(ofEdit: difference)
    }

    /// The same.
    ///
    /// - Parameter difference: What it has changed; `nil` if that is not known.
    func transactions(ofEdit difference: JournalBatch?) -> JournalTransactions {
        let time = wallTime(isExact: false)
        let mutations = difference?.entries.map { entry in
            StoredMutation(key: entry.key, oldValue: entry.before.value, newValue: entry.value)
        }
        let transaction = StoredTransaction(
            time: time, author: TransactionAuthor(), origin: .external, mutations: mutations)
        return JournalTransactions(count: 1, time: time, list: [redacted(transaction)])
    }

    private func redacted(_ transaction: StoredTransaction) -> StoredTransaction {
        // Also those that could not be told the journal yet.
        transaction.withholding(secretKeys).withholding(contents.history?.secrets ?? [])
    }

    private func redacted(_ record: StoredRecord) -> StoredRecord {
        StoredRecord(token: record.token, transactions: record.transactions.map { redacted($0) })
    }

    /// Whether records list their transactions.
    var keepsHistory: Bool { contents.history?.policy.isKept == true }

    // MARK: Telling

    /// The records after a place, oldest first; `nil` if that can't be told.
    mutating func records(after token: ChangeToken, limit: Int) throws(StorageError) -> [StoredRecord]? {
        guard let end = journal.token, token.history == end.history, token.position <= end.position else { return nil }
        if token == end { return [] }
        if recent.end == end, let records = recent.records(after: token, limit: limit) {
            return keepsHistory ? records.map { redacted($0) } : records
        }
        let isInJournal = journal.header.map { $0.beginning.position <= token.position } ?? false
        return try fileErrors(of: names.history, as: StorageError.unreadable) { (session) throws(FileError) in
            var known = KnownRecords()
            if !isInJournal {
                try session.readPast { (past) throws(FileError) in
                    guard let past, past.index.beginning.history == token.history else { return }
                    // From the one that the place is at the end of.
                    let next = past.index.firstIndex(after: token.position)
                    let range = max(0, next - 1)..<min(past.index.count, next + min(limit, past.index.count))
                    if range.lowerBound == 0 { known.beginnings.append(past.index.beginning) }
                    known.records = try past.records(range).map { $0.record(in: token.history) }
                }
                known.records = known.records.map { session.redacted($0) }
            }
            if known.records.count <= limit {
                try session.addJournal(to: &known, in: token.history) { $0.part(after: token.position, limit: limit) }
            }
            return known.records(after: token, limit: limit)
        }
    }

    /// The records before a place, newest first.
    mutating func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        guard let policy = contents.history?.policy, policy.isKept, let end = journal.token else { return [] }
        let position = token?.position ?? .max
        guard token.map({ $0.history == end.history }) ?? true, position > 0 else { return [] }
        if let token, token.position > end.position { throw .anotherPast(path, token) }
        let now = wallTime(isExact: true)
        if recent.end == end {
            let newest = recent.records(before: position, limit: limit).map { redacted($0) }
            if let token, newest.contradict(token) { throw .anotherPast(path, token) }
            let told = policy.told(newest, before: token, end: end, limit: limit, now: now)
            if told.count == limit { return told }
        }
        let isInPast = journal.header.map { $0.beginning.position >= position } ?? true
        let (found, earlier) = try fileErrors(of: names.history, as: StorageError.unreadable) {
            (session) throws(FileError) in
            var known = KnownRecords()
            var earlier: Double?
            // The past first: what a journal discards is there already.
            try session.readPast { (past) throws(FileError) in
                guard let past, past.index.beginning.history == end.history else { return }
                // With the one that the place may be within.
                let behind = min(past.index.count, past.index.firstIndex(after: position - 1) + 1)
                let range = max(0, behind - 1 - min(limit, behind))..<behind
                known.records = try past.records(range).map { $0.record(in: end.history) }
                earlier = past.index.newestTime(before: range.lowerBound)
            }
            known.records = known.records.map { session.redacted($0) }
            if !isInPast {
                try session.addJournal(to: &known, in: end.history) { records in
                    let part = records.part(before: position, limit: limit)
                    // The times of those that are left out count, too.
                    let times = records[..<part.startIndex].lazy.flatMap(\.transactions).map(\.time)
                    earlier = (times.max() ?? earlier).map { max($0, earlier ?? $0) }
                    return part
                }
            }
            return (known.records, earlier)
        }
        if let token, found.contradict(token) { throw .anotherPast(path, token) }
        return policy.told(found, after: earlier, before: token, end: end, limit: limit, now: now)
    }

    /// Some records that follow one another, unless there is a gap.
    private struct KnownRecords {
        var records: [StoredRecord] = []
        /// Places that are known although nothing before them is.
        var beginnings: [ChangeToken] = []

        /// Those after a place; `nil` if it is not known what followed it.
        func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
            guard var index = records.firstIndex(where: { $0.token.position > token.position }) else { return nil }
            var result: [StoredRecord] = []
            let before = index > 0 ? records[index - 1].token : nil
            if before != token, !beginnings.contains(token) {
                guard let rest = records[index].rest(after: token) else { return nil }
                result.append(rest)
                index += 1
            } else if records[index].start != token.position {
                return nil
            }
            for record in records[index...] {
                // Up to a gap, which the next call finds.
                guard result.count < limit, result.last.map({ $0.token.position == record.start }) ?? true else {
                    break
                }
                result.append(record)
            }
            return result
        }
    }

    /// Adds what the journal has beyond them.
    ///
    /// - Parameter part: What is of use of the journal's records.
    private mutating func addJournal(
        to known: inout KnownRecords, in history: UInt64, _ part: ([StoredRecord]) -> ArraySlice<StoredRecord>
    ) throws(FileError) {
        guard journal.isOpen else { return }
        if journalRecords?.end != journal.end { journalRecords = try readJournalRecords() }
        guard let found = journalRecords, found.beginning.history == history else { return }
        known.beginnings.append(found.beginning)
        let last = known.records.last?.token.position ?? 0
        known.records += part(found.records).drop { $0.token.position <= last }
        // A long one is rather read again than kept in memory.
        if journal.end.offset > Self.longJournal { journalRecords = nil }
    }

    private static let longJournal = 16 << 20

    private func readJournalRecords() throws(FileError) -> JournalRecords? {
        // Only read: what is known of the journal stays as it is.
        var reader = self
        let log = try reader.scanJournal()
        guard let beginning = reader.journal.header?.beginning else { return nil }
        return JournalRecords(
            end: journal.end, beginning: beginning, records: storedRecords(of: log.records, in: beginning.history))
    }

    /// What a journal tells of the past, up to a place in it.
    struct JournalRecords: Sendable {
        var end: JournalPosition
        var beginning: ChangeToken
        var records: [StoredRecord]
    }

    private mutating func readPast(_ body: (HistoryArchive.Reader?) throws(FileError) -> Void) throws(FileError) {
        guard keepsHistory else { return }
        try pastFile.read(knowing: &pastIndex, body)
    }

    /// The transactions of a journal's records. Where they are not listed, the records before tell what stood at their
    /// keys.
    func storedRecords(
        of records: [(offset: Int, record: JournalRecord)], in history: UInt64
    ) -> [StoredRecord] {
        var known = JournalOverlay()
        var result: [StoredRecord] = []
        for (_, record) in records {
            guard let batch = record.content.batch else { continue }
            if let transactions = batch.transactions {
                let list = transactions.list ?? [batch.merged(knowing: known)].compactMap(\.self)
                result.append(redacted(StoredRecord(token: transactions.token(in: history), transactions: list)))
            }
            known.add(batch)
        }
        return result
    }
}

extension [StoredRecord] {
    /// The last ones before a position, and the one that it may be within.
    fileprivate func part(before position: UInt64, limit: Int) -> ArraySlice<StoredRecord> {
        let behind = Swift.min(count, firstIndexInOrder { $0.token.position >= position } + 1)
        return self[..<behind].suffix(Swift.min(limit, behind) + 1)
    }

    /// The first ones after a position, and the one before them.
    fileprivate func part(after position: UInt64, limit: Int) -> ArraySlice<StoredRecord> {
        let next = firstIndexInOrder { $0.token.position > position }
        return self[Swift.max(0, next - 1)...].prefix(Swift.min(limit, count) + 2)
    }

    /// Whether they have another transaction at a place than the one that it is behind.
    fileprivate func contradict(_ token: ChangeToken) -> Bool {
        contains { record in
            record.start < token.position && token.position <= record.token.position
                && token.checksum != record.token.checksum
        }
    }
}

extension StoredRecord {
    /// The position before the first of its transactions.
    fileprivate var start: UInt64 { token.position - count }
}

extension JournalTransactions {
    fileprivate func record(in history: UInt64) -> StoredRecord {
        let unknown = StoredTransaction(
            time: time, author: TransactionAuthor(), origin: .external, count: count, mutations: nil)
        return StoredRecord(token: token(in: history), transactions: list ?? [unknown])
    }
}

extension JournalBatch {
    /// All of its transactions as one, where earlier records tell what stood at its keys.
    fileprivate func merged(knowing earlier: JournalOverlay) -> StoredTransaction? {
        var isKnown = true
        var before: [SettingKey: SettingValue] = [:]
        for entry in entries {
            // An edit says what the file had, which may be less than what was in force.
            let known = earlier.newest(at: entry.key) ?? entry.before
            if known == .unknown { isKnown = false }
            before[entry.key] = known.value
        }
        var merged = merged { before[$0] }
        if !isKnown { merged?.mutations = nil }
        return merged
    }
}
