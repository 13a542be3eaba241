/// One record of a journal.
package struct JournalRecord: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// Everything before this record is history.
        case base(JournalBase)
        case values(JournalBatch)
        /// An edit has made the readable file this version; the batch is the resulting change. It is empty if the file
        /// was removed while a process had it open: then the values in force stay.
        case edited(JournalBase.Mirror, JournalBatch)
        /// The readable file is about to become this version, which has all values as of here.
        case mirroring(FileVersion)
        /// The readable file durably has this version; other versions that were begun were not finished.
        case mirrored(FileVersion)
        /// For each key an array of earlier values, newest first, in case the stored value can't be used; or no value,
        /// if none is preserved any more.
        case kept(JournalBatch)
        /// The history policy, and the keys of secrets.
        case history(JournalHistory)
        /// A process that knew another history has put its values beside those that began without them.
        case united(JournalUnion)
        /// The keys of state, and the values of the file in which they are stored.
        case state(JournalStateKeys)
        /// In front of the base: the transactions of a record of an earlier journal, without its values.
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
    /// The maximum number of bytes of a record's payload: those of a journal, because its base has all values. Readers
    /// take a longer one for damage.
    package static let payloadLimit = 512 << 20

    var batch: JournalBatch? { content.batch }
}

extension JournalRecord.Content {
    /// The batch that changes what is stored.
    var batch: JournalBatch? {
        switch self {
        case .values(let batch), .edited(_, let batch): batch
        case .united(let union): union.batch
        case .base, .mirroring, .mirrored, .kept, .history, .state, .past: nil
        }
    }

    /// The transactions that are counted with the record.
    package var transactions: JournalTransactions? {
        if case .past(let transactions) = self { transactions } else { batch?.transactions }
    }

    /// Returns the same without the list of single transactions.
    package var unlisted: JournalRecord.Content {
        transactions?.list == nil ? self : changingBatch { $0.transactions?.list = nil }
    }

    /// Returns the same with another batch that changes the stored values, if it has one.
    func changingBatch(_ change: (inout JournalBatch) -> Void) -> JournalRecord.Content {
        switch self {
        case .values(var batch):
            change(&batch)
            return .values(batch)
        case .edited(let mirror, var batch):
            change(&batch)
            return .edited(mirror, batch)
        case .united(var union):
            change(&union.batch)
            return .united(union)
        case .base, .mirroring, .mirrored, .kept, .history, .state, .past: return self
        }
    }

    /// Returns the record for a file that was removed while it was open. All values stay in force.
    static func removal(from tree: SettingTree) -> JournalRecord.Content {
        .edited(JournalBase.Mirror(.absent, MirrorDifference(ofNoneFrom: tree).entries), JournalBatch(revision: 0))
    }

    /// Returns the same with current knowledge, for a record that could not be written when it was made: the
    /// differences of the edited file, and the policy. A process that adds secrets does not revert a policy that was
    /// set meanwhile.
    func brought(upTo state: JournalState) -> JournalRecord.Content {
        switch self {
        case .edited(let found, let batch):
            guard let mirror = found.isOfState ? state.stateFile.versions.last : state.mirrors.first,
                found.version == mirror.version
            else { return self }
            return .edited(JournalBase.Mirror(mirror, isOfState: found.isOfState), batch)
        case .united(var union):
            union.mirrors = union.mirrors.compactMap { state.mirror($0.version)?.stored }
            return .united(union)
        case .history(var history):
            history.policy = state.history?.policy ?? history.policy
            return .history(history)
        case .base, .values, .mirroring, .mirrored, .kept, .state, .past: return self
        }
    }

    /// Whether it records contents that a process has found in the file, or written to it.
    var isOfFile: Bool {
        switch self {
        case .edited, .mirroring, .mirrored: true
        case .state(let state): !state.mirrors.isEmpty
        case .base, .values, .kept, .history, .united, .past: false
        }
    }

    /// Whether a process has added values that only it had to those of another journal.
    var isUnion: Bool {
        if case .united = self { true } else { false }
    }

    /// Whether a process has found the file missing.
    var isRemoval: Bool {
        if case .edited(let mirror, _) = self { mirror.version == .absent && !mirror.isOfState } else { false }
    }

    /// Whether a process has treated a missing file as settings that were removed on purpose.
    var isReset: Bool {
        isRemoval && batch?.entries.isEmpty == false
    }

    /// The batch of any kind of record.
    var anyBatch: JournalBatch? {
        if case .kept(let batch) = self { batch } else { batch }
    }
}

/// The policy of a file's history, and its secrets.
package struct JournalHistory: Sendable, Equatable {
    /// The bounds of the history.
    package var policy: HistoryPolicy
    /// The keys whose values must not be kept, in addition to those of earlier records.
    package var secrets: Set<SettingKey>

    package init(policy: HistoryPolicy, secrets: Set<SettingKey> = []) {
        self.policy = policy
        self.secrets = secrets
    }
}

/// The keys of state: values that a program only remembers, stored in a file of their own.
package struct JournalStateKeys: Sendable, Equatable {
    /// The keys that have become state.
    package var added: Set<SettingKey>
    /// The keys that no longer are.
    package var removed: Set<SettingKey>
    /// The versions that their file may have from now on; empty if they stay as they were.
    package var mirrors: [JournalBase.Mirror]

    package init(
        added: Set<SettingKey> = [], removed: Set<SettingKey> = [], mirrors: [JournalBase.Mirror] = []
    ) {
        (self.added, self.removed, self.mirrors) = (added, removed, mirrors)
    }
}

/// The values that a process puts beside those of a journal that began without them.
package struct JournalUnion: Sendable, Equatable {
    /// The token up to which the process knew the history that it had open.
    package var origin: ChangeToken
    /// The versions that the readable file may have because of that.
    package var mirrors: [JournalBase.Mirror]
    package var batch: JournalBatch

    package init(origin: ChangeToken, mirrors: [JournalBase.Mirror] = [], batch: JournalBatch) {
        self.origin = origin
        self.mirrors = mirrors
        self.batch = batch
    }
}
