/// Batches that are not larger than the storage accepts.
extension PendingSaves {
    /// Returns the next batch, with as much as the storage accepts at once.
    ///
    /// - Parameters:
    ///   - revision: The one that is complete with the last part.
    ///   - earlier: The one that is complete until then.
    ///   - changes: The changes of others that the store has not merged.
    /// - Returns: Also whether the batch has everything.
    mutating func nextBatch(
        _ revision: UInt64, after earlier: UInt64, limits: StorageLimits, conditions: [StorageBatch.Condition],
        with changes: [ExternalChange]
    ) -> (StorageBatch, isWhole: Bool) {
        let all = values.merging(writtenBack) { own, _ in own }
        let part = limits.part(of: all, inOrderOf: transactions)
        inBatch = part.transactions
        var batch = StorageBatch(
            id: nextID(), revision: part.isWhole ? revision : earlier, values: part.values,
            expectedValues: stored(with: changes).merging(writtenBack.compactMapValues { $0 }) { own, _ in own },
            author: author.name, conditions: part.values.isEmpty ? [] : conditions)
        batch.writtenTogether = transactions.flatMap(\.groups)
        batch.plainValues = beforeCommits.filter { part.values[$0.key] != nil }
        return (batch, part.isWhole)
    }

    /// Returns a batch with all pending values.
    func waiting(_ revision: UInt64, with changes: [ExternalChange]) -> StorageBatch {
        var batch = StorageBatch(
            revision: revision, values: values, expectedValues: stored(with: changes), author: author.name)
        batch.writtenTogether = transactions.flatMap(\.groups)
        return batch
    }

    // MARK: While saving fails

    /// Joins transactions that follow one another, as long as their values are at most half a batch, or have only the
    /// same keys: while saving fails, there are more of them with every write. Those of an undecided batch stay as they
    /// are.
    ///
    /// - Precondition: None of them is of a commit that may be undone.
    mutating func joinTransactions(within limits: StorageLimits) {
        guard isRetry, transactions.count >= joinedAt else { return }
        let half = StorageLimits(keys: limits.keys.map { $0 / 2 }, bytes: limits.bytes.map { $0 / 2 })
        let first = unresolved == nil ? 0 : (inBatch.max() ?? -1) + 1
        var joined = Array(transactions[..<first])
        for transaction in transactions[first...] {
            // Given up since.
            if transaction.revision == nil, !transaction.keys.contains(where: { values[$0] != nil }) { continue }
            if joined.count > first, let both = joined[joined.count - 1].followed(by: transaction),
                both.keys.count == joined[joined.count - 1].keys.count
                    ? limits.fit(both.values(of: values)) : half.fit(both.values(of: values))
            {
                joined[joined.count - 1] = both
            } else {
                joined.append(transaction)
            }
        }
        transactions = joined
        joinedAt = max(Self.fewTransactions, 2 * joined.count)
    }
}

/// The keys that one transaction has written, which are stored together.
struct PendingTransaction: Sendable {
    var keys: [SettingKey]
    /// Its number; `nil` if it is not one transaction that the log still has.
    var revision: UInt64?
    /// The values it has written at keys that later transactions have written again, as far as known.
    var earlier: [SettingKey: SettingValue?] = [:]
    /// Whether it is one transaction. Otherwise it stands for several, and the log has forgotten which keys each has
    /// written.
    var isOne = true
    /// The keys that were written together, if it stands for several transactions that are joined.
    private var joined: [[SettingKey]]?

    init(keys: [SettingKey], revision: UInt64? = nil) {
        self.keys = keys
        self.revision = revision
    }

    /// The keys that were written together, more than one each.
    var groups: [[SettingKey]] { (joined ?? [keys]).filter { $0.count > 1 } }

    /// Returns what it leaves at its keys, of the pending values.
    func values(of newest: [SettingKey: SettingValue?]) -> [SettingKey: SettingValue?] {
        var values: [SettingKey: SettingValue?] = [:]
        for key in keys {
            if let value = newest[key] { values.updateValue(earlier[key] ?? value, forKey: key) }
        }
        return values
    }

    /// Adds a key that is stored together with its others.
    mutating func add(_ key: SettingKey) {
        if joined != nil { joined?.append(keys + [key]) }
        keys.append(key)
    }

    /// Removes a key whose value was not saved.
    mutating func remove(_ key: SettingKey) {
        keys.removeAll { $0 == key }
        earlier.removeValue(forKey: key)
        joined = joined?.map { $0.filter { $0 != key } }
    }

    /// Returns both as one; `nil` if only one of them is a transaction that the log still has.
    func followed(by next: PendingTransaction) -> PendingTransaction? {
        guard (revision == nil) == (next.revision == nil) else { return nil }
        var both = self
        both.joined = (groups + next.groups).united()
        both.revision = next.revision
        both.isOne = false
        let known = Set(keys)
        both.keys += next.keys.filter { !known.contains($0) }
        for key in next.keys { both.earlier[key] = next.earlier[key] }
        return both
    }
}

/// A part of the pending values.
struct BatchPart: Sendable {
    var values: [SettingKey: SettingValue?] = [:]
    /// The indices of the transactions that are complete with it.
    var transactions: Set<Int> = []
    /// Whether it has all pending values.
    var isWhole = false
}

extension StorageLimits {
    /// Returns as much of some values as fits into one batch: the first transactions, with the values as these have
    /// left them. Later ones follow with what they have written again at the same keys.
    ///
    /// The order counts: a commit may have read the values of an earlier one, and must not be stored without it. Values
    /// that were written together are not split, unless they do not fit.
    func part(of values: [SettingKey: SettingValue?], inOrderOf transactions: [PendingTransaction]) -> BatchPart {
        if fit(values) { return BatchPart(values: values, transactions: Set(transactions.indices), isWhole: true) }
        var last: [SettingKey: Int] = [:]
        for (index, transaction) in transactions.enumerated() { for key in transaction.keys { last[key] = index } }
        var (part, torn, growing) = (BatchPart(), BatchPart(), BatchPart())
        // Up to here they must be stored together: the value that an earlier one has left at one of their keys is not
        // known.
        var end = 0
        for (index, transaction) in transactions.enumerated() {
            for key in transaction.keys {
                if values[key] != nil, transaction.earlier[key] == nil { end = max(end, last[key] ?? index) }
            }
            growing.values.merge(transaction.values(of: values)) { _, later in later }
            growing.transactions.insert(index)
            // The storage may refuse the first one as too large.
            guard fit(growing.values) || (torn.values.isEmpty && transaction.isOne) else { break }
            torn = growing
            if end <= index { part = growing }
        }
        if part.values.isEmpty { part = torn }
        if part.values.isEmpty {
            for key in values.keys.sorted().prefix(max(1, keys ?? 1)) {
                part.values.updateValue(values[key] ?? nil, forKey: key)
            }
        }
        part.isWhole = part.values == values
        return part
    }

    /// Whether a batch may be too large.
    var mayPart: Bool { keys != nil || bytes != nil }

    fileprivate func fit(_ values: [SettingKey: SettingValue?]) -> Bool {
        if let keys, values.count > keys { return false }
        guard let bytes else { return true }
        return values.values.reduce(0) { $0 + ($1?.roughSize ?? 0) } <= bytes
    }
}
