/// The effect of one transaction on the stored values.
public struct StoredTransaction: Sendable, Hashable {
    /// In seconds since 2001-01-01 00:00 UTC.
    public var time: Double
    /// The author.
    public var author: TransactionAuthor
    /// ``ValueOrigin/local`` or ``ValueOrigin/reset`` for a write of a program, ``ValueOrigin/external`` for an edit by
    /// hand, or ``ValueOrigin/migration``.
    public var origin: ValueOrigin
    /// The transaction that this one took back, if it is an undo.
    public var undone: ChangeToken?
    /// The reason for it, for example `not confirmed within 5 minutes`; `nil` for a plain write.
    public var reason: String?
    /// How many transactions it stands for, of which only the sum is known: 1, unless there was no room for each.
    public var count: UInt64
    /// The changes, in the order of the keys; `nil` if anything may have changed.
    public var mutations: [StoredMutation]?
    /// Whether it has written a setting that only its owner writes (``SettingsAccess/owner``). Then no program can undo
    /// it, with or without the declaration.
    public var isOwners = false

    /// Creates a transaction; by default a single one that took nothing back and wrote only settings that all may
    /// write.
    public init(
        time: Double, author: TransactionAuthor, origin: ValueOrigin, undone: ChangeToken? = nil,
        reason: String? = nil, count: UInt64 = 1, mutations: [StoredMutation]?
    ) {
        self.time = time
        self.author = author
        self.origin = origin
        self.undone = undone
        self.reason = reason
        self.count = count
        self.mutations = mutations
    }
}

/// The effect of a transaction on one key.
public struct StoredMutation: Sendable, Hashable {
    /// The key.
    public var key: SettingKey
    /// The value before; `nil` if nothing was stored, or if it is withheld.
    public var oldValue: SettingValue?
    /// The value after; `nil` if nothing was stored, or if it is withheld.
    public var newValue: SettingValue?
    /// Whether the values are left out, because the setting is a secret.
    public var isWithheld: Bool

    /// Creates a mutation with its values.
    public init(key: SettingKey, oldValue: SettingValue?, newValue: SettingValue?) {
        self.key = key
        self.oldValue = oldValue
        self.newValue = newValue
        isWithheld = false
    }

    /// Creates a mutation of a secret, which only shows that the key has changed.
    public init(withheldAt key: SettingKey) {
        self.key = key
        isWithheld = true
    }
}

/// Transactions of a storage, with their position in its history.
public struct StoredRecord: Sendable, Hashable {
    /// The token after the last of the transactions.
    public var token: ChangeToken
    /// The transactions, oldest first. If there was no room for each, one stands for several; see
    /// ``StoredTransaction/count``.
    public var transactions: [StoredTransaction]

    /// Creates a record of one or more transactions.
    public init(token: ChangeToken, transactions: [StoredTransaction]) {
        self.token = token
        self.transactions = transactions
    }

    /// The number of transactions in it.
    public var count: UInt64 { transactions.reduce(0) { $0 + $1.count } }

    /// Each transaction with its token, oldest first.
    public var entries: [(token: ChangeToken, transaction: StoredTransaction)] {
        var position = token.position - min(token.position, count)
        return transactions.map { transaction in
            position += transaction.count
            return (ChangeToken(history: token.history, position: position, checksum: token.checksum), transaction)
        }
    }
}

extension StoredRecord {
    /// Returns the transactions after a token within the record; all of them, if only their sum is known. `nil` if the
    /// token is not within the record.
    ///
    /// - Parameter token: Where the transactions begin.
    public func rest(after token: ChangeToken) -> StoredRecord? {
        guard token.history == self.token.history, token.checksum == self.token.checksum,
            token.position < self.token.position, token.position > self.token.position - count
        else { return nil }
        guard let index = entries.firstIndex(where: { $0.token == token }) else { return self }
        return StoredRecord(token: self.token, transactions: Array(transactions[(index + 1)...]))
    }

    /// Returns the transactions that end after one position and before another; `nil` if there are none.
    fileprivate func part(after start: UInt64, before end: UInt64) -> StoredRecord? {
        let entries = entries.filter { $0.token.position > start && $0.token.position < end }
        return entries.last.map { StoredRecord(token: $0.token, transactions: entries.map(\.transaction)) }
    }
}

extension HistoryPolicy {
    /// Returns the part of a history that may be reported, newest first.
    ///
    /// - Parameters:
    ///   - records: Oldest first, up to the token or further.
    ///   - earlier: The newest time of the records before these, if there are any.
    ///   - token: The records before it are reported; `nil` for the end.
    ///   - end: The end of the history.
    ///   - start: A position. Transactions that end there or before it are not reported, because they are beyond the
    ///     bound in bytes.
    ///   - now: In seconds since the reference date.
    package func told(
        _ records: [StoredRecord], after earlier: Double? = nil, before token: ChangeToken?, end: ChangeToken,
        behind start: UInt64 = 0, limit: Int, now: Double
    ) -> [StoredRecord] {
        guard isKept else { return [] }
        let bound = max(start, end.position - min(end.position, UInt64(transactions)))
        let first = firstIndex(in: records.map { $0.transactions.last?.time ?? now }, after: earlier, now: now)
        var result: [StoredRecord] = []
        for record in records[first...].reversed() {
            guard result.count < limit, !record.transactions.isEmpty, record.token.position > bound else { break }
            if let part = record.part(after: bound, before: token?.position ?? .max) { result.append(part) }
        }
        return result
    }

    /// Returns the index of the first of some transactions, oldest first, that is not too old. None of those after it
    /// is too old either.
    ///
    /// The order of transactions is certain, but a clock may be wrong for a while: a transaction counts as at least as
    /// new as the one before it. Otherwise a single one dated 1970 would cut off all earlier ones.
    ///
    /// - Parameter earlier: The newest time of the transactions before the first one.
    package func firstIndex(in times: [Double], after earlier: Double? = nil, now: Double) -> Int {
        func isKept(_ time: Double) -> Bool { now - time <= Double(age.seconds) }
        if let earlier, isKept(earlier) { return times.startIndex }
        return times.firstIndex(where: isKept) ?? times.endIndex
    }
}
