import Synchronization

/// The new values of some keys, from one or more transactions.
public struct StorageBatch: Sendable, Hashable, Identifiable {
    /// Distinguishes a batch that is appended again from a new one with the same values.
    public struct ID: Sendable, Hashable, Codable {
        /// Chosen at random for each opened store.
        public var store: UInt64
        /// Rises from batch to batch of the store.
        public var number: UInt64

        /// Creates an identity, for example from numbers that a storage has saved.
        public init(store: UInt64, number: UInt64) {
            self.store = store
            self.number = number
        }

        /// Creates an identity that no other batch has.
        public init() {
            self.init(
                store: Self.process, number: Self.counter.add(1, ordering: .relaxed).newValue)
        }

        private static let process = UInt64.random(in: .min ... .max)
        private static let counter = Atomic<UInt64>(0)
    }

    /// A condition that must hold when the batch is stored.
    public enum Condition: Sendable, Hashable {
        /// Nothing was stored after this position. Otherwise the append throws
        /// ``StorageError/Code/conflict``.
        case at(StoragePosition)
        /// The lease is still held. Otherwise the append throws ``StorageError/Code/leaseLost``.
        case under(StorageLease)
        /// No migrations are recorded, under `$settle`, but the named ones. Otherwise, also if the record is no list of
        /// names, the append throws ``StorageError/Code/migrated``. A storage that does not check this may store a batch
        /// of a program that does not know of a migration yet.
        case migrated(within: [String])
    }

    public var id: ID
    /// The revision that is complete once this batch is stored. Revisions of successive batches rise.
    public var revision: UInt64
    /// The new value of each changed key; `nil` means that the key is no longer stored.
    public var values: [SettingKey: SettingValue?]
    /// The values that the store believes to be stored at these keys until now. A storage that others change too can
    /// compare them with the stored values to detect changes of the same key. A key that is missing here was not
    /// stored.
    public var expectedValues: [SettingKey: SettingValue]
    /// The author of those of its transactions that have a named one, if that is a single author.
    public var author: String?
    /// How many transactions of the store the batch has, 1 or more.
    public var transactionCount: UInt64
    /// The effect of each of them, oldest first, for a ``HistoryStorage`` that keeps a history; empty otherwise.
    public var transactions: [StoredTransaction]
    /// Only a ``SharedStorage`` is given conditions. If one does not hold, nothing is stored.
    public var conditions: [Condition]
    /// Groups of keys that one transaction has written, for a storage with ``StorageLimits``, which may have to split a
    /// batch: their values must be stored together. A key on its own is in no group.
    public var writtenTogether: [[SettingKey]] = []
    /// Whether later batches contain more of the pending values, because of the storage's limits.
    public var isPart = false
    /// Whether a commit waits for the batch, and is undone if it fails. Otherwise the values stay in force, and the
    /// store appends them again: a storage may keep them where they survive the end of the process.
    public var hasCommits = false
    /// In a batch with commits: the keys that these have read, each with everything within it; `nil` if they may have
    /// read any key. Recorded for a storage whose limits ask for it; see ``StorageLimits/comparesReads``.
    ///
    /// - Note: Not settled: a version 0.x may still change it.
    public var reads: Set<SettingKey>?
    /// In a batch with commits: the plain writes among its values, as they were before the commits. They stay in force,
    /// and the store appends them again, if the commits are undone.
    public var plainValues: [SettingKey: SettingValue?] = [:]

    /// Creates a batch; by default with an identity of its own, and without conditions.
    public init(
        id: ID = ID(), revision: UInt64, values: [SettingKey: SettingValue?],
        expectedValues: [SettingKey: SettingValue] = [:], author: String? = nil, transactionCount: UInt64 = 1,
        transactions: [StoredTransaction] = [], conditions: [Condition] = []
    ) {
        self.id = id
        self.revision = revision
        self.values = values
        self.expectedValues = expectedValues
        self.author = author
        self.transactionCount = transactionCount
        self.transactions = transactions
        self.conditions = conditions
    }
}

/// A storage's confirmation of a batch that it has stored.
public struct StorageReceipt: Sendable, Hashable {
    /// The position after the batch.
    public var position: StoragePosition
    /// The durability of the batch: at least the one that was asked for.
    public var durability: StorageDurability
    /// Whether others have stored something that ``SharedStorage/changes(after:)`` has not returned yet.
    public var hasExternalChanges: Bool
    /// The token of the batch in the history of the storage; `nil` if it has none.
    public var token: ChangeToken?

    /// Creates a receipt; by default others have stored nothing, and the storage has no history.
    public init(
        position: StoragePosition, durability: StorageDurability, hasExternalChanges: Bool = false,
        token: ChangeToken? = nil
    ) {
        self.token = token
        self.position = position
        self.durability = durability
        self.hasExternalChanges = hasExternalChanges
    }
}
