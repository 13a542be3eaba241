/// One step of a journal.
package struct JournalRecord: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case values(JournalBatch)
        /// An intent: the file is about to become this version, which contains every batch before `coveredEnd`.
        case checkpoint(FileVersion, coveredEnd: Int)
        /// The file is this version for good. It contains every batch before `coveredEnd`.
        case checkpointed(FileVersion, coveredEnd: Int)
        /// Somebody else has made the file this version; the batch is what that changes.
        case edited(FileVersion, JournalBatch)
        /// For each key an array of earlier values, the newest first, for the case that what is stored there can't be used; or no
        /// value, if none is kept any more.
        case kept(JournalBatch)
    }

    package var content: Content
    /// Up to where the writer knew the journal to be on stable storage. Never beyond the record itself.
    package var durableEnd: Int

    package init(_ content: Content, durableEnd: Int) {
        self.content = content
        self.durableEnd = durableEnd
    }
}

extension JournalRecord {
    /// How many bytes a record's payload may have. A longer one would be taken for damage.
    package static let payloadLimit = 256 << 20

    var batch: JournalBatch? { content.batch }
}

extension JournalRecord.Content {
    /// What is stored.
    var batch: JournalBatch? {
        switch self {
        case .values(let batch), .edited(_, let batch): batch
        case .checkpoint, .checkpointed, .kept: nil
        }
    }

    /// What the record has in it.
    var anyBatch: JournalBatch? {
        if case .kept(let batch) = self { batch } else { batch }
    }
}
