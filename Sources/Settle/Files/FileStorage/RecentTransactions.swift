/// The newest transactions of a file that this process has seen, in the file's order, bounded in number and in memory.
///
/// Pure: it is told each record as it is appended or read, with what stood at its keys before.
struct RecentTransactions: Sendable {
    /// What is known of a record. Told only when it is asked for, because nearly always nobody asks.
    struct Item: Sendable {
        /// The place behind it.
        var token: ChangeToken
        var batch: JournalBatch
        /// What stood at the keys before, unless the transactions are listed.
        var replaced: [SettingKey: SettingValue]
        /// The bytes that it takes in a journal.
        var size: Int

        var count: UInt64 { batch.transactions?.count ?? 0 }
        /// The position before it.
        var start: UInt64 { token.position - count }
    }

    /// Where it begins; `nil` as long as the file counts no transactions.
    private(set) var beginning: ChangeToken?
    private var items: ArraySlice<Item> = []
    private var size = 0

    /// The place behind the last record.
    var end: ChangeToken? { items.last?.token ?? beginning }

    private static let countLimit = 1_024
    private static let sizeLimit = 1 << 20

    /// Forgets everything: what comes next follows a place.
    mutating func begin(at token: ChangeToken?) {
        self = RecentTransactions()
        beginning = token
    }

    /// Adds a record, if it follows the last one. Otherwise it is the first one known.
    ///
    /// - Parameter size: The bytes that it takes in a journal.
    mutating func add(_ item: Item) {
        guard item.token.history != end?.history || item.token.position > end?.position ?? 0 else { return }
        if end == nil || item.token.history != end?.history || item.start != end?.position { begin(at: nil) }
        items.append(item)
        size += item.size
        while items.count > Self.countLimit || (size > Self.sizeLimit && items.count > 1) {
            guard let first = items.popFirst() else { break }
            size -= first.size
            beginning = first.token
        }
    }

    /// The first record that ends behind a position.
    private func firstIndex(after position: UInt64) -> Int {
        items.firstIndexInOrder { $0.token.position > position }
    }

    /// The last records before a position, oldest first, and the one that it may be within.
    func records(before position: UInt64, limit: Int) -> [StoredRecord] {
        let end = min(items.endIndex, firstIndex(after: position - 1) + 1)
        return items[..<end].suffix(min(limit, items.count) + 1).map { StoredRecord($0) }
    }

    /// The records after a place, oldest first; `nil` if what came after it is not known here.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        let low = firstIndex(after: token.position)
        let before = low > items.startIndex ? items[low - 1].token : beginning
        if before == token { return items[low...].prefix(limit).map { StoredRecord($0) } }
        guard low < items.endIndex, let rest = StoredRecord(items[low]).rest(after: token) else { return nil }
        return [rest] + items[(low + 1)...].prefix(limit - 1).map { StoredRecord($0) }
    }
}

extension StoredRecord {
    fileprivate init(_ item: RecentTransactions.Item) {
        let transactions = item.batch.transactions?.list ?? [item.batch.merged { item.replaced[$0] }].compactMap(\.self)
        self.init(token: item.token, transactions: transactions)
    }
}

extension JournalBatch {
    /// All of its transactions as one; `nil` if it has none. What it has changed is unknown if that was a whole tree.
    ///
    /// - Parameter before: What stood at a key before.
    func merged(_ before: (SettingKey) -> SettingValue?) -> StoredTransaction? {
        guard let transactions else { return nil }
        return StoredTransaction(
            time: transactions.time, author: TransactionAuthor(name: author),
            origin: revision == 0 ? .external : .local, count: transactions.count,
            mutations: tree == nil
                ? entries.map { StoredMutation(key: $0.key, oldValue: before($0.key), newValue: $0.value) } : nil)
    }
}
