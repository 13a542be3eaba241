/// The newest transactions of a file that this process has seen, in the file's order, bounded in number and in memory.
///
/// Pure: it is given each record as it is appended or read, with the values at its keys before.
struct RecentTransactions: Sendable {
    /// A known record. It is converted on demand, because that is rarely needed.
    struct Item: RecordOfHistory {
        /// The token after it.
        var token: ChangeToken
        var batch: JournalBatch
        /// The values at the keys before, unless the transactions are listed.
        var replaced: [SettingKey: SettingValue]
        /// The bytes that it takes in a journal.
        var size: Int

        var count: UInt64 { batch.transactions?.count ?? 0 }
        /// The position before it.
        var start: UInt64 { token.position - count }
    }

    private var ring = RecordRing<Item>(limit: 1_024, sizeLimit: 1 << 20)

    /// The token after the last record.
    var end: ChangeToken? { ring.end }

    /// Removes everything: the next record follows `token`.
    mutating func begin(at token: ChangeToken?) { ring.begin(at: token) }

    /// Adds a record, if it follows the last one. Otherwise it is the first one known.
    ///
    /// - Parameter size: The bytes that it takes in a journal.
    mutating func add(_ item: Item) {
        if let end, item.token.history == end.history, item.token.position <= end.position { return }
        if item.token.history != end?.history || item.start != end?.position { begin(at: nil) }
        ring.append([item])
    }

    /// Adds a record that others have appended.
    ///
    /// - Parameters:
    ///   - history: The history of the file.
    ///   - tree: All values before it.
    mutating func add(_ batch: JournalBatch, of history: UInt64, over tree: SettingTree) {
        guard let transactions = batch.transactions else { return }
        var replaced: [SettingKey: SettingValue] = [:]
        if transactions.list == nil { for entry in batch.entries { replaced[entry.key] = tree[entry.key] } }
        add(Item(token: transactions.token(in: history), batch: batch, replaced: replaced, size: batch.roughSize))
    }

    /// Adds a record that this process has appended.
    ///
    /// - Parameters:
    ///   - token: The token after it.
    ///   - replaced: The values at its keys before, unless its transactions are listed.
    ///   - size: The bytes that it takes in a journal.
    mutating func add(
        _ batch: JournalBatch, upTo token: ChangeToken?, replacing replaced: [SettingKey: SettingValue], size: Int
    ) {
        guard batch.transactions != nil, let token else { return }
        add(Item(token: token, batch: batch, replaced: replaced, size: size))
    }

    /// Returns the last records before a position, oldest first, and the one that it may be within.
    func records(before position: UInt64, limit: Int) -> [StoredRecord] {
        let end = min(ring.records.endIndex, ring.firstIndex(after: position - 1) + 1)
        return ring.records[..<end].suffix(min(limit, ring.records.count) + 1).map { StoredRecord($0) }
    }

    /// Returns the records after a token, oldest first; `nil` if it is not known here what followed it.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        ring.records(after: token, limit: limit) { StoredRecord($0) }
    }
}

extension StoredRecord {
    fileprivate init(_ item: RecentTransactions.Item) {
        let transactions = item.batch.transactions?.list ?? [item.batch.merged { item.replaced[$0] }].compactMap(\.self)
        self.init(token: item.token, transactions: transactions)
    }
}

extension JournalBatch {
    /// Returns all of its transactions as one; `nil` if it has none.
    ///
    /// - Parameter before: Returns the value at a key before.
    func merged(_ before: (SettingKey) -> SettingValue?) -> StoredTransaction? {
        guard let transactions else { return nil }
        return StoredTransaction(
            time: transactions.time, author: TransactionAuthor(name: author),
            origin: revision == 0 ? .external : .local, count: transactions.count,
            mutations: entries.map { StoredMutation(key: $0.key, oldValue: before($0.key), newValue: $0.value) })
    }
}
