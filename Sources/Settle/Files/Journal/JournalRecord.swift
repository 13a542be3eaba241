/// One record of a journal.
package struct JournalRecord: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case values(JournalBatch)
        /// An intent: the file is about to become this version, which contains every batch before `coveredEnd`.
        case checkpoint(FileVersion, coveredEnd: Int)
        /// The file has durably become this version. It contains every batch before `coveredEnd`.
        case checkpointed(FileVersion, coveredEnd: Int)
        /// Another program has made the file this version; the batch is its change.
        case edited(FileVersion, JournalBatch)
        /// For each key an array of earlier values, newest first, in case what is stored there can't be used; or no
        /// value, if none is kept any more.
        case kept(JournalBatch)
        /// What is kept of the past, and which keys are secrets.
        case history(JournalHistory)
        /// In the file of the past: the transactions of a record that stood in a journal, without its values.
        case past(JournalTransactions)
    }

    package var content: Content
    /// The journal up to here was known to be on stable storage when the record was written. Never beyond the record.
    package var durableEnd: Int

    package init(_ content: Content, durableEnd: Int) {
        self.content = content
        self.durableEnd = durableEnd
    }
}

extension JournalRecord {
    /// The maximum number of bytes of a record's payload. Readers take a longer one for damage.
    package static let payloadLimit = 256 << 20

    var batch: JournalBatch? { content.batch }
}

extension JournalRecord.Content {
    /// The batch that changes what is stored.
    var batch: JournalBatch? {
        switch self {
        case .values(let batch), .edited(_, let batch): batch
        case .checkpoint, .checkpointed, .kept, .history, .past: nil
        }
    }

    /// The transactions that are counted with the record.
    package var transactions: JournalTransactions? {
        if case .past(let transactions) = self { transactions } else { batch?.transactions }
    }

    /// The same without what single transactions did.
    package var unlisted: JournalRecord.Content {
        transactions?.list == nil ? self : changingBatch { $0.transactions?.list = nil }
    }

    /// The same with another batch that changes what is stored, if it has one.
    func changingBatch(_ change: (inout JournalBatch) -> Void) -> JournalRecord.Content {
        guard var changed = batch else { return self }
        change(&changed)
        if case .edited(let version, _) = self { return .edited(version, changed) }
        return .values(changed)
    }

    /// The batch of any kind.
    var anyBatch: JournalBatch? {
        if case .kept(let batch) = self { batch } else { batch }
    }
}

/// What is kept of a file's past.
package struct JournalHistory: Sendable, Equatable {
    /// How much.
    package var policy: HistoryPolicy
    /// The keys of which no value may be kept, beside those that earlier records name.
    package var secrets: Set<SettingKey>

    package init(policy: HistoryPolicy, secrets: Set<SettingKey> = []) {
        self.policy = policy
        self.secrets = secrets
    }
}
