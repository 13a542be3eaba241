/// What a process knows of the file's history, and what it tells of it.
///
/// The newest transactions are in memory; of the others, what the journal has is read: in front of its base what is
/// kept of the past, and behind it the records.
struct FileHistory: Sendable {
    /// What this process has seen.
    var recent = RecentTransactions()
    /// The keys of which this process knows that their values are secrets.
    var secrets: Set<SettingKey> = []
    /// Where the journal has which part of the past.
    private var index: JournalPastIndex?
    /// What its records tell, for one page after another.
    private var list: JournalTransactionList?

    /// The last answer of ``position(before:at:in:)``.
    private var bound: (bytes: Int, end: ChangeToken, position: UInt64)?

    /// The records of a longer journal are read again each time, and do not stay in memory.
    private let longJournal: Int

    init(longJournal: Int = 16 << 20) { self.longJournal = longJournal }

    // MARK: Secrets

    /// - Parameter kept: What the journal says.
    func redacted(_ transaction: StoredTransaction, _ kept: JournalHistory?) -> StoredTransaction {
        // Also those that could not be told the journal yet.
        transaction.withholding(secrets).withholding(kept?.secrets ?? [])
    }

    func redacted(_ records: some Sequence<StoredRecord>, _ kept: JournalHistory?) -> [StoredRecord] {
        records.map { record in
            StoredRecord(token: record.token, transactions: record.transactions.map { redacted($0, kept) })
        }
    }

    // MARK: What a record says of its transactions

    /// Those of a batch of the store.
    ///
    /// - Parameters:
    ///   - kept: What the journal says.
    ///   - now: The time, for a batch that does not list its transactions.
    func transactions(
        of batch: StorageBatch, _ kept: JournalHistory?, at now: @autoclosure () -> Double = wallTime(isExact: false)
    ) -> JournalTransactions {
        let list = batch.transactions.isEmpty ? nil : batch.transactions.map { redacted($0, kept) }
        return JournalTransactions(
            count: max(1, batch.transactionCount), time: list?.last?.time ?? now(), list: list)
    }

    /// That of an edit.
    ///
    /// - Parameters:
    ///   - tree: All values before it.
    ///   - kept: What the journal says.
    ///   - time: When it was found.
    func transaction(
        ofEdit batch: JournalBatch, over tree: SettingTree, _ kept: JournalHistory?,
        at time: Double = wallTime(isExact: false)
    ) -> JournalTransactions {
        let mutations = batch.entries.map { StoredMutation(key: $0.key, oldValue: tree[$0.key], newValue: $0.value) }
        let transaction = StoredTransaction(
            time: time, author: TransactionAuthor(), origin: .external, mutations: mutations)
        return JournalTransactions(count: 1, time: time, list: [redacted(transaction, kept)])
    }

    // MARK: Reading the journal

    /// What is kept of the past; `nil` if that is nothing.
    mutating func past(in journal: JournalFile) throws(FileError) -> JournalPastIndex? {
        guard journal.hasPast else { return nil }
        index = try journal.pastIndex(knowing: index)
        return index
    }

    /// What the records tell of transactions. Only what is new is read.
    private mutating func transactions(in journal: JournalFile) throws(FileError) -> JournalTransactionList? {
        guard journal.isOpen, let header = journal.header else { return nil }
        var list = JournalTransactionList(header)
        // A copy of the same journal may have been put back, and have gone on in another way.
        if let known = self.list, !known.isEmpty, try journal.continues(known.end) { list = known }
        let (start, count) = (list.end.offset, journal.end.offset - list.end.offset)
        if count > 0 {
            let bytes = try journal.read(at: start, count: count)
            list.add(
                bytes.withUnsafeBytes { bytes in
                    list.isEmpty
                        ? JournalScan.salvage(fromBase: bytes, header)
                        : JournalScan.salvage(bytes, at: start, from: list.end)
                })
        }
        self.list = journal.end.offset > longJournal ? nil : list
        return list
    }

