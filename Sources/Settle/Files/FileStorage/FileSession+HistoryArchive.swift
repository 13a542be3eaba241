/// Keeping the past.
extension FileSession {
    var pastFile: HistoryArchive { HistoryArchive(operations: operations, names: names) }

    /// Keeps the transactions of a journal that is about to be discarded.
    ///
    /// - Parameters:
    ///   - records: Those of the journal.
    ///   - isWrittenAnew: Whether the file is in any case, such as because what it has may not be stable.
    ///   - forgotten: A key of which nothing is kept.
    mutating func keepPast(
        of records: [(offset: Int, record: JournalRecord)], isWrittenAnew: Bool = false,
        forgetting forgotten: SettingKey? = nil
    ) throws(FileError) {
        guard let history = contents.history, history.policy.isKept, let token = journal.token else { return }
        let past = KeptPast(
            beginning: journal.header?.beginning ?? token, history: history, isWrittenAnew: isWrittenAnew,
            forgotten: forgotten)
        let new = storedRecords(of: records, in: token.history)
        let (pastFile, now, owner) = (pastFile, wallTime(isExact: true), file.owner)
        try pastFile.read(knowing: &pastIndex) { (known) throws(FileError) in
            try pastFile.keep(new, past, behind: known, at: now, for: owner)
        }
    }

    /// The same. If it fails, the history has a gap: settings matter more than their past.
    mutating func keepPastOrLeaveGap(of records: [(offset: Int, record: JournalRecord)]) {
        do throws(FileError) {
            do throws(FileError) {
                try keepPast(of: records)
            } catch {
                // Not every obstacle lasts. Of what has been written so far nothing may be stable.
                setPastAsideIfUnusable()
                try keepPast(of: records, isWrittenAnew: true)
            }
            hasToldPastTrouble = false
        } catch {
            journal.leaveGap()
            tellPastTrouble(error)
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

    /// Goes on with the history that is kept, although the journal is lost in which it went on. One that can't be read
    /// is as good as none.
    mutating func followPast() {
        guard journal.token == nil else { return }
        var past: HistoryArchiveIndex?
        do throws(FileError) {
            past = try readPastIndex()
        } catch {
            // Not every obstacle lasts.
            setPastAsideIfUnusable()
            past = (try? readPastIndex()) ?? nil
        }
        guard let past else { return }
        // What the journal had is not known.
        journal.follow(past.token.behindGap)
        contents.history = past.history
    }

    private mutating func readPastIndex() throws(FileError) -> HistoryArchiveIndex? {
        try pastFile.read(knowing: &pastIndex) { (past) throws(FileError) in past?.index }
    }

    // MARK: A past that can't be used

    /// What can't be read, or is no file, makes way for another past.
    private mutating func setPastAsideIfUnusable() {
        guard let reason = pastFile.obstacle else { return }
        for number in 1...Self.corruptLimit {
            let aside = names.corruptHistory(number)
            guard (try? operations.status(at: aside)) == nil else { continue }
            guard (try? operations.rename(names.history, to: aside)) != nil else { return }
            pastIndex = nil
            tellPastTrouble(reason, setAside: aside)
            return
        }
    }

    /// Tells the store once.
    private mutating func tellPastTrouble(_ error: FileError, setAside aside: FilePath? = nil) {
        guard !hasToldPastTrouble || aside != nil else { return }
        hasToldPastTrouble = true
        inForce.announce(.unusable(.pastNotKept(names.history, error, setAside: aside)))
    }
}

/// What is kept of the past, and how.
private struct KeptPast {
    /// The place before the journal's first record.
    var beginning: ChangeToken
    var history: JournalHistory
    var isWrittenAnew: Bool
    var forgotten: SettingKey?

    /// What may be kept of a record.
    func allowed(_ record: JournalTransactions) -> JournalTransactions {
        var record = record
        record.list = record.list?.map { transaction in
            let kept = transaction.withholding(history.secrets)
            return forgotten.map { kept.forgetting($0) } ?? kept
        }
        return record
    }
}

extension HistoryArchive {
    /// Puts records behind those that are kept.
    ///
    /// - Parameters:
    ///   - records: Those of a journal. The past may have some of them already.
    ///   - past: What is kept so far.
    fileprivate func keep(
        _ records: [StoredRecord], _ kept: KeptPast, behind past: Reader?, at time: Double,
        for owner: FileStatus.Owner?
    ) throws(FileError) {
        let (beginning, history) = (kept.beginning, kept.history)
        let past = past?.index.beginning.history == beginning.history ? past : nil
        let last = past?.index.token.position ?? 0
        let new = records.filter { $0.token.position > last }.map(JournalTransactions.init)
        if let index = past?.index, index.history == history, !index.exceeds(history.policy, at: time),
            !kept.isWrittenAnew
        {
            if !new.isEmpty { try append(new, at: index.end) }
            return
        }
        var all = try past?.records() ?? []
        all = (all + new).map(kept.allowed)
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

extension JournalTransactions {
    fileprivate init(_ record: StoredRecord) {
        self.init(
            position: record.token.position, count: record.count, time: record.transactions.last?.time ?? 0,
            list: record.transactions)
        checksum = record.token.checksum
    }
}
