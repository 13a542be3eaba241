import Synchronization

/// The new values of some keys, from one or more transactions.
public struct StorageBatch: Sendable, Hashable, Identifiable {
    /// Tells a batch that is appended again from a new one with the same values.
    public struct ID: Sendable, Hashable, Codable {
        /// Chosen at random for each opened store.
        public var store: UInt64
        /// Rises from batch to batch of the store.
        public var number: UInt64

        /// Creates an identity, such as one that a storage has kept.
        public init(store: UInt64, number: UInt64) {
            self.store = store
            self.number = number
        }

        /// An identity that no other batch has.
        public init() {
            self.init(
                store: Self.process, number: Self.counter.add(1, ordering: .relaxed).newValue)
        }

        private static let process = UInt64.random(in: .min ... .max)
        private static let counter = Atomic<UInt64>(0)
    }

    /// What must hold when the batch is stored.
    public enum Condition: Sendable, Hashable {
        /// Nobody has stored anything after this position. Otherwise the append throws
        /// ``StorageError/Code/conflict``.
        case at(StoragePosition)
        /// The lease is still held. Otherwise the append throws ``StorageError/Code/leaseLost``.
        case under(StorageLease)
        /// No migrations are recorded, under `$settle`, but the named ones. Otherwise the append throws
        /// ``StorageError/Code/migrated``. A storage that does not check it may store a batch of a program that has not
        /// been told of a migration yet.
        case migrated(within: [String])
    }

    public var id: ID
    /// The revision that is complete once this batch is stored. Revisions of successive batches rise.
    public var revision: UInt64
    /// The new value of each changed key; `nil` means that the key is no longer stored.
    public var values: [SettingKey: SettingValue?]
    /// What the store believes to be stored at these keys until now. A storage that others change too can compare it
    /// with what is stored to detect changes of the same key. A key that is missing here was not stored.
    public var expectedValues: [SettingKey: SettingValue]
    /// The author, if all of the batch has one with a name.
    public var author: String?
    /// How many transactions of the store the batch has, 1 or more.
    public var transactionCount: UInt64
    /// What each of them did, oldest first, for a ``HistoryStorage`` that keeps a history; empty otherwise.
    public var transactions: [StoredTransaction]
    /// Only a ``SharedStorage`` is given conditions. If one does not hold, nothing is stored.
    public var conditions: [Condition]
    /// Keys that one transaction has written, for a storage with ``StorageLimits``, which may have to part a batch:
    /// what they have stands or falls together. A key on its own is in none.
    public var writtenTogether: [[SettingKey]] = []
    /// Whether more of what waits to be stored comes with later batches, because of the storage's limits.
    public var isPart = false
    /// Whether a commit waits for the batch, and is undone if it fails. Otherwise the values stay in force, and the
    /// store appends them again: a storage may keep them where they survive the end of the process.
    public var hasCommits = false
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

/// What a storage says of a batch that it has stored.
public struct StorageReceipt: Sendable, Hashable {
    /// The position behind the batch.
    public var position: StoragePosition
    /// How safe the batch is: at least as safe as was asked for.
    public var durability: StorageDurability
    /// Whether others have stored something that ``SharedStorage/changes(after:)`` has not returned yet.
    public var hasExternalChanges: Bool
    /// The place of the batch in the history of the storage; `nil` if it has none.
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
