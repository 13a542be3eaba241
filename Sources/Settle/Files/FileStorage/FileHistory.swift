/// A process's knowledge of the file's history, from which it reports.
///
/// The newest transactions are in memory. Others are read from the journal: before its base are the history records,
/// and after it the records of values.
struct FileHistory: Sendable {
    /// The transactions that this process has seen.
    var recent = RecentTransactions()
    /// The keys that this process knows to be secrets.
    var secrets: Set<SettingKey> = []
    /// The index of the history records in the journal.
    private var index: JournalPastIndex?
    /// The transactions of the journal's other records, for one page after another.
    private var list: JournalTransactionList?

    /// The last answer of ``position(before:at:in:)``.
    private var bound: (bytes: Int, end: ChangeToken, position: UInt64)?

    /// Above this size, the records of a journal are read again each time, and do not stay in memory.
    private let longJournal: Int

    init(longJournal: Int = 16 << 20) { self.longJournal = longJournal }

    // MARK: Secrets

    /// - Parameter kept: The journal's policy and secrets.
    func redacted(_ transaction: StoredTransaction, _ kept: JournalHistory?) -> StoredTransaction {
        // Including secrets that could not be recorded in the journal yet.
        transaction.withholding(secrets).withholding(kept?.secrets ?? [])
    }

    func redacted(_ records: some Sequence<StoredRecord>, _ kept: JournalHistory?) -> [StoredRecord] {
        records.map { record in
            StoredRecord(token: record.token, transactions: record.transactions.map { redacted($0, kept) })
        }
    }

    // MARK: Transactions of a record

    /// Returns the transactions of a batch of the store.
    ///
    /// - Parameters:
    ///   - kept: The journal's policy and secrets.
    ///   - now: The time, for a batch that does not list its transactions.
    func transactions(
        of batch: StorageBatch, _ kept: JournalHistory?, at now: @autoclosure () -> Double = wallTime(isExact: false)
    ) -> JournalTransactions {
        let list = batch.transactions.isEmpty ? nil : batch.transactions.map { redacted($0, kept) }
        return JournalTransactions(
            count: max(1, batch.transactionCount), time: list?.last?.time ?? now(), list: list)
    }

    /// Returns the transaction of an edit.
    ///
    /// - Parameters:
    ///   - tree: All values before it.
    ///   - kept: The journal's policy and secrets.
    ///   - time: The time when it was found.
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

    /// Returns the index of the journal's history records; `nil` if there are none.
    mutating func past(in journal: JournalFile) throws(FileError) -> JournalPastIndex? {
        guard journal.hasPast else { return nil }
        index = try journal.pastIndex(knowing: index)
        return index
    }

    /// Returns the transactions of the journal's records. Reads only new records.
    private mutating func transactions(in journal: JournalFile) throws(FileError) -> JournalTransactionList? {
        guard journal.isOpen, let header = journal.header else { return nil }
        var list = JournalTransactionList(header)
        // A copy of the same journal may have been restored, and may have diverged since.
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

    /// Returns the history for another journal that replaces this one.
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

    // MARK: Reporting

    /// Returns the position before the oldest of the last records that fit into a number of bytes.
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

    /// Returns the records after a token that is not the end, oldest first; `nil` if they are not known.
    mutating func records(
        after token: ChangeToken, limit: Int, in journal: JournalFile, _ kept: JournalHistory?
    ) throws(FileError) -> [StoredRecord]? {
        var known = KnownRecords()
        let isInJournal = journal.header.map { $0.beginning.position <= token.position } ?? false
        if !isInJournal, kept?.policy.isKept == true, let index = try past(in: journal), let header = journal.header {
            // Beginning with the record that ends at the token.
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

    /// Returns the last records before a position, oldest first, with the one that it may be within.
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
            // The times of the omitted records count too.
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
