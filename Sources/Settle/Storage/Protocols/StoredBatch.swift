/// An entry for a ``StorageBatch`` in a log of batches: what it has stored, without its conditions.
///
/// Any encoder preserves it exactly, even one for JSON: values are encoded as their ``SettingValue/bytes``.
///
/// ```swift
/// let entry = try JSONEncoder().encode(StoredBatch(batch, token: token))
/// ```
public struct StoredBatch: Sendable, Hashable, Identifiable {
    public var id: StorageBatch.ID
    /// The new value of each changed key; `nil` means that the key is no longer stored.
    public var values: [SettingKey: SettingValue?]
    /// The author of those of its transactions that have a named one, if that is a single author.
    public var author: String?
    /// How many transactions of the store the batch has, 1 or more.
    public var transactionCount: UInt64
    /// The effect of each of them, oldest first; empty if the storage keeps no history.
    public var transactions: [StoredTransaction]
    /// The token of the batch in the history of the storage; `nil` if it has none.
    public var token: ChangeToken?

    /// Creates the entry for a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - token: Its token in the history of the storage, if that is known yet.
    public init(_ batch: StorageBatch, token: ChangeToken? = nil) {
        id = batch.id
        values = batch.values
        author = batch.author
        transactionCount = batch.transactionCount
        transactions = batch.transactions
        self.token = token
    }
}

extension Sequence<StoredBatch> {
    /// Returns the result of ``SharedStorage/changes(after:)``, from the batches that were stored after the position,
    /// oldest first.
    ///
    /// The batches of others become changes. A later own batch replaces the values that it has overwritten, so that the
    /// store can still merge them. An own batch of unknown outcome is a change too, with its ``ExternalChange/batch``.
    ///
    /// - Parameters:
    ///   - unknown: The own batches that the store does not know to be stored: their last append has failed with
    ///     ``StorageError/isOutcomeUnknown``.
    ///   - isOwn: Whether the storage itself has appended a batch, for example by the ``StorageBatch/ID/store`` of its
    ///     ``id``.
    public func externalChanges(
        unknown: Set<StorageBatch.ID> = [], isOwn: (StoredBatch) throws -> Bool
    ) rethrows -> [ExternalChange] {
        try reduce(into: []) { changes, entry in
            let isOwn = try isOwn(entry)
            let change = ExternalChange(
                .values(entry.values), author: entry.author, token: entry.token, batch: isOwn ? entry.id : nil)
            changes.add(change, isOwn: isOwn && !unknown.contains(entry.id))
        }
    }
}

extension StoredBatch: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, token, author, changes, count, transactions
    }

    /// One of the values. A list rather than a dictionary by key, which would mix up keys that Unicode considers equal.
    private struct KeyChange: Codable {
        var key: SettingKey
        var value: SettingValue?

        init(_ key: SettingKey, _ value: SettingValue?) { (self.key, self.value) = (key, value) }

        private enum CodingKeys: String, CodingKey {
            case key, value
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            key = try container.decodeSettingKey(forKey: .key)
            value = try container.decodeSettingValue(forKey: .value)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(key.description, forKey: .key)
            try container.encodeBytes(of: value, forKey: .value)
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(StorageBatch.ID.self, forKey: .id)
        token = try container.decodeIfPresent(ChangeToken.self, forKey: .token)
        author = try container.decodeIfPresent(String.self, forKey: .author)
        transactionCount = try container.decodeIfPresent(UInt64.self, forKey: .count) ?? 1
        transactions = try container.decodeIfPresent([StoredTransaction].self, forKey: .transactions) ?? []
        values = [:]
        for change in try container.decode([KeyChange].self, forKey: .changes) {
            values.updateValue(change.value, forKey: change.key)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(token, forKey: .token)
        try container.encodeIfPresent(author, forKey: .author)
        if transactionCount != 1 { try container.encode(transactionCount, forKey: .count) }
        if !transactions.isEmpty { try container.encode(transactions, forKey: .transactions) }
        try container.encode(values.sorted(by: \.key).map { KeyChange($0.key, $0.value) }, forKey: .changes)
    }
}
