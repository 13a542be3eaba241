/// Lists the transactions of each batch, and counts those that the storage's history already has.
struct HistoryWriter {
    private let log: MutationLog
    private let time: TimeSource
    private let storage: (any HistoryStorage)?
    /// The transactions up to here are in the storage's history, if they had anything to store.
    private var lastListed: UInt64 = 0
    /// The number of transactions that had something for the storage, up to ``lastListed``, and up to the last
    /// collection.
    private var listedCount: UInt64 = 0
    private var collectedCount: UInt64 = 0

    init(_ storage: any Storage, log: MutationLog, time: TimeSource) {
        self.storage = storage as? any HistoryStorage
        self.log = log
        self.time = time
    }

    /// Records that changes were collected from the log: `count` transactions have had something for the storage until
    /// now.
    mutating func collected(_ count: UInt64) { collectedCount = count }

    /// Lists the transactions of a batch with everything up to a revision.
    ///
    /// - Parameter reason: That of a batch without any transaction of the log, which only ends an unconfirmed commit.
    func list(upTo revision: UInt64, in batch: inout StorageBatch, for reason: String?) {
        let count = collectedCount - listedCount
        batch.transactionCount = max(1, count)
        guard storage?.keepsHistory == true, !batch.values.isEmpty else { return }
        batch.transactions = log.transactions(
            count == 0 ? nil : lastListed + 1...revision, count: batch.transactionCount, values: batch.values,
            before: batch.expectedValues, author: batch.author, now: time.now())
        if count == 0, !batch.transactions.isEmpty { batch.transactions[0].reason = reason }
    }

    /// Records that a batch has been stored: its transactions are not listed again.
    mutating func didList(_ batch: StorageBatch, at token: ChangeToken?) {
        if let token, batch.revision > lastListed {
            log.place(lastListed + 1...batch.revision, at: token, count: batch.transactionCount)
        }
        guard batch.revision > lastListed || batch.transactionCount > 1 else { return }
        listedCount += min(batch.transactionCount, collectedCount - listedCount)
        lastListed = max(lastListed, batch.revision)
    }
}

extension MutationLog {
    /// Returns the single transactions of a batch, as far as the log still has them.
    ///
    /// - Parameter revisions: Those of the batch; `nil` if it only has what an earlier one has left out.
    func transactions(
        _ revisions: ClosedRange<UInt64>?, count: UInt64, values: [SettingKey: SettingValue?],
        before: [SettingKey: SettingValue], author: String?, now: Double
    ) -> [StoredTransaction] {
        // Encoded outside the log's lock, because encoders are foreign code.
        let logged = revisions.map(ownTransactions) ?? []
        var listing = TransactionListing(values, replacing: before)
        var transactions = listing.transactions(
            logged.suffix(Int(clamping: count)).map(Self.item), of: count, by: .current, batchAuthor: author, now: now)
        markOwners(&transactions)
        return transactions
    }

    private func markOwners(_ transactions: inout [StoredTransaction]) {
        lock.withLock {
            guard stored.slots.hasOwners else { return }
            for index in transactions.indices {
                transactions[index].isOwners =
                    transactions[index].mutations?.contains { stored.slots.owned(at: $0.key) != nil } ?? false
            }
        }
    }

    private static func item(_ logged: LoggedTransaction) -> TransactionListing.Item {
        let details = logged.entry.details
        var item = TransactionListing.Item(
            time: logged.entry.time, author: details.author, origin: details.origin, undone: details.note.undone,
            reason: details.note.unconfirmed?.reason, writes: [])
        guard logged.entry.hasValues, !logged.isGivenUp else { return item }
        if let write = details.note.unconfirmed {
            item.writes.append((UnconfirmedCommit.key, nil, write.commit?.record))
        }
        for mutation in details.mutations where mutation.scope != .effective && mutation.slot.schedule != nil {
            // A value that can't be encoded is not stored either.
            guard let old = try? mutation.slot.encoder(mutation.old) else { continue }
            let new = mutation.isRemoval ? nil : try? mutation.slot.encoder(mutation.new)
            if new != nil || mutation.isRemoval { item.writes.append((mutation.slot.key, old, new)) }
        }
        return item
    }
}
