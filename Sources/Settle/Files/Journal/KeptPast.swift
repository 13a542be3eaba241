/// The history in a journal: the transactions of the journals before it.
///
/// Pure.
struct KeptPast: Sendable {
    /// The token before them.
    var oldest: ChangeToken
    /// One for each record of an earlier journal.
    var records: [JournalTransactions] = []
}

extension KeptPast {
    /// Returns the part that a policy allows.
    ///
    /// - Parameters:
    ///   - time: The wall time.
    ///   - forgotten: A key of which nothing is kept.
    func allowed(by history: JournalHistory, at time: Double, forgetting forgotten: SettingKey?) -> KeptPast {
        var past = self
        for index in records.indices {
            past.records[index].list = records[index].list?.map { transaction in
                let kept = transaction.withholding(history.secrets)
                return forgotten.map { kept.forgetting($0) } ?? kept
            }
        }
        let first = past.firstIndex(within: history.policy, at: time)
        guard first > 0 else { return past }
        past.oldest = past.records[first - 1].token(in: oldest.history)
        past.records.removeFirst(first)
        return past
    }

    /// Returns the index of the oldest record that is within the bounds with all later ones.
    private func firstIndex(within policy: HistoryPolicy, at time: Double) -> Int {
        var (count, size) = (0, 0)
        let young = policy.firstIndex(in: records.map(\.time), now: time)
        for index in records.indices.reversed() {
            size += records[index].size
            // The last one may have more transactions than the bounds allow; the excess is not reported.
            guard count < policy.transactions, size <= policy.bytes, index >= young else { return index + 1 }
            count += max(1, records[index].list?.count ?? 1)
        }
        return 0
    }
}

extension JournalTransactions {
    /// The bytes that they take in the history.
    var size: Int { JournalRecord(.past(self), durableEnd: 0).encoded(at: .start(of: 1)).bytes.count }

    init(_ record: StoredRecord) {
        self.init(
            position: record.token.position, count: record.count, time: record.transactions.last?.time ?? 0,
            list: record.transactions)
        checksum = record.token.checksum
    }
}
