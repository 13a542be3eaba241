/// Keeping the past.
extension FileSession {
    var pastFile: PastFile { PastFile(operations: operations, names: names) }

    /// Keeps the transactions of a journal that is about to be discarded.
    ///
    /// - Parameter records: Those of the journal.
    mutating func keepPast(of records: [(offset: Int, record: JournalRecord)]) throws(FileError) {
        guard let history = contents.history, history.policy.isKept, let token = journal.token else { return }
        let beginning = journal.header?.beginning ?? token
        let new = storedRecords(of: records, in: token.history)
        let (pastFile, now, owner) = (pastFile, wallTime(isExact: true), file.owner)
        try pastFile.read(knowing: &pastIndex) { (past) throws(FileError) in
            try pastFile.keep(new, since: beginning, history, behind: past, at: now, for: owner)
        }
    }

    /// Keeps the transactions of a journal that has been removed. Where they are not known, a gap is left.
    mutating func keepLostPast() {
        guard keepsHistory, let token = journal.token else { return }
        defer { lostRecords = [] }
        try? keepPast(of: lostRecords)
        let kept = try? pastFile.read(knowing: &pastIndex) { (past) throws(FileError) in past?.index.token }
        if kept != token { journal.leaveGap() }
    }

    /// Goes on with the history that is kept, although the journal is lost in which it went on.
    mutating func followPast() throws(FileError) {
        guard journal.token == nil else { return }
        let past = try pastFile.read(knowing: &pastIndex) { (past) throws(FileError) in past?.index }
        guard let past else { return }
        // What the journal had is not known.
        journal.follow(past.token.behindGap)
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
            let past = try session.pastFile.read(knowing: &session.pastIndex) { (past) throws(FileError) in
                try past.map { (past) throws(FileError) in (past.index.beginning, try past.records()) }
            }
            guard let (beginning, records) = past, let history = session.contents.history else { return }
            let changed = records.map { transactions in
                var transactions = transactions
                transactions.list = transactions.list?.map(change)
                return transactions
            }
            try session.pastFile.replace(with: changed, after: beginning, history, for: session.file.owner)
            // What the journal has of it is in the past by now.
            try session.replaceJournal(forgetting: forgotten)
            session.recent.begin(at: session.journal.token)
        }
    }
}

extension PastFile {
    /// Puts records behind those that are kept.
    ///
    /// - Parameters:
    ///   - records: Those of a journal. The past may have some of them already.
    ///   - beginning: The place before them.
    ///   - past: What is kept so far.
    fileprivate func keep(
        _ records: [StoredRecord], since beginning: ChangeToken, _ history: JournalHistory, behind past: Reader?,
        at time: Double, for owner: FileStatus.Owner?
    ) throws(FileError) {
        let past = past?.index.beginning.history == beginning.history ? past : nil
        let last = past?.index.token.position ?? 0
        let new = records.filter { $0.token.position > last }.map(JournalTransactions.init)
        if let index = past?.index, index.history == history, !index.exceeds(history.policy, at: time) {
            if !new.isEmpty { try append(new, at: index.end) }
            return
        }
        var all = try past?.records() ?? []
        all += new
        let first = all.firstIndex(within: history.policy, at: time)
        let place = first > 0 ? all[first - 1].token(in: beginning.history) : past?.index.beginning ?? beginning
        try replace(with: Array(all[first...]), after: place, history, for: owner)
    }
}

extension [JournalTransactions] {
    /// The oldest record that is within the bounds with all that follow.
    fileprivate func firstIndex(within policy: HistoryPolicy, at time: Double) -> Int {
        var (count, size) = (0, 0)
        let young = policy.firstIndex(in: map(\.time), now: time)
        for index in indices.reversed() {
            size += JournalRecord(.past(self[index]), durableEnd: 0).encoded(at: .start(of: 1)).bytes.count
            // The last one may have more transactions than find room; those are not told.
            guard count < policy.transactions, size <= policy.bytes, index >= young else { return index + 1 }
            count += self[index].transactionCount
        }
        return 0
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

extension JournalTransactions {
    fileprivate init(_ record: StoredRecord) {
        self.init(
            position: record.token.position, count: record.count, time: record.transactions.last?.time ?? 0,
            list: record.transactions)
        checksum = record.token.checksum
    }
}