    /// What another journal in this one's place is to keep of the past.
    ///
    /// - Parameter forgotten: A key of which nothing is kept.
    mutating func kept(
        of journal: JournalFile, _ kept: JournalHistory?, forgetting forgotten: SettingKey? = nil
    ) throws(FileError) -> KeptPast? {
        guard var kept, kept.policy.isKept, journal.isOpen, let header = journal.header else { return nil }
        kept.secrets.formUnion(secrets)
        var result = KeptPast(oldest: header.oldest)
        if let index = try past(in: journal) { result.records = try journal.past(0..<index.count, in: index) }
        if let list = try transactions(in: journal) { result.records += list.records.map { JournalTransactions($0) } }
        return result.allowed(by: kept, at: wallTime(isExact: true), forgetting: forgotten)
    }

    // MARK: Telling

    /// The position before the oldest of the last records that take no more bytes than given.
    mutating func position(
        before bytes: Int, at end: ChangeToken, in journal: JournalFile
    ) throws(FileError) -> UInt64 {
        if let bound, bound.bytes == bytes, bound.end == end { return bound.position }
        let position = try findPosition(before: bytes, in: journal)
        bound = (bytes, end, position)
        return position
    }

    private mutating func findPosition(before bytes: Int, in journal: JournalFile) throws(FileError) -> UInt64 {
        var rest = bytes
        for record in try transactions(in: journal)?.records.reversed() ?? [] {
            rest -= JournalTransactions(record).size
            if rest < 0 { return record.token.position }
        }
        return try past(in: journal)?.position(before: rest) ?? 0
    }

    /// The records after a place that is not the end, oldest first; `nil` if that can't be told.
    mutating func records(
        after token: ChangeToken, limit: Int, in journal: JournalFile, _ kept: JournalHistory?
    ) throws(FileError) -> [StoredRecord]? {
        var known = KnownRecords()
        let isInJournal = journal.header.map { $0.beginning.position <= token.position } ?? false
        if !isInJournal, kept?.policy.isKept == true, let index = try past(in: journal), let header = journal.header {
            // From the one that the place is at the end of.
            let next = index.firstIndex(after: token.position)
            let range = max(0, next - 1)..<min(index.count, next + min(limit, index.count))
            if range.lowerBound == 0 { known.beginnings.append(header.oldest) }
            known.records = try journal.past(range, in: index).map { $0.record(in: token.history) }
        }
        if known.records.count <= limit, let list = try transactions(in: journal),
            list.beginning.history == token.history
        {
            known.add(list.records.part(after: token.position, limit: limit), behind: list.beginning)
        }
        known.records = redacted(known.records, kept)
        return known.records(after: token, limit: limit)
    }

    /// The last records before a position, oldest first, with the one that it may be within.
    ///
    /// - Returns: Also the newest time of all before them.
    mutating func records(
        before position: UInt64, limit: Int, in journal: JournalFile, _ kept: JournalHistory?
    ) throws(FileError) -> (records: [StoredRecord], earlier: Double?) {
        var known = KnownRecords()
        var earlier: Double?
        let history = journal.token?.history ?? 0
        if let index = try past(in: journal) {
            let behind = min(index.count, index.firstIndex(after: position - 1) + 1)
            let range = max(0, behind - 1 - min(limit, behind))..<behind
            known.records = try journal.past(range, in: index).map { $0.record(in: history) }
            earlier = index.newestTime(before: range.lowerBound)
        }
        let isInPast = journal.header.map { $0.beginning.position >= position } ?? true
        if !isInPast, let list = try transactions(in: journal) {
            let part = list.records.part(before: position, limit: limit)
            // The times of those that are left out count, too.
            let times = list.records[..<part.startIndex].lazy.flatMap(\.transactions).map(\.time)
            earlier = (times.max() ?? earlier).map { max($0, earlier ?? $0) }
            known.add(part, behind: list.beginning)
        }
        return (redacted(known.records, kept), earlier)
    }
}

extension JournalTransactions {
    fileprivate func record(in history: UInt64) -> StoredRecord {
        let unknown = StoredTransaction(
            time: time, author: TransactionAuthor(), origin: .external, count: count, mutations: nil)
        return StoredRecord(token: token(in: history), transactions: list ?? [unknown])
    }
}
