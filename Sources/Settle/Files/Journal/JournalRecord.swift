/// One record of a journal.
package struct JournalRecord: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// Everything before this record is past.
        case base(JournalBase)
        case values(JournalBatch)
        /// Somebody has made the readable file this version; the batch is what that has changed. Nothing, if the file
        /// has been removed while a process had it open: what was in force stays.
        case edited(JournalBase.Mirror, JournalBatch)
        /// The readable file is about to become this version, which has all values as of here.
        case mirroring(FileVersion)
        /// The readable file is this version, for good; nothing came of others that were begun.
        case mirrored(FileVersion)
        /// For each key an array of earlier values, newest first, in case what is stored there can't be used; or no
        /// value, if none is kept any more.
        case kept(JournalBatch)
        /// What is kept of the past, and which keys are secrets.
        case history(JournalHistory)
        /// A process that knew another history has put its values beside those that began without them.
        case united(JournalUnion)
        /// Which keys are state, and what the file has in which they stand.
        case state(JournalStateKeys)
        /// In front of the base: the transactions of a record that stood in a journal before, without its values.
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
        case .united(let union): union.batch
        case .base, .mirroring, .mirrored, .kept, .history, .state, .past: nil
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

    /// Somebody has removed the file while it was open. All values stay in force.
    static func removal(from tree: SettingTree) -> JournalRecord.Content {
        .edited(JournalBase.Mirror(.absent, MirrorDifference(ofNoneFrom: tree).entries), JournalBatch(revision: 0))
    }

    /// The same with what is known by now, for a record that could not be told when it was made: of where the file that
    /// has been edited differs, and of the policy. What a process adds to the secrets does not take back one that has
    /// been given meanwhile.
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

    /// Whether it says what somebody has found in the file, or put there.
    var isOfFile: Bool {
        switch self {
        case .edited, .mirroring, .mirrored: true
        case .state(let state): !state.mirrors.isEmpty
        case .base, .values, .kept, .history, .united, .past: false
        }
    }

    /// Whether a process has put its values beside those of another journal, which nobody else has.
    var isUnion: Bool {
        if case .united = self { true } else { false }
    }

    /// Whether somebody has found the file missing.
    var isRemoval: Bool {
        if case .edited(let mirror, _) = self { mirror.version == .absent && !mirror.isOfState } else { false }
    }

    /// Whether somebody has taken a file that was not there for settings that were removed.
    var isReset: Bool {
        isRemoval && batch?.entries.isEmpty == false
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

/// Which keys are state: what a program only remembers, and what stands in a file of its own.
package struct JournalStateKeys: Sendable, Equatable {
    /// Those that have become state.
    package var added: Set<SettingKey>
    /// Those that are none any more.
    package var removed: Set<SettingKey>
    /// The versions that their file may have from now on; empty if that stays as it was.
    package var mirrors: [JournalBase.Mirror]

    package init(
        added: Set<SettingKey> = [], removed: Set<SettingKey> = [], mirrors: [JournalBase.Mirror] = []
    ) {
        (self.added, self.removed, self.mirrors) = (added, removed, mirrors)
    }
}

/// What a process puts beside the values of a journal that began without them.
package struct JournalUnion: Sendable, Equatable {
    /// The place up to which the process knew the history that it had open.
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
