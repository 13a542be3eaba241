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
        transaction.withholding(Array(secretKeys.union(contents.history?.secrets ?? [])))
    }

    /// Whether records list their transactions.
    var keepsHistory: Bool { contents.history?.policy.isKept == true }

    // MARK: Telling

    /// The records after a place, oldest first; `nil` if that can't be told.
    func records(after token: ChangeToken, limit: Int) throws(StorageError) -> [StoredRecord]? {
        guard let end = journal.token, token.history == end.history, token.position <= end.position else { return nil }
        if token == end { return [] }
        if recent.end == end, let records = recent.records(after: token, limit: limit) { return records }
        let known = try knownHistory()
        guard var index = known.records.firstIndex(where: { $0.token.position > token.position }) else { return nil }
        var result: [StoredRecord] = []
        let before = index > 0 ? known.records[index - 1].token : nil
        if before != token, !known.beginnings.contains(token) {
            guard let rest = known.records[index].rest(after: token) else { return nil }
            result.append(rest)
            index += 1
        } else if known.records[index].start != token.position {
            return nil
        }
        for record in known.records[index...] {
            // Up to a gap, which the next call finds.
            guard result.count < limit, result.last.map({ $0.token.position == record.start }) ?? true else { break }
            result.append(record)
        }
        return result
    }

    /// The records before a place, newest first.
    func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        guard let policy = contents.history?.policy, policy.isKept else { return [] }
        return policy.told(try knownHistory().records, before: token, limit: limit, now: wallTime(isExact: true))
    }

    private struct KnownHistory {
        var records: [StoredRecord] = []
        /// Places that are known although nothing before them is.
        var beginnings: [ChangeToken] = []
    }

    /// Everything of which the kept past and the journal tell, in order.
    private func knownHistory() throws(StorageError) -> KnownHistory {
        guard let token = journal.token else { return KnownHistory() }
        var known = KnownHistory()
        do throws(FileError) {
            if keepsHistory, let past = try pastFile.read(), let beginning = past.header.beginning,
                beginning.history == token.history
            {
                known.beginnings.append(beginning)
                known.records = past.records.map { $0.record(in: token.history) }
            }
            // The past first: what a journal discards is there already.
            var reader = self
            let log = journal.isOpen ? try reader.scanJournal() : JournalReading()
            guard let beginning = reader.journal.header?.beginning, beginning.history == token.history else {
                return known
            }
            known.beginnings.append(beginning)
            let last = known.records.last?.token.position ?? 0
            known.records += storedRecords(of: log.records, in: token.history).filter { $0.token.position > last }
        } catch {
            throw .unreadable(names.history, error)
        }
        return known
    }

    /// The transactions of a journal's records. Where they are not listed, the records before tell what stood at their
    /// keys.
    private func storedRecords(
        of records: [(offset: Int, record: JournalRecord)], in history: UInt64
    ) -> [StoredRecord] {
        var known = JournalOverlay()
        var result: [StoredRecord] = []
        for (_, record) in records {
            guard let batch = record.content.batch else { continue }
            if let transactions = batch.transactions {
                let list = transactions.list ?? [batch.merged(knowing: known)].compactMap(\.self)
                result.append(
                    StoredRecord(token: transactions.token(in: history), transactions: list.map { redacted($0) }))
            }
            known.add(batch)
        }
        return result
    }

    // MARK: Keeping

    var pastFile: PastFile { PastFile(operations: operations, names: names) }

    /// Keeps the transactions of a journal that is about to be discarded.
    ///
    /// - Parameter records: Those of the journal.
    func keepPast(of records: [(offset: Int, record: JournalRecord)]) throws(FileError) {
        guard let history = contents.history, history.policy.isKept, let token = journal.token else { return }
        try keepPast(storedRecords(of: records, in: token.history), history, since: journal.header?.beginning ?? token)
    }

    private func keepPast(
        _ records: [StoredRecord], _ history: JournalHistory, since beginning: ChangeToken
    ) throws(FileError) {
        let found = try pastFile.read()
        let past = found?.token?.history == beginning.history ? found : nil
        let last = past?.token?.position ?? 0
        let new = records.filter { $0.token.position > last }.map(JournalTransactions.init)
        let now = wallTime(isExact: true)
        if let past, past.history == history, !past.exceeds(history.policy, at: now) {
            return new.isEmpty ? () : try pastFile.append(new, to: past)
        }
        var all =
            past
            ?? PastFile.Contents(
                header: JournalHeader(generation: 1, beginning: beginning), end: .start(of: 1))
        all.records += new
        all.sizes += new.map(\.roughSize)
        all.trim(to: history.policy, at: now)
        try pastFile.replace(
            with: all.records, after: all.header.beginning ?? beginning, history, for: file.owner)
    }

    /// Keeps the transactions of a journal that has been removed. Where they are not known, a gap is left.
    mutating func keepLostPast() {
        guard keepsHistory, let token = journal.token else { return }
        defer { lostRecords = [] }
        try? keepPast(of: lostRecords)
        if (try? pastFile.read())??.token != token { journal.leaveGap() }
    }

    /// Goes on with the history that is kept, although the journal is lost in which it went on.
    mutating func followPast() throws(FileError) {
        guard journal.token == nil, let past = try pastFile.read(), let token = past.token else { return }
        // What the journal had is not known.
        journal.follow(token.behindGap)
        contents.history = past.history
    }

    // MARK: Changing what is kept

    /// Says in the journal what is kept of the past.
    mutating func keepHistory(_ policy: HistoryPolicy) throws(StorageError) {
        guard contents.history?.policy ?? .none != policy else { return }
        try acquire()
        defer { release() }
        var history = contents.history ?? JournalHistory(policy: policy)
        history.policy = policy
        history.add(secretKeys)
        try append(.history(history))
        contents.history = history
        // Rare, and all processes are to keep to it, whatever happens to this one.
        try synchronize()
        guard !policy.isKept else { return }
        try fileErrors { (session) throws(FileError) in try session.pastFile.remove() }
    }

    /// From now on, no history has values of some keys.
    mutating func withhold(_ keys: [SettingKey]) throws(StorageError) {
        secretKeys.formUnion(keys)
        guard keepsHistory, var history = contents.history else { return }
        guard history.add(secretKeys) else { return }
        try acquire()
        defer { release() }
        try append(.history(history))
        contents.history = history
        try rewritePast { [redact = history.secrets] in $0.withholding(redact) }
    }

    /// Another process says what is kept, and does not know of this one's secrets.
    mutating func addSecrets(to history: JournalHistory) {
        var history = history
        if history.policy.isKept, history.add(secretKeys) { repairs.tell(.history(history)) }
    }

    /// Removes a key from the kept past.
    mutating func forgetHistory(of key: SettingKey) throws(StorageError) {
        guard keepsHistory else { return }
        try acquire()
        defer { release() }
        try rewritePast(forgetting: key) { $0.forgetting(key) }
    }

    /// Changes what is kept of each transaction, also of those that stand in the journal, which is begun anew.
    ///
    /// - Parameter forgotten: A key of which the journal must not say either what was there before.
    private mutating func rewritePast(
        forgetting forgotten: SettingKey? = nil, _ change: (StoredTransaction) -> StoredTransaction
    ) throws(StorageError) {
        try fileErrors { (session) throws(FileError) in
            let log = try session.knownRecords()
            try session.keepPast(of: log)
            guard let past = try session.pastFile.read(), let beginning = past.header.beginning,
                let history = session.contents.history
            else { return }
            let records = past.records.map { transactions in
                var transactions = transactions
                transactions.list = transactions.list?.map(change)
                return transactions
            }
            try session.pastFile.replace(with: records, after: beginning, history, for: session.file.owner)
            // What the journal has of it is in the past by now.
            try session.replaceJournal(forgetting: forgotten)
            session.recent.begin(at: session.journal.token)
        }
    }
}

extension JournalHistory {
    /// - Returns: Whether any of the keys is new.
    @discardableResult
    fileprivate mutating func add(_ keys: Set<SettingKey>) -> Bool {
        let all = Set(secrets).union(keys)
        guard all.count > secrets.count else { return false }
        secrets = all.sorted()
        return true
    }
}

extension StoredRecord {
    /// The position before the first of its transactions.
    fileprivate var start: UInt64 { token.position - count }
}

extension JournalTransactions {
    fileprivate init(_ record: StoredRecord) {
        self.init(
            position: record.token.position, count: record.count, time: record.transactions.last?.time ?? 0,
            list: record.transactions)
        checksum = record.token.checksum
    }

    fileprivate func record(in history: UInt64) -> StoredRecord {
        let unknown = StoredTransaction(
            time: time, author: TransactionAuthor(), origin: .external, count: count, mutations: nil)
        return StoredRecord(token: token(in: history), transactions: list ?? [unknown])
    }

    /// An estimate of the bytes that they take.
    fileprivate var roughSize: Int { (list ?? []).reduce(64) { $0 + $1.roughSize } }
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
